/** Converts the arguments of operations to the options of the driver. Rule: "Special Handling for Arguments". */
import { ReadPreference } from '@tessera/client';
import type { Document, HedgeOptions, ReadPreferenceMode, TagSet } from '@tessera/contracts';
import { checkNames, RunnerError } from './names.js';

/** Rule: "commonOptions_readPreference". */
const readPreference = (given: Document): ReadPreference => {
  checkNames('a read preference', given, ['mode', 'tagSets', 'maxStalenessSeconds', 'hedge']);
  const { mode, tagSets, maxStalenessSeconds, hedge } = given;
  const camelled = `${(mode as string)[0]!.toLowerCase()}${(mode as string).slice(1)}`;
  return new ReadPreference(camelled as ReadPreferenceMode, tagSets as readonly TagSet[] | undefined, {
    maxStalenessSeconds: maxStalenessSeconds as number | undefined,
    hedge: hedge as HedgeOptions | undefined,
  });
};

const cursorTypes: Readonly<Record<string, Document>> = {
  nonTailable: {},
  tailable: { tailable: true },
  tailableAwait: { tailable: true, awaitData: true },
};

/**
 * Parses `returnDocument`.
 * @throws RunnerError if it is neither Before nor After. Rule: "findOneAndReplace and findOneAndUpdate".
 */
const returnDocument = (given: unknown): string => {
  const value = String(given).toLowerCase();
  if (value === 'before' || value === 'after') return value;
  throw new RunnerError(`"returnDocument" must be Before or After, not ${String(given)}.`);
};

/** Converts options to the driver's form. The caller replaces session names with sessions. */
export const optionsOf = (given: Document = {}): Document => {
  const options: Document = { ...given };
  if (given['readPreference'] !== undefined)
    options['readPreference'] = readPreference(given['readPreference'] as Document);
  if (given['returnDocument'] !== undefined) options['returnDocument'] = returnDocument(given['returnDocument']);
  if (given['cursorType'] !== undefined) {
    const flags = cursorTypes[given['cursorType'] as string];
    if (flags === undefined) throw new RunnerError(`Unknown cursor type: ${String(given['cursorType'])}.`);
    delete options['cursorType'];
    Object.assign(options, flags);
  }
  if (given['defaultTransactionOptions'] !== undefined)
    options['defaultTransactionOptions'] = optionsOf(given['defaultTransactionOptions'] as Document);
  return options;
};
