import type { Listener, Socket } from '@tessera/contracts';

/** The way to a server: while it is shut, connections are reset and so is every new one. */
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
