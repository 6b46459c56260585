import type { Case } from './cases.js';
import type { Found } from './fuzz.js';
import { playAll } from './fuzz.js';
import { alike } from './violation.js';

/** How often a smaller one is tried: each attempt has a server of its own. */
const attempts = 30;

/** Fewer cases, and fewer frames in the last one, that lead to the same on a new server; the same ones if fewer do not. */
export const minimize = async (found: Found): Promise<Found> => {
  let smallest = found;
  let left = attempts;
  const isEnough = async (cases: readonly Case[]): Promise<boolean> => {
    if (left <= 0) return false;
    left -= 1;
    const { found: again } = await playAll(found.options, cases, () => true);
    if (!alike(found.violation, again?.violation)) return false;
    smallest = again!;
    return true;
  };

  const last = found.cases.at(-1);
  if (last === undefined) return found;
  if (!(await isEnough([last]))) {
    for (let size = Math.ceil(found.cases.length / 2); size >= 1 && left > 4; size = Math.floor(size / 2)) {
      for (let at = 0; at < smallest.cases.length - 1 && left > 4;) {
        const fewer = [
          ...smallest.cases.slice(0, at),
          ...smallest.cases.slice(Math.min(at + size, smallest.cases.length - 1)),
        ];
        if (fewer.length === smallest.cases.length || !(await isEnough(fewer))) at += size;
      }
    }
  }
  for (let i = (smallest.cases.at(-1)?.frames.length ?? 0) - 1; i >= 0; i--) {
    const end = smallest.cases.at(-1)!;
    if (end.frames.length === 1) break;
    await isEnough([...smallest.cases.slice(0, -1), { frames: end.frames.filter((_, at) => at !== i) }]);
  }
  return smallest;
};
