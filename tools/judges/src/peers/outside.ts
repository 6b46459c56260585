import { startEngine } from '../outside/start.js';
import type { Deployment } from './deployment.js';
import type { Shape } from './topology.js';

/** Returns whether SecantusDB supports the shape, so that the embedded server can be compared with it. */
export const isComparable = ({ topology, auth, tls }: Shape): boolean =>
  (topology === 'standalone' || topology.startsWith('replicaset')) && !auth && !tls;

/**
 * Starts SecantusDB as a standalone server or as a replica set of one member.
 * @throws Unavailable if SecantusDB is not available on this machine
 */
export async function startSecantus(shape: Shape, signal: AbortSignal): Promise<Deployment> {
  const engine = await startEngine('secantusdb', { standalone: shape.topology === 'standalone', signal });
  const { hostname, port, searchParams } = new URL(engine.uri);
  const setName = searchParams.get('replicaSet');
  return {
    shape,
    places: [{ host: hostname, port: Number(port) }],
    ...(setName === null ? {} : { setName }),
    [Symbol.asyncDispose]: () => engine.stop(),
  };
}
