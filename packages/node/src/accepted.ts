import type { OnReadOpts, Socket as NetSocket, SocketConstructorOpts } from 'node:net';
import { net } from './builtin.js';
import { HostSocket, Intake } from './socket.js';

// The members used here are undocumented: the handle of a socket, and the way Node.js creates sockets for its own
// server.

interface Handle {
  readonly useUserBuffer?: unknown;
}

interface Holder {
  _handle: Handle | null | undefined;
}

interface FromHandle extends SocketConstructorOpts {
  readonly handle: Handle;
  readonly onread: OnReadOpts;
  readonly pauseOnCreate: true;
}

/**
 * Converts an accepted, paused socket to a socket of the contract. Node.js supports `onread` only for sockets that
 * connect. The handle, from which nothing was read yet, therefore moves to a new socket with `onread`, which halves the
 * cost of a read. If the handle has an unexpected form, the socket stays as it is, and its bytes are copied.
 */
export const acceptedSocket = (accepted: NetSocket): HostSocket => {
  const holder = accepted as unknown as Holder;
  const handle = holder._handle;
  if (typeof handle?.useUserBuffer !== 'function') return new HostSocket(accepted);
  holder._handle = null;
  accepted.destroy();
  const intake = new Intake();
  const options: FromHandle = { handle, onread: intake.options, pauseOnCreate: true };
  const { Socket } = net();
  return new HostSocket(new Socket(options), { intake });
};
