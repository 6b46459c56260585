import type { LookupFunction } from 'node:net';
import { dns } from './builtin.js';

type Options = Parameters<LookupFunction>[1];
type Callback = Parameters<LookupFunction>[2];

/** A name whose lookup is running or waiting, and the callbacks that wait for it. */
interface Question {
  readonly key: string;
  readonly host: string;
  readonly options: Options;
  readonly callbacks: Callback[];
}

/**
 * The maximum number of parallel lookups. Node.js looks up names on its thread pool, by default at most two at once in
 * the whole process.
 */
const most = { known: 4, unknown: 2, unknownAfterFailure: 1 };
/** How many names are remembered. */
const memory = 1_000;

/**
 * Limits how many host names are looked up in parallel, and sets their order. A server can name hundreds of hosts that
 * cannot be resolved. Without a limit, their lookups would occupy the threads that the whole process uses for lookups.
 *
 * Names that resolved the last time go first and have places of their own. Names that failed the last time go last.
 * Names that have not resolved before take at most two places, and only one after such a lookup has failed. Equal
 * lookups share one result.
 */
export class Lookups {
  readonly #look: LookupFunction;
  /** Whether each name resolved the last time. */
  readonly #known = new Map<string, boolean>();
  readonly #open = new Map<string, Question>();
  /** The queues: names that resolved the last time, new names, and names that failed. */
  readonly #waiting: readonly [Question[], Question[], Question[]] = [[], [], []];
  #running = 0;
  #unknown = 0;
  /** Whether the last lookup of a name that had not resolved before failed. */
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
      // The host rejected the options, such as wrong hints.
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

/** The lookups of the process, which share its thread pool. */
export const hostLookups: Lookups = new Lookups((host, options, callback) => {
  dns().lookup(host, options, callback as never);
});
