import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';

type Options = Parameters<LookupFunction>[1];
type Callback = Parameters<LookupFunction>[2];

/** One name that is being looked up or waits for it, with everyone who asked. */
interface Question {
  readonly key: string;
  readonly host: string;
  readonly options: Options;
  readonly callbacks: Callback[];
}

/** Node.js looks up names on threads of its pool, by default at most two at once in the whole process. */
const most = { known: 4, unknown: 2, unknownAfterFailure: 1 };
/** How many names are remembered. */
const memory = 1_000;

/**
 * Bounds how many host names are looked up at once, and in which order. A server can name hundreds of hosts that no name
 * server knows; without a bound their look-ups would occupy the threads on which the whole process looks up names.
 *
 * Names that resolved the last time go first and have places of their own, names that failed the last time go last. Names that
 * are not known to resolve take at most two places, and one after such a look-up has failed. Equal look-ups share one answer.
 */
export class Lookups {
  readonly #look: LookupFunction;
  /** By name, whether it resolved the last time. */
  readonly #known = new Map<string, boolean>();
  readonly #open = new Map<string, Question>();
  /** First the names that resolved the last time, then new names, then those that failed. */
  readonly #waiting: readonly [Question[], Question[], Question[]] = [[], [], []];
  #running = 0;
  #unknown = 0;
  /** The last look-up of a name that was not known to resolve failed. */
  #hasFailed = false;

  constructor(look: LookupFunction) {
    this.#look = look;
  }

  readonly lookup: LookupFunction = (host, options, callback) => {
    const key = JSON.stringify([host, options]);
    const open = this.#open.get(key);
    if (open !== undefined) {
      open.callbacks.push(callback);
      return;
    }
    const question = { key, host, options, callbacks: [callback] };
    this.#open.set(key, question);
    const known = this.#known.get(host);
    this.#waiting[known === undefined ? 1 : known ? 0 : 2].push(question);
    this.#next();
  };

  #next(): void {
    const [resolved, fresh, failed] = this.#waiting;
    while (resolved.length > 0 && this.#running < most.known) this.#run(resolved.shift()!, true);
    const unknown = this.#hasFailed ? most.unknownAfterFailure : most.unknown;
    while (this.#unknown < unknown && this.#running < most.known) {
      const question = fresh.shift() ?? failed.shift();
      if (question === undefined) return;
      this.#run(question, false);
    }
  }

  #run({ key, host, options, callbacks }: Question, isKnown: boolean): void {
    this.#running += 1;
    if (!isKnown) this.#unknown += 1;
    const settle: Callback = (error, address, family) => {
      this.#running -= 1;
      if (!isKnown) {
        this.#unknown -= 1;
        this.#hasFailed = error !== null;
      }
      this.#open.delete(key);
      this.#remember(host, error === null);
      for (const callback of callbacks) callback(error, address, family);
      this.#next();
    };
    try {
      this.#look(host, options, settle);
    } catch (error) {
      // Options that the host rejects, such as wrong hints.
      queueMicrotask(() => {
        settle(error as Error, '', 0);
      });
    }
  }

  #remember(host: string, hasResolved: boolean): void {
    this.#known.delete(host);
    this.#known.set(host, hasResolved);
    if (this.#known.size > memory) this.#known.delete(this.#known.keys().next().value!);
  }
}

/** One for the process, as its pool of threads is one. */
export const hostLookups: Lookups = new Lookups((host, options, callback) => {
  lookup(host, options, callback as never);
});
