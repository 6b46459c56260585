import { parseArgs } from 'node:util';
import { measureServers } from './measure.js';
import type { Subject } from './subject.js';
import { startEmbedded, startOther } from './subject.js';
import { tableOf } from './table.js';

const usage = `Usage: npm run bench -- server [--rounds N] [--only TEXT]

Measures the embedded server beside mongo-java-server, in one run in which they take turns: CPU time of the server per operation,
operations per second at the client, and the rate as a multiple of the other's. Linux only.

  --rounds N   rounds of a second each, per row (default 5)
  --only TEXT  only rows whose title has the text
`;

/** @throws Error for options that it does not know, and where mongo-java-server cannot be had. */
export const benchServers = async (args: readonly string[]): Promise<void> => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '5' },
      only: { type: 'string', default: '' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    process.stdout.write(usage);
    return;
  }
  const subjects: Subject[] = [];
  try {
    subjects.push(await startEmbedded(), await startOther('mongo-java-server'));
    const measured = await measureServers(subjects, { rounds: Number(values.rounds), only: values.only });
    process.stdout.write(`${tableOf(measured)}\n`);
  } finally {
    for (const subject of subjects) await subject.stop();
  }
};
