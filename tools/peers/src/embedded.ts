import { startServer } from 'tessera-server';
import type { StartOptions } from 'tessera-server';
import type { Deployment, Place, TlsFiles } from './deployment.js';
import { theUser } from './deployment.js';
import type { Shape } from './topology.js';

const setName = 'rs0';

export const placeOf = (address: string): Place => {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at), port: Number(address.slice(at + 1)) };
};

/** Starts the embedded server in a shape, with the commands for tests; `tls` are the files for a shape with TLS. */
export async function startEmbedded(shape: Shape, tls: TlsFiles | undefined): Promise<Deployment> {
  const options: StartOptions = {
    testCommands: true,
    ...(shape.auth ? { users: [{ user: theUser.name, pwd: theUser.password }] } : {}),
    ...(tls === undefined
      ? {}
      : {
          tlsCertificateKeyFile: tls.server,
          tlsCAFile: tls.authority,
          tlsAllowConnectionsWithoutCertificates: true,
        }),
  };
  const server = await startServer(shape.topology === 'standalone' ? options : { ...options, replicaSet: setName });
  return {
    shape,
    places: [placeOf(server.address)],
    ...(shape.topology === 'standalone' ? {} : { setName }),
    ...(shape.auth ? { user: theUser } : {}),
    ...(tls === undefined ? {} : { tls }),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
