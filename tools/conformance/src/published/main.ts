/** `npm run fixtures`: fills the cache of official fixtures and prints how many each source provides. */
import { countEach, messageOf, print, writeTally } from '@tessera-tools/house';
import { readFixtures, suiteNames } from '../fixtures.js';
import { fillCache } from './cache.js';
import { Unreachable } from './registry.js';

const title = 'official fixtures';

/** Returns the number of files from each source. */
const counts = (): ReadonlyMap<string, number> => {
  const files = suiteNames().flatMap(suite => readFixtures(suite) ?? []);
  return countEach(files.map(({ from = 'unknown' }) => from));
};

try {
  await fillCache(line => process.stderr.write(`${line}\n`));
  writeTally({ passed: 1, failed: [], skipped: [] });
} catch (error) {
  const note = { title, reason: messageOf(error) };
  const isUnreachable = error instanceof Unreachable;
  writeTally({ passed: 0, failed: isUnreachable ? [] : [note], skipped: isUnreachable ? [note] : [] });
  process.stderr.write(`${note.reason}\n`);
  process.exitCode = isUnreachable ? 0 : 1;
}
for (const [from, count] of counts()) print(`${count} files of fixtures from ${from}`);
