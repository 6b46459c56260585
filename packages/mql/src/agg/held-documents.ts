import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import { footprint, mostHeld } from '../work/footprint.js';
import type { Paced, Pieces } from '../work/pause.js';
import { pause } from '../work/pause.js';

/** Some stages of a mongod would go on with a disk. */
const tooMuchHeld = (name: string): Error =>
  fail(
    'QueryExceededMemoryLimitNoDiskUseAllowed',
    `${name} exceeded memory limit of ${mostHeld} bytes, but there is no disk to spill to.`,
  );

/** All documents of a stage's input, as far as there is memory for them. @throws CommandError 292 */
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
    if (held > mostHeld) throw tooMuchHeld(name);
  }
  return all;
};
