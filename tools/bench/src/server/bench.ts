import { parseArgs } from 'node:util';
import { Unavailable } from '@tessera-tools/engines';
import type { EngineName } from '@tessera-tools/engines';
import { line, writeTally } from '@tessera-tools/tally';
import type { Note } from '@tessera-tools/tally';
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

/** The figures, and whether they are as they should be. Answers the exit code. @throws Error for options that it does not know */
export const benchServers = async (args: readonly string[]): Promise<number> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string' },
      only: { type: 'string', default: '' },
      short: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const skipped: Note[] = [];
  const subjects: Subject[] = [];
  try {
    const embedded = await startEmbedded();
    subjects.push(embedded);
    for (const name of values.short ? [] : others) {
      try {
        subjects.push(await startOther(name));
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        skipped.push({ title: `bench server, beside ${name}`, reason: error.message });
      }
    }
    const plan = values.short ? short : { ...full, only: values.only };
    const rounds = values.rounds === undefined ? plan.rounds : Number(values.rounds);
    const measured = await measureServers(embedded, subjects.slice(1), { ...plan, rounds });
    const names = subjects.map(({ name }) => name);
    process.stdout.write(`${tableOf(measured, names)}\n\n`);
    const findings = findingsOf(measured);
    for (const { title, met, said } of findings)
      process.stdout.write(`${met ? 'met' : 'MISSED'}: ${title}: ${said}.\n`);
    const failed = findings
      .filter(({ met }) => !met)
      .map(({ title, said }) => ({ title: `bench server: ${title}`, reason: said }));
    const tally = { passed: findings.length - failed.length, failed, skipped };
    writeTally(tally);
    process.stdout.write(`${line(tally)}\n`);
    return failed.length > 0 ? 1 : 0;
  } finally {
    for (const subject of subjects) await subject.stop();
  }
};
