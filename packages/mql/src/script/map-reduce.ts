import { compare, hashKey } from '../value/compare.js';
import type { Collation } from '../value/compare.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, UndefinedValue } from '../value/value.js';
import { fail } from '../errors.js';
import { isDue } from '../work/meter.js';
import type { Pieces } from '../work/pause.js';
import { pause } from '../work/pause.js';
import type { Scripts } from './scripts.js';
import { Program } from './scripts.js';

export interface MapReduceScripts {
  readonly map: string;
  readonly reduce: string;
  readonly finalize: string | undefined;
  /** Variables that are available in all three scripts. */
  readonly scope: Doc | undefined;
}

export interface MapReduceDeps {
  readonly scripts: Scripts;
  readonly collation: Collation | undefined;
  /** Whether to behave like servers before 4.4, where a reduced value must not be an array. */
  readonly isOld: boolean;
}

export interface Counts {
  input: number;
  emit: number;
  reduce: number;
  output: number;
}

interface Group {
  readonly key: Value;
  readonly values: Value[];
}

/**
 * A map-reduce with compiled scripts.
 * @throws CommandError 139 for an invalid script
 */
export class MapReduce {
  readonly counts: Counts = { input: 0, emit: 0, reduce: 0, output: 0 };
  readonly #deps: MapReduceDeps;
  readonly #program: Program;
  readonly #finalizes: boolean;
  readonly #groups = new Map<string, Group>();

  constructor({ map, reduce, finalize, scope }: MapReduceScripts, deps: MapReduceDeps) {
    this.#deps = deps;
    this.#finalizes = finalize !== undefined;
    const functions = { map, reduce, ...(finalize === undefined ? {} : { finalize }) };
    this.#program = new Program(deps.scripts, { functions, scope, emits: true });
    this.#program.compile();
  }

  #emit(emitted: Value, value: Value): void {
    this.counts.emit += 1;
    const key = emitted instanceof UndefinedValue ? null : emitted;
    const hash = hashKey(key, this.#deps.collation);
    const group = this.#groups.get(hash);
    if (group === undefined) this.#groups.set(hash, { key, values: [value] });
    else group.values.push(value);
  }

  /**
   * Reduces the values of one key.
   * @throws CommandError 139 if the script fails
   */
  reduced(key: Value, values: readonly Value[]): Value {
    this.counts.reduce += 1;
    const value = this.#program.call('reduce', Doc.EMPTY, [key, values]);
    if (this.#deps.isOld && isArray(value)) throw fail(10075, 'reduce -> multiple not supported yet');
    return value;
  }

  /**
   * Finalizes a value.
   * @throws CommandError 139 if the script fails
   */
  finalized(key: Value, value: Value): Value {
    return this.#finalizes ? this.#program.call('finalize', Doc.EMPTY, [key, value]) : value;
  }

  /**
   * Returns `{ _id: key, value }` for every key, in the order of the keys.
   * @throws CommandError 139, 31220
   */
  *run(docs: Iterable<Doc>): Pieces<readonly Doc[]> {
    for (const doc of docs) {
      if (isDue()) yield pause;
      this.counts.input += 1;
      const emitted = this.#program.emitted('map', doc);
      for (let i = 0; i < emitted.length; i += 2) this.#emit(emitted[i]!, emitted[i + 1]!);
    }
    const groups = [...this.#groups.values()].sort((a, b) => compare(a.key, b.key, this.#deps.collation));
    this.counts.output = groups.length;
    const results: Doc[] = [];
    for (const { key, values } of groups) {
      if (isDue()) yield pause;
      const value = values.length === 1 ? values[0]! : this.reduced(key, values);
      results.push(
        Doc.of([
          ['_id', key],
          ['value', this.finalized(key, value)],
        ]),
      );
    }
    return results;
  }
}
