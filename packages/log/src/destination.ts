import type { LogMessage, LogWritable, Host } from '@tessera/contracts';
import { lineOf } from './text.js';

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown> | undefined)?.then === 'function';

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Writes messages in order, until writing fails. It never throws. */
export class Destination {
  readonly #to: LogWritable;
  readonly #failed: (error: unknown) => void;
  readonly #queue: LogMessage[] = [];
  #state: 'idle' | 'busy' | 'halted' = 'idle';

  constructor(to: LogWritable, failed: (error: unknown) => void) {
    this.#to = to;
    this.#failed = failed;
  }

  get isHalted(): boolean {
    return this.#state === 'halted';
  }

  write(log: LogMessage): void {
    if (this.#state === 'halted') return;
    this.#queue.push(log);
    if (this.#state === 'idle') this.#drain();
  }

  /** Writes until all messages are written, or a write must be awaited. */
  readonly #drain = (): void => {
    this.#state = 'busy';
    try {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        const written = this.#to.write(next);
        if (isPromise(written)) return void written.then(this.#drain, this.#halt);
      }
      this.#state = 'idle';
    } catch (error) {
      this.#halt(error);
    }
  };

  readonly #halt = (error: unknown): void => {
    this.#state = 'halted';
    this.#queue.length = 0;
    this.#failed(error);
  };
}

/**
 * Opens a file or stream for lines. If it cannot be written, warns and uses stderr. Rule: Logging, "Configurable Log
 * Destination".
 */
const linesTo = (path: string, host: Host): LogWritable | undefined => {
  const open = (name: string): LogWritable | undefined => {
    const write = host.openLog?.(name);
    return (
      write && {
        write: log => {
          write(lineOf(log));
        },
      }
    );
  };
  try {
    const lines = open(path);
    if (lines === undefined)
      host.warn?.('Nothing is logged, because this host cannot write lines. Pass { write } as "mongodbLogPath".');
    return lines;
  } catch (error) {
    host.warn?.(`The log is written to stderr, because '${path}' cannot be written: ${reason(error)}`);
    return open('stderr');
  }
};

/** Opens the destination. Undefined if the host has none. */
export const openDestination = (to: string | LogWritable, host: Host): Destination | undefined => {
  const writable = typeof to === 'string' ? linesTo(to, host) : to;
  if (writable === undefined) return undefined;
  return new Destination(writable, error => {
    host.warn?.(`Logging has stopped, because the log cannot be written: ${reason(error)}`);
  });
};
