import { Socket } from 'node:net';

let writes = 0;

/** Starts counting writes to sockets. */
export const watchWrites = (): void => {
  const prototype = Socket.prototype as unknown as { write: (this: Socket, ...args: unknown[]) => boolean };
  const real = prototype.write;
  prototype.write = function (...args) {
    writes += 1;
    return real.apply(this, args);
  };
};

/** Returns the number of writes since `watchWrites`. */
export const countWrites = (): number => writes;
