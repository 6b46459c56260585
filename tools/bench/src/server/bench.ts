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

Measures the embedded server beside mongo-java-server and SecantusDB, in one run in which they take turns: CPU time of the server
per operation, operations per second at a client that does next to nothing itself, and how many times another server's rate the
embedded server's is. Fails when a figure misses its target (tools/bench/src/server/targets.ts). Linux only.

  --rounds N   rounds of a second each, per row (default 5)
  --only TEXT  only rows whose title has the text, and those of size and memory
  --short      the embedded server alone, in ten seconds: what size and memory cost
`;

const others: readonly EngineName[] = ['mongo-java-server', 'secantusdb'];

const full: MeasureOptions = {
  sizes: { few: 1_000, plain: 100_000, many: 1_000_000 },
  rounds: 5,
  roundMilliseconds: 1_000,
  only: '',
  onRow: title => process.stderr.write(`${title} …\n`),
};

/** No rate is asked for: there is nobody beside whom it would mean something. */
const short: MeasureOptions = { ...full, rounds: 4, roundMilliseconds: 400, only: 'none' };

const options = { rounds: wholeNumber(1), only: text, short: flag };

/** Prints the figures, and whether they meet their targets. */
export const benchServers = (args: readonly string[]): Promise<void> =>
  run(usage, words => readArguments({ options }, words), compare, args);

const compare = async ({ options: wish }: Given<typeof options>): Promise<number> => {
  const skipped: Note[] = [];
  const subjects: Subject[] = [];
  try {
    const embedded = await startEmbedded();
    subjects.push(embedded);
    for (const name of wish.short ? [] : others) {
      try {
        subjects.push(await startOther(name));
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        skipped.push({ title: `bench server, beside ${name}`, reason: error.message });
      }
    }
    const plan = wish.short ? short : { ...full, only: wish.only ?? '' };
    const { rounds = plan.rounds } = wish;
    const measured = await measureServers(embedded, subjects.slice(1), { ...plan, rounds });
    const names = subjects.map(({ name }) => name);
    process.stdout.write(`${tableOf(measured, names)}\n\n`);
    const findings = findingsOf(measured);
    for (const { title, met, said } of findings) print(`${met ? 'met' : 'MISSED'}: ${title}: ${said}.`);
    const failed = findings
      .filter(({ met }) => !met)
      .map(({ title, said }) => ({ title: `bench server: ${title}`, reason: said }));
    return conclude({ passed: findings.length - failed.length, failed, skipped });
  } finally {
    for (const subject of subjects) await subject.stop();
  }
};
