import { startEngine } from '../outside/start.js';
import type { Deployment } from './deployment.js';
import type { Shape } from './topology.js';

/** What SecantusDB can be: the embedded server is compared with it there. */
export const isComparable = ({ topology, auth, tls }: Shape): boolean =>
  (topology === 'standalone' || topology.startsWith('replicaset')) && !auth && !tls;

/** SecantusDB, as a standalone or as a set of one member. @throws Unavailable if it cannot be had here */
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
