import type { CommandError } from '@tessera/mql/engine';
import { fail } from '@tessera/mql/engine';
import type { DatabaseValue } from '@tessera/store';
import { memoryIn } from '@tessera/store';

const megabyte = 0x10_0000;

/** The share of the host's heap that documents and indexes may use. Commands and garbage need the rest. */
const share = 0.75;

const total = ({ namespaces }: DatabaseValue): number => {
  let bytes = 0;
  for (const [, namespace] of namespaces) bytes += memoryIn(namespace);
  return bytes;
};

/** A runtime that may have a limit of its own. */
export interface HeapRuntime {
  readonly host?: { heapLimit?(): number };
}

/**
 * Returns the limit of a server in megabytes: the option, or a share of the host's heap, or no limit.
 * @throws RangeError if the option is not a number of at least 1
 */
export const memoryLimitOf = ({ host }: HeapRuntime, option: number | undefined): number => {
  if (option === undefined) {
    const heap = host?.heapLimit?.();
    return heap === undefined ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor((heap * share) / megabyte));
  }
  if (!(option >= 1))
    throw new RangeError(`"memoryLimitMB" must be a number of megabytes of at least 1, but is ${option}.`);
  return option;
};

const exceeded = (what: string, megabytes: number): CommandError =>
  fail(
    'ExceededMemoryLimit',
    `${what} failed: documents and indexes would need more than ${megabytes} MB, the limit of this server. Nothing was written. Remove documents or drop collections, or start the server with a higher "memoryLimitMB" and, on Node.js, a higher --max-old-space-size.`,
  );

/** Refuses writes that would need more memory than the server may use. */
export class MemoryLimit {
  readonly #megabytes: number;
  /** The namespaces whose memory is `#bytes`. Other members, transactions and disks also replace the data. */
  #counted: DatabaseValue['namespaces'] | undefined;
  #bytes = 0;

  constructor(megabytes: number) {
    this.#megabytes = megabytes;
  }

  /** Returns the memory of data in bytes. */
  bytesOf(value: DatabaseValue): number {
    return this.#counted === value.namespaces ? this.#bytes : total(value);
  }

  /**
   * Checks that data may become larger.
   * @param growth the difference between the memory of `before` and `after`, see {@link Draft.growth}
   * @throws CommandError 146
   */
  check(what: string, before: DatabaseValue, after: DatabaseValue, growth: number): void {
    const bytes = (this.#counted === before.namespaces ? this.#bytes : total(before)) + growth;
    if (growth > 0 && bytes > this.#megabytes * megabyte) throw exceeded(what, this.#megabytes);
    this.#counted = after.namespaces;
    this.#bytes = bytes;
  }
}
