import { Unavailable } from '@tessera-tools/judges';
import type { EngineName } from '@tessera-tools/judges';
import { conclude, flag, print, readArguments, run, text, wholeNumber } from '@tessera-tools/house';
import type { Given, Note } from '@tessera-tools/house';
import type { MeasureOptions } from './measure.js';
import { measureServers } from './measure.js';
import type { Subject } from './subject.js';
import { startEmbedded, startOther } from './subject.js';
import { tableOf } from './table.js';
import { findingsOf } from './targets.js';

const usage = `npm run bench -- server [--rounds N] [--only TEXT] [--short]

Compares the embedded server with mongo-java-server and SecantusDB, alternating. Prints the server's CPU time per operation,
operations per second as seen by a minimal client, and the ratio of the embedded server's rate to another server's. Fails if a
figure misses its target (tools/bench/src/server/targets.ts). Linux only.

  --rounds N   rounds of one second per row (default 5)
  --only TEXT  only rows whose title contains the text, and those of the embedded server alone
  --short      only the rows of the embedded server alone, with fewer documents, in 15 seconds
`;

const others: readonly EngineName[] = ['mongo-java-server', 'secantusdb'];

const full: MeasureOptions = {
  sizes: { few: 1_000, plain: 100_000, many: 1_000_000, durable: 1_000_000 },
  rounds: 5,
  roundMilliseconds: 1_000,
  only: '',
  onRow: title => process.stderr.write(`${title} …\n`),
};

/** Omits the rates, which are meaningful only beside another server. */
const short: MeasureOptions = {
  ...full,
  sizes: { ...full.sizes, many: 200_000, durable: 100_000 },
  rounds: 4,
  roundMilliseconds: 400,
  only: 'none',
};

const options = { rounds: wholeNumber(1), only: text, short: flag };

/** Measures the servers and prints the figures and whether they meet their targets. */
export const benchServers = (args: readonly string[]): Promise<void> =>
  run(usage, words => readArguments({ options }, words), compare, args);

const compare = async ({ options: chosen }: Given<typeof options>): Promise<number> => {
  const skipped: Note[] = [];
  const subjects: Subject[] = [];
  try {
    const embedded = await startEmbedded();
    subjects.push(embedded);
    for (const name of chosen.short ? [] : others) {
      try {
        subjects.push(await startOther(name));
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        skipped.push({ title: `bench server, compared with ${name}`, reason: error.message });
      }
    }
    const plan = chosen.short ? short : { ...full, only: chosen.only ?? '' };
    const { rounds = plan.rounds } = chosen;
    const measured = await measureServers(embedded, subjects.slice(1), { ...plan, rounds });
    const names = subjects.map(({ name }) => name);
    process.stdout.write(`${tableOf(measured, names)}\n\n`);
    const findings = findingsOf(measured);
    for (const { title, met, text: found } of findings) print(`${met ? 'met' : 'MISSED'}: ${title}: ${found}.`);
    const failed = findings
      .filter(({ met }) => !met)
      .map(({ title, text: reason }) => ({ title: `bench server: ${title}`, reason }));
    return conclude({ passed: findings.length - failed.length, failed, skipped });
  } finally {
    for (const subject of subjects) await subject.stop();
  }
};
