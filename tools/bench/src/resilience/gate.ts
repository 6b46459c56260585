import type { Listener, Socket } from '@tessera/contracts';

/** A listener that can be shut. While it is shut, existing and new connections are reset. */
export interface Gate {
  readonly listener: Listener;
  shut(): void;
  open(): void;
}

const break_ = (socket: Socket): void => (socket.reset === undefined ? socket.destroy() : socket.reset());

export const createGate = (listener: Listener): Gate => {
  let isShut = false;
  const sockets = new Set<Socket>();
  return {
    listener: {
      listen: (at, accept) =>
        listener.listen(at, socket => {
          if (isShut) return break_(socket);
          sockets.add(socket);
          accept(socket);
        }),
    },
    shut() {
      isShut = true;
      for (const socket of sockets) break_(socket);
      sockets.clear();
    },
    open() {
      isShut = false;
    },
  };
};
