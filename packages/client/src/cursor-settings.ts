/** The values that setters of cursors accept. */
import { ReadPreference } from './concerns.js';
import type { ReadPreferenceLikeOptions } from './concerns.js';
import { MongoInvalidArgumentError } from './errors.js';
import { argument, checkArgument, isGiven, shown } from './operation-options.js';

type Effective = 'tailable' | 'noCursorTimeout' | 'awaitData';

/** A flag of `addCursorFlag`. */
export type CursorFlag = Effective | 'oplogReplay' | 'exhaust' | 'partial';

const effective: readonly CursorFlag[] = ['tailable', 'noCursorTimeout', 'awaitData'];
const flags: readonly CursorFlag[] = [...effective, 'oplogReplay', 'exhaust', 'partial'];

/**
 * Returns whether the flag changes the command.
 * @throws MongoInvalidArgumentError for an unknown flag, or a value that is not a boolean
 */
export const isEffective = (flag: CursorFlag, value: boolean): flag is Effective => {
  if (!flags.includes(flag))
    throw new MongoInvalidArgumentError(`Unknown cursor flag ${shown(flag)}. Use one of ${flags.join(', ')}.`);
  checkArgument(flag, value, argument.flag);
  return effective.includes(flag);
};

/** @throws MongoInvalidArgumentError if the value is null or undefined */
export const checkGiven = (name: string, value: unknown): void => {
  if (!isGiven(value))
    throw new MongoInvalidArgumentError(`${name}() needs a value, but is called with ${shown(value)}.`);
};

/** @throws MongoInvalidArgumentError if the read preference is missing or invalid */
export const requiredReadPreference = (given: ReadPreferenceLikeOptions['readPreference']): ReadPreference => {
  const readPreference = ReadPreference.fromOptions({ readPreference: given });
  if (readPreference !== undefined) return readPreference;
  throw new MongoInvalidArgumentError(`A read preference cannot be ${shown(given)}. Give a mode or a ReadPreference.`);
};
