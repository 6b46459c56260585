import type { Outcome } from '../outcome.js';
import type { Pair } from '../rule.js';
import { mapped, untypedNumber } from '../traits.js';
import type { Tree } from '../tree.js';
import { isArray } from '../tree.js';

/** Python's equality: false is 0, true is 1, and a Decimal128 is an object of its own. */
export const asPython = (tree: Tree): Tree =>
  untypedNumber(typeof tree === 'boolean' ? { $numberInt: String(Number(tree)) } : tree);

/** Whether the sets are the same if equal values of Python are one. */
export const pythonKeeps = ({ ours, theirs }: Pair): boolean => {
  const set = (outcome: Outcome): string =>
    outcome.kind === 'done' && isArray(outcome.result)
      ? [...new Set(outcome.result.map(value => JSON.stringify(mapped(value, asPython))))].sort().join()
      : '';
  return set(ours) !== '' && set(ours) === set(theirs);
};
