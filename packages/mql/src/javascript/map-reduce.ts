import { compare, hashKey } from '../value/compare.js';
import type { Collation } from '../value/compare.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, UndefinedValue } from '../value/value.js';
import { fail } from '../errors.js';
import type { ScriptSleep } from './script-sleep.js';
import { compileScript } from './script.js';

export interface MapReduceScripts {
  readonly map: string;
  readonly reduce: string;
  readonly finalize: string | undefined;
  /** Variables that are available in all three scripts. */
  readonly scope: Doc | undefined;
}

export interface MapReduceDeps {
  readonly scriptSleep: ScriptSleep;
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
  readonly #map;
  readonly #reduce;
  readonly #finalize;
  readonly #groups = new Map<string, Group>();

  constructor({ map, reduce, finalize, scope }: MapReduceScripts, deps: MapReduceDeps) {
    this.#deps = deps;
    const { scriptSleep } = deps;
    this.#map = compileScript(map, { scope, scriptSleep, emit: given => this.#emit(given) });
    this.#reduce = compileScript(reduce, { scope, scriptSleep });
    this.#finalize = finalize === undefined ? undefined : compileScript(finalize, { scope, scriptSleep });
  }

  #emit(given: readonly Value[]): void {
    if (given.length !== 2) throw fail(31220, 'emit takes 2 args');
    this.counts.emit += 1;
    const [emitted, value] = given as readonly [Value, Value];
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
    const value = this.#reduce.value({ self: Doc.EMPTY, given: [key, values] });
    if (this.#deps.isOld && isArray(value)) throw fail(10075, 'reduce -> multiple not supported yet');
    return value;
  }

  /**
   * Finalizes a value.
   * @throws CommandError 139 if the script fails
   */
  finalized(key: Value, value: Value): Value {
    return this.#finalize === undefined ? value : this.#finalize.value({ self: Doc.EMPTY, given: [key, value] });
  }

  /**
   * Returns `{ _id: key, value }` for every key, in the order of the keys.
   * @throws CommandError 139, 31220
   */
  run(docs: Iterable<Doc>): readonly Doc[] {
    for (const doc of docs) {
      this.counts.input += 1;
      this.#map.value({ self: doc });
    }
    const groups = [...this.#groups.values()].sort((a, b) => compare(a.key, b.key, this.#deps.collation));
    this.counts.output = groups.length;
    return groups.map(({ key, values }) => {
      const value = values.length === 1 ? values[0]! : this.reduced(key, values);
      return Doc.of([
        ['_id', key],
        ['value', this.finalized(key, value)],
      ]);
    });
  }
}
