import { shrink } from '../shrink.js';
import type { Case } from './cases.js';
import type { Found } from './fuzz.js';
import { playAll } from './fuzz.js';

/** How many runs may try fewer cases and fewer frames. Each run starts a new server. */
const attempts = { cases: 25, frames: 5 };

type Cases = readonly Case[];

/** Yields the last case alone, and then all cases without a part of the earlier ones, from large parts to small. */
function* fewerCases(cases: Cases): Generator<Cases> {
  const before = cases.length - 1;
  if (before > 0) yield cases.slice(-1);
  for (let size = Math.floor(before / 2); size >= 1; size = Math.floor(size / 2))
    for (let at = 0; at < before; at += size)
      yield [...cases.slice(0, at), ...cases.slice(Math.min(at + size, before))];
}

/** Yields all cases without one frame of the last case. */
function* fewerFrames(cases: Cases): Generator<Cases> {
  const { frames } = cases.at(-1)!;
  for (let i = frames.length - 1; i >= 0 && frames.length > 1; i--)
    yield [...cases.slice(0, -1), { frames: frames.filter((_, at) => at !== i) }];
}

/** Returns fewer cases, and fewer frames in the last case, that cause the same violation on a new server. */
export const minimize = async (found: Found): Promise<Found> => {
  let smallest = found;
  const fails = async (cases: Cases): Promise<boolean> => {
    const again = (await playAll(found.options, cases, () => true)).found;
    if (again?.violation.kind !== found.violation.kind) return false;
    smallest = again;
    return true;
  };
  const fewer = await shrink<Cases>(found.cases, fewerCases, fails, attempts.cases);
  await shrink<Cases>(fewer, fewerFrames, fails, attempts.frames);
  return smallest;
};
