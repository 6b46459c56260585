import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { line, putContent, writeTally } from '@tessera-tools/house';
import type { Tally } from '@tessera-tools/house';
import { figuresOf } from './figures.js';
import { findingsOf } from './findings.js';
import { readParameters } from './parameters.js';
import { policies } from './policies.js';
import { draw, textOf } from './report.js';
import type { Ran } from './report.js';
import { run } from './run.js';

const usage = `npm run overload -- [options]      a thousand clients and a server that has too much to do, for each retry policy
  --policy NAME   this one alone
  --seed N        another seed than that of tools/overload/parameters.json
  --write         puts the table into docs/backpressure.md and its picture into docs/overload.svg
  --short         what npm test runs: a hundred clients, the default and no retries
`;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const docs = (name: string): string => fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url));

/** Nobody reads the stacks of so many errors, and each costs. */
Error.stackTraceLimit = 0;

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      policy: { type: 'string' },
      seed: { type: 'string' },
      write: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    say(usage);
    return 0;
  }
  const seed = values.seed === undefined ? {} : { seed: Number(values.seed) };
  const parameters = { ...readParameters(), ...seed, ...(values.short ? { clients: 100, seconds: 95 } : {}) };
  const named = values.policy === undefined ? policies : policies.filter(({ name }) => name === values.policy);
  if (named.length === 0)
    throw new Error(`There is no policy "${String(values.policy)}": ${policies.map(({ name }) => name).join(', ')}.`);
  const chosen = values.short ? named.filter(({ name }) => name === 'no retries' || name === 'the default') : named;
  const ran: Ran[] = [];
  for (const policy of chosen) {
    const seconds = await run(policy, parameters);
    ran.push({ policy, seconds, figures: figuresOf(seconds, parameters) });
  }
  say(textOf(ran, parameters));
  if (values.write) {
    putContent(docs('backpressure.md'), 'overload', `\`\`\`text\n${textOf(ran, parameters)}\n\`\`\``);
    writeFileSync(docs('overload.svg'), draw(ran, parameters));
  }
  const failed = findingsOf(ran);
  const tally: Tally = { passed: ran.length - failed.length, failed, skipped: [] };
  for (const { title, reason } of failed) say(`${title}: ${reason}`);
  writeTally(tally);
  say(line(tally));
  return failed.length === 0 ? 0 : 1;
};

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
