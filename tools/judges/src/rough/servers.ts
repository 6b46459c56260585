import { createCertificateFolder } from '../outside/certificate-folder.js';
import { startServer } from 'tessera-server';
import type { Program } from './program.js';
import { transports } from './program.js';
import { startRelay } from './relay.js';
import type { Place } from './verdict.js';
import type { Watched } from './watch.js';
import { watch } from './watch.js';

export interface Servers extends AsyncDisposable {
  /** Prepares the server for a program, and returns how to connect to it. */
  prepare(program: Program): Promise<Place>;
  /** Returns the server of a program. */
  of(program: Program): Watched;
}

/** Starts a server with TLS, a server without TLS, and a relay for each transport. */
export const startServers = async (): Promise<Servers> => {
  const folder = createCertificateFolder();
  const { authority: tlsCAFile, server: identity } = folder;
  const tlsCertificateKeyFile = folder.write('server.pem', identity.both);
  const common = { testCommands: true, replicaSet: 'rs0' };
  const plain = await startServer(common);
  const secured = await startServer({ ...common, tlsCertificateKeyFile });
  const port = Number(plain.address.split(':').at(-1));
  const starting = transports.map(async transport => [transport, await startRelay({ transport, port, identity })]);
  const relays = Object.fromEntries(await Promise.all(starting)) as Record<
    (typeof transports)[number],
    Awaited<ReturnType<typeof startRelay>>
  >;
  const byPlain = await watch(plain, {});
  const byTls = await watch(secured, { tlsCAFile });
  // A relay connects to the server without TLS, and terminates TLS itself.
  const of = ({ transport, garbage }: Program): Watched =>
    transport === 'tls' && garbage === undefined ? byTls : byPlain;
  const placeOf = ({ transport, garbage }: Program): Place => {
    const { port: at } = relays[transport];
    const options = {
      appName: 'rough',
      ...(transport === 'tls' && { tls: true, tlsCAFile }),
      ...(transport === 'socks5' && { proxyHost: '127.0.0.1', proxyPort: at }),
      ...(garbage !== undefined && { directConnection: true }),
    };
    if (garbage !== undefined && transport !== 'socks5') return { uri: `mongodb://127.0.0.1:${at}/`, options };
    return { uri: transport === 'tls' ? secured.uri : plain.uri, options };
  };
  return {
    of,
    prepare: async program => {
      await of(program).prepare();
      await of(program).fault(program.fault);
      relays[program.transport].set(program.garbage);
      return placeOf(program);
    },
    [Symbol.asyncDispose]: async () => {
      await byPlain.close();
      await byTls.close();
      for (const relay of Object.values(relays)) await relay.close();
      folder[Symbol.dispose]();
    },
  };
};
