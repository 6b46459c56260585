import { isDeepStrictEqual } from 'node:util';
import { conclude, print, readArguments, run, text, wholeNumber } from '@tessera-tools/house';
import type { Given } from '@tessera-tools/house';
import { median } from '../ratio.js';
import type { Documents } from './documents.js';
import { personsOf } from './documents.js';
import type { MqlRow } from './rows.js';
import { mqlRows } from './rows.js';

const usage = `npm run bench -- mql [--rounds N] [--only TEXT]

Compares @tessera/mql with mingo on the same 100,000 documents, alternating: prints the milliseconds of CPU time and the ratio of
mingo's time to ours. Fails if a row is slower than mingo or the results differ.

  --rounds N   rounds per row (default 9)
  --only TEXT  only rows whose name contains the text
`;

const size = 100_000;

/** The minimum ratio of mingo's time to ours. */
const target = 1;

const cpuMillis = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const timed = (work: () => unknown): number => {
  const start = cpuMillis();
  work();
  return cpuMillis() - start;
};

interface Measured {
  readonly row: MqlRow;
  readonly ours: number;
  readonly theirs: number;
  readonly same: boolean;
}

const measure = (row: MqlRow, documents: Documents, rounds: number): Measured => {
  const same = isDeepStrictEqual(row.ours(documents), row.theirs(documents));
  const turns = Array.from({ length: rounds }, () => ({
    ours: timed(() => row.ours(documents)),
    theirs: timed(() => row.theirs(documents)),
  }));
  return { row, same, ours: median(turns.map(({ ours }) => ours)), theirs: median(turns.map(({ theirs }) => theirs)) };
};

const width = Math.max(...mqlRows.map(({ name }) => name.length));

const shown = ({ row, ours, theirs }: Measured): string =>
  `${row.name.padEnd(width)} ${ours.toFixed(1).padStart(8)} ms ${theirs.toFixed(1).padStart(9)} ms ${(theirs / ours).toFixed(2).padStart(7)}`;

const complaint = ({ ours, theirs, same }: Measured): string | undefined => {
  if (!same) return 'The results differ.';
  const ratio = theirs / ours;
  return ratio < target
    ? `mingo takes ${ratio.toFixed(2)} times as long as mql; the target is at least ${target}.`
    : undefined;
};

const options = { rounds: wholeNumber(1), only: text };

/** Measures the rows and prints the table. A row that misses its target fails. */
export const benchMql = (args: readonly string[]): Promise<void> =>
  run(usage, words => readArguments({ options }, words), compare, args);

const compare = ({ options: { rounds = 9, only = '' } }: Given<typeof options>): number => {
  const documents = personsOf(size);
  process.stdout.write(
    `${'CPU time'.padEnd(width)} ${'mql'.padStart(11)} ${'mingo'.padStart(12)} ${'ratio'.padStart(7)}\n`,
  );
  const measured = mqlRows
    .filter(({ name }) => name.includes(only))
    .map(row => {
      const one = measure(row, documents, rounds);
      print(shown(one));
      return one;
    });
  const failed = measured.flatMap(one => {
    const reason = complaint(one);
    return reason === undefined ? [] : [{ title: `bench mql: ${one.row.name}`, reason }];
  });
  for (const { title, reason } of failed) print(`${title}: ${reason}`);
  return conclude({ passed: measured.length - failed.length, failed, skipped: [] });
};
