import { createServer } from 'node:net';
import { MongoError } from '@tessera/contracts';
import type { Listener, Listening } from '@tessera/contracts';
import { addressOf, endpointOf } from './address.js';
import { HostSocket } from './socket.js';

/** TCP and unix sockets that others connect to. A unix socket's file is removed on close. */
export const hostListener: Listener = {
  listen: async (at, accept) => {
    const endpoint = endpointOf(at);
    const server = createServer({ noDelay: true, keepAlive: true, pauseOnConnect: true }, socket => {
      accept(new HostSocket(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', cause => {
        reject(new MongoError('network', `Cannot listen at ${at}: ${cause.message}`, { cause }));
      });
      server.listen(endpoint, resolve);
    });
    // An accept that fails (out of file descriptors) costs that one connection, not the process.
    server.on('error', () => undefined);
    const bound = server.address();
    const listening: Listening = {
      address: addressOf(endpoint, typeof bound === 'object' && bound !== null ? bound.port : 0),
      // The server's own callback would wait for the open sockets.
      close: () =>
        new Promise(resolve => {
          server.close();
          setImmediate(resolve);
        }),
    };
    return listening;
  },
};
