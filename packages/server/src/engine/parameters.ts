import { fail } from '../errors.js';
import { toDouble } from '../value/numbers.js';
import type { Value } from '../value/value.js';
import { isNumber, typeName } from '../value/value.js';

/** Parameters that can be set while the server runs, as they are when it starts. Rule: "MongoDB Server Parameters". */
const standard: Readonly<Record<string, boolean | number>> = {
  cursorTimeoutMillis: 600_000,
  ingressConnectionEstablishmentBurstCapacitySecs: Number.MAX_VALUE,
  ingressConnectionEstablishmentMaxQueueDepth: 0,
  ingressConnectionEstablishmentRateLimiterEnabled: false,
  ingressConnectionEstablishmentRatePerSec: Number.MAX_VALUE,
  internalQueryExecMaxBlockingSortBytes: 33_554_432,
  internalQueryMaxBlockingSortMemoryUsageBytes: 104_857_600,
  logLevel: 0,
  maxTransactionLockRequestTimeoutMillis: 5,
  notablescan: false,
  quiet: false,
  requireApiVersion: false,
  traceExceptions: false,
  transactionLifetimeLimitSeconds: 60,
  ttlMonitorEnabled: true,
  ttlMonitorSleepSecs: 60,
};

/** Of these 0 makes no sense. */
const positive: ReadonlySet<string> = new Set([
  'ingressConnectionEstablishmentBurstCapacitySecs',
  'ingressConnectionEstablishmentRatePerSec',
]);

/** What `setParameter` changes, of one process. */
export class Parameters {
  readonly #values = new Map<string, boolean | number>(Object.entries(standard));

  get names(): readonly string[] {
    return [...this.#values.keys()];
  }

  get(name: string): boolean | number | undefined {
    return this.#values.get(name);
  }

  is(name: string): boolean {
    return this.#values.get(name) === true;
  }

  /** @throws RangeError for one that is no number */
  number(name: string): number {
    const value = this.#values.get(name);
    if (typeof value !== 'number') throw new RangeError(`The parameter ${name} is no number`);
    return value;
  }

  /** Returns what it was. @throws CommandError 2, 14, 72 */
  set(name: string, value: Value): boolean | number {
    const was = this.#values.get(name);
    if (was === undefined)
      throw fail('InvalidOptions', `attempted to set unrecognized parameter [${name}], use help:true to see options `);
    this.#values.set(name, typeof was === 'number' ? numberOf(name, value) : flagOf(name, value));
    return was;
  }
}

const numberOf = (name: string, value: Value): number => {
  if (!isNumber(value)) throw fail('BadValue', `Failed to set ${name}: expected a number, got ${typeName(value)}`);
  const n = toDouble(value);
  if (positive.has(name) && !(n > 0))
    throw fail('BadValue', `Invalid value for parameter ${name}: ${n} is not greater than 0`);
  if (!(n >= 0)) throw fail('BadValue', `Invalid value for parameter ${name}: ${n} is not greater than or equal to 0`);
  return n;
};

const flagOf = (name: string, value: Value): boolean => {
  if (isNumber(value)) return toDouble(value) !== 0;
  if (typeof value === 'boolean') return value;
  throw fail('BadValue', `Failed to set ${name}: expected a bool, got ${typeName(value)}`);
};
