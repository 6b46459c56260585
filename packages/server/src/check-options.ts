import type { ServerOptions } from './server-options.js';

/** The types that the value of an option may have, as `typeof` returns them; `list` for an array. */
export type OptionType = readonly ('boolean' | 'function' | 'list' | 'number' | 'object' | 'string')[];

/** The types of the options of `T`. */
export type OptionTypes<T> = Readonly<Record<keyof T, OptionType>>;

/** The types of the options of {@link createServer}. */
export const serverOptionTypes: OptionTypes<ServerOptions> = {
  version: ['string'],
  parameters: ['object'],
  testCommands: ['boolean'],
  replicaSet: ['string'],
  auth: ['boolean'],
  users: ['list'],
  journalInterval: ['number'],
  data: ['object'],
  oplogSizeMB: ['number'],
  memoryLimitMB: ['number'],
  maxIncomingConnections: ['number'],
  capacity: ['object'],
  search: ['boolean', 'object'],
};

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value);

/**
 * Checks the names and types of options, and returns the options that are not undefined.
 * @param caller the function that takes the options, for the message
 * @throws TypeError for an unknown option, and for a value of another type
 */
export const checkOptions = <T extends object>(
  caller: string,
  options: T,
  types: Readonly<Record<string, OptionType>>,
): T => {
  for (const [name, value] of Object.entries(options)) {
    const allowed = Object.hasOwn(types, name) ? types[name] : undefined;
    if (allowed === undefined)
      throw new TypeError(`${caller} has no option "${name}". Its options are ${Object.keys(types).join(', ')}.`);
    const type = typeOf(value);
    if (value !== undefined && !allowed.some(one => one === type))
      throw new TypeError(
        `The option "${name}" of ${caller} must have the type ${allowed.join(' or ')}, but has the type ${type}.`,
      );
  }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
};
