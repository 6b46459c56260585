import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import { footprint, maxHeld } from '../work/footprint.js';
import type { Paced, Pieces } from '../work/pause.js';
import { pause } from '../work/pause.js';

/** mongod would spill to disk for some of these stages. */
const tooMuchHeld = (name: string): Error =>
  fail(
    'QueryExceededMemoryLimitNoDiskUseAllowed',
    `${name} exceeded memory limit of ${maxHeld} bytes, but there is no disk to spill to.`,
  );

/**
 * Collects all documents of a stage's input.
 * @throws CommandError 292 if they exceed the memory limit
 */
export const heldDocuments = function* (docs: Paced<Doc>, name: string): Pieces<Doc[]> {
  const all: Doc[] = [];
  let held = 0;
  for (const doc of docs) {
    if (doc === pause) {
      yield pause;
      continue;
    }
    all.push(doc);
    held += footprint(doc);
    if (held > maxHeld) throw tooMuchHeld(name);
  }
  return all;
};
