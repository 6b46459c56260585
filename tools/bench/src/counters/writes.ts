import { Socket } from 'node:net';

let writes = 0;

/** From now on every write to a socket is counted. */
export const watchWrites = (): void => {
  const prototype = Socket.prototype as unknown as { write: (this: Socket, ...args: unknown[]) => boolean };
  const real = prototype.write;
  prototype.write = function (...args) {
    writes += 1;
    return real.apply(this, args);
  };
};

export const countWrites = (): number => writes;
