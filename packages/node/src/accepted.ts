import { Socket as NetSocket } from 'node:net';
import type { OnReadOpts, SocketConstructorOpts } from 'node:net';
import { HostSocket, Intake } from './socket.js';

// Node.js documents neither what a socket holds nor how its own server makes one.

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
 * An accepted and paused socket under the contract's terms. Node.js offers `onread` to sockets that connect and not to those
 * that are accepted, so the handle, from which nothing was read yet, goes over into a socket made with it: a read costs half.
 * Where a handle is not what this knows, the socket stays as it is and its bytes are copied.
 */
export const acceptedSocket = (accepted: NetSocket): HostSocket => {
  const holder = accepted as unknown as Holder;
  const handle = holder._handle;
  if (typeof handle?.useUserBuffer !== 'function') return new HostSocket(accepted);
  holder._handle = null;
  accepted.destroy();
  const intake = new Intake();
  const options: FromHandle = { handle, onread: intake.options, pauseOnCreate: true };
  return new HostSocket(new NetSocket(options), { intake });
};
