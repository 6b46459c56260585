import type { LogMessage, LogWritable, Host } from '@tessera/contracts';
import { lineOf } from './text.js';

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as PromiseLike<unknown> | undefined)?.then === 'function';

const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Takes messages in their order until it fails. It never throws. */
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

  /** Until all is written, or something is to be waited for. */
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

/** A place for lines. Rule: Logging, "Configurable Log Destination": what cannot be written to is told, and stderr taken. */
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
      host.warn?.('Nothing is logged: there is no place for lines here; pass { write } as mongodbLogPath.');
    return lines;
  } catch (error) {
    host.warn?.(`The log goes to stderr, because '${path}' cannot be written to: ${reason(error)}`);
    return open('stderr');
  }
};

/** Undefined if there is no place. */
export const openDestination = (to: string | LogWritable, host: Host): Destination | undefined => {
  const writable = typeof to === 'string' ? linesTo(to, host) : to;
  if (writable === undefined) return undefined;
  return new Destination(writable, error => {
    host.warn?.(`Nothing more is logged, because the log cannot be written: ${reason(error)}`);
  });
};
