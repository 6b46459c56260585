import type { Since, Value, Version } from '@tessera/mql/engine';
import { CommandError, double, fail, isAtLeast, isNumber, toDouble, typeName } from '@tessera/mql/engine';

type Setting = boolean | number;

interface Parameter {
  readonly type: 'bool' | 'int' | 'long' | 'double';
  /** The default. */
  readonly standard: Setting;
  readonly above?: number;
  readonly atLeast?: number;
  readonly since?: Since;
  readonly until?: Since;
  /** Set if the parameter cannot be changed at runtime. */
  readonly isFixed?: true;
}

const limitless = Number.MAX_VALUE;

/**
 * The parameters of a server. Most can be changed at runtime. Some are stored without effect, because this server has
 * no log (`logLevel`, `quiet`, `traceExceptions`) and no locks (`maxTransactionLockRequestTimeoutMillis`). Rule:
 * "MongoDB Server Parameters".
 */
const known: Readonly<Record<string, Parameter>> = {
  allowDiskUseByDefault: { type: 'bool', standard: true, since: '6.0' },
  clientCursorMonitorFrequencySecs: { type: 'int', standard: 4, atLeast: 1 },
  cursorTimeoutMillis: { type: 'long', standard: 600_000 },
  ingressConnectionEstablishmentBurstCapacitySecs: { type: 'double', standard: limitless, above: 0, since: '8.2' },
  ingressConnectionEstablishmentMaxQueueDepth: { type: 'int', standard: 0, atLeast: 0, since: '8.2' },
  ingressConnectionEstablishmentRateLimiterEnabled: { type: 'bool', standard: false, since: '8.2' },
  ingressConnectionEstablishmentRatePerSec: { type: 'double', standard: limitless, above: 0, since: '8.2' },
  internalDocumentSourceGroupMaxMemoryBytes: { type: 'long', standard: 104_857_600, above: 0 },
  internalQueryExecMaxBlockingSortBytes: { type: 'int', standard: 33_554_432, atLeast: 0, until: '4.4' },
  internalQueryMaxBlockingSortMemoryUsageBytes: { type: 'long', standard: 104_857_600, atLeast: 0, since: '4.4' },
  logLevel: { type: 'int', standard: 0, atLeast: 0 },
  maxTransactionLockRequestTimeoutMillis: { type: 'int', standard: 5 },
  periodicNoopIntervalSecs: { type: 'int', standard: 10, atLeast: 1, isFixed: true },
  quiet: { type: 'bool', standard: false },
  requireApiVersion: { type: 'bool', standard: false, since: '5.0' },
  traceExceptions: { type: 'bool', standard: false },
  transactionLifetimeLimitSeconds: { type: 'int', standard: 60, atLeast: 1 },
  ttlMonitorEnabled: { type: 'bool', standard: true },
  ttlMonitorSleepSecs: { type: 'int', standard: 60, above: 0 },
  writePeriodicNoops: { type: 'bool', standard: true, isFixed: true },
};

/** The parameters of one process: initial values, and changes by `setParameter`. */
export class Parameters {
  readonly #known: ReadonlyMap<string, Parameter>;
  readonly #atStart: ReadonlyMap<string, Setting>;
  readonly #listeners = new Map<string, () => void>();
  #values: Map<string, Setting>;

  /** @throws RangeError for an unknown parameter or an invalid value */
  constructor(version: Version, given: Readonly<Record<string, Setting>>) {
    const isKnown = ({ since, until }: Parameter): boolean =>
      (since === undefined || isAtLeast(version, since)) && (until === undefined || !isAtLeast(version, until));
    this.#known = new Map(Object.entries(known).filter(([, parameter]) => isKnown(parameter)));
    const atStart = new Map([...this.#known].map(([name, { standard }]) => [name, standard]));
    for (const [name, value] of Object.entries(given)) atStart.set(name, this.#given(name, value, version));
    this.#atStart = atStart;
    this.#values = new Map(atStart);
  }

  #given(name: string, value: Setting, { text }: Version): Setting {
    const parameter = this.#known.get(name);
    if (parameter === undefined)
      throw new RangeError(
        `"parameters" contains "${name}", which is not a parameter of version ${text} that this server supports.`,
      );
    try {
      return settingOf(name, parameter, typeof value === 'number' ? double(value) : value);
    } catch (error) {
      throw error instanceof CommandError ? new RangeError(error.message) : error;
    }
  }

  get names(): readonly string[] {
    return [...this.#known.keys()];
  }

  isFixed(name: string): boolean {
    return this.#known.get(name)?.isFixed === true;
  }

  /** Returns the value with the parameter's BSON type. */
  get(name: string): Value | undefined {
    const value = this.#values.get(name);
    return value === undefined ? undefined : typedAs(this.#known.get(name)!, value);
  }

  is(name: string): boolean {
    return this.#values.get(name) === true;
  }

  /** Returns a numeric parameter. @throws RangeError if it is not numeric, or the version does not have it */
  number(name: string): number {
    const value = this.#values.get(name);
    if (typeof value !== 'number') throw new RangeError(`The parameter "${name}" is not a number.`);
    return value;
  }

  /** Sets a parameter and returns the previous value. @throws CommandError 2, 72 */
  set(name: string, value: Value): Value {
    const parameter = this.#known.get(name);
    const was = this.get(name);
    if (parameter === undefined || was === undefined) throw unrecognized(name);
    this.#values.set(name, settingOf(name, parameter, value));
    this.#listeners.get(name)?.();
    return was;
  }

  /** Calls `listener` whenever the parameter is set. A parameter has at most one listener. */
  onSet(name: string, listener: () => void): void {
    this.#listeners.set(name, listener);
  }

  /** Restores the initial values, for a new process. */
  reset(): void {
    this.#values = new Map(this.#atStart);
  }
}

export const unrecognized = (name: string): CommandError =>
  fail('InvalidOptions', `attempted to set unrecognized parameter [${name}], use help:true to see options `);

const typedAs = ({ type }: Parameter, value: Setting): Value => {
  if (typeof value === 'boolean') return value;
  switch (type) {
    case 'long':
      return BigInt(value);
    case 'double':
      return double(value);
    case 'int':
    case 'bool':
      return value;
  }
};

const settingOf = (name: string, parameter: Parameter, value: Value): Setting =>
  parameter.type === 'bool' ? flagOf(name, value) : numberOf(name, parameter, value);

const numberOf = (name: string, { type, above, atLeast }: Parameter, value: Value): number => {
  if (!isNumber(value)) throw fail('BadValue', `Failed to set ${name}: expected a number, got ${typeName(value)}`);
  // Truncate before checking the bounds.
  const n = type === 'double' ? toDouble(value) : Math.trunc(toDouble(value)) + 0;
  const wrong = (rule: string): Error => fail('BadValue', `Invalid value for parameter ${name}: ${n} is not ${rule}`);
  if (above !== undefined && !(n > above)) throw wrong(`greater than ${above}`);
  if (atLeast !== undefined && !(n >= atLeast)) throw wrong(`greater than or equal to ${atLeast}`);
  if (type === 'double') return n;
  const most = type === 'int' ? 2_147_483_647 : Number.MAX_SAFE_INTEGER;
  if (!(Math.abs(n) <= most)) throw wrong(`a number of type ${type}`);
  return n;
};

const flagOf = (name: string, value: Value): boolean => {
  if (isNumber(value)) return toDouble(value) !== 0;
  if (typeof value === 'boolean') return value;
  throw fail('BadValue', `Failed to set ${name}: expected a bool, got ${typeName(value)}`);
};
