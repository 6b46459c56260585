/** `npm run fixtures`: fills the cache of official fixtures, and counts them. */
import { writeTally } from '@tessera-tools/house';
import { readFixtures, suiteNames } from '../fixtures.js';
import { fillCache } from './cache.js';
import { Unreachable } from './registry.js';

const title = 'official fixtures';

const message = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** How many files there are of each source. */
const counts = (): ReadonlyMap<string, number> => {
  const all = new Map<string, number>();
  for (const { from = 'unknown' } of suiteNames().flatMap(suite => readFixtures(suite) ?? []))
    all.set(from, (all.get(from) ?? 0) + 1);
  return all;
};

try {
  await fillCache(line => process.stderr.write(`${line}\n`));
  writeTally({ passed: 1, failed: [], skipped: [] });
} catch (error) {
  const note = { title, reason: message(error) };
  const isAway = error instanceof Unreachable;
  writeTally({ passed: 0, failed: isAway ? [] : [note], skipped: isAway ? [note] : [] });
  process.stderr.write(`${note.reason}\n`);
  process.exitCode = isAway ? 0 : 1;
}
for (const [from, count] of counts()) process.stdout.write(`${count} files of fixtures from ${from}\n`);
