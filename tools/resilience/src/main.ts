import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { line, putContent, sum, writeTally } from '@tessera-tools/house';
import type { Tally } from '@tessera-tools/house';
import { draw } from './drawing.js';
import { checksOf, findingsOf } from './findings.js';
import { measure } from './measure.js';
import type { Measured } from './measure.js';
import { onSockets, simulated } from './place.js';
import { textOf } from './table.js';

const usage = `npm run resilience -- [options]      what ways to retry make of an increment under faults
  --counters N   so many for each way and fault, 1000 unless it is said
  --seed N       of what befalls them, 1 unless it is said
  --write        puts the table into docs/resilience.md and its picture into docs/resilience.svg
  --short        what npm test runs: 20 counters
`;

const numberOf = (name: string, text: string): number => {
  if (!/^\d+$/.test(text) || Number(text) > 1_000_000)
    throw new Error(`--${name} takes a whole number, not "${text}".`);
  return Number(text);
};

const say = (text: string): void => void process.stdout.write(`${text}\n`);

const docs = (name: string): string => fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url));

const tallyOf = (measured: Measured): Tally => {
  const failed = findingsOf(measured);
  return { passed: checksOf(measured) - failed.length, failed, skipped: [] };
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      counters: { type: 'string' },
      seed: { type: 'string', default: '1' },
      write: { type: 'boolean', default: false },
      short: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    say(usage);
    return 0;
  }
  const counters = numberOf('counters', values.counters ?? (values.short ? '20' : '1000'));
  const seed = numberOf('seed', values.seed);
  const inWorld = await measure(simulated(seed), counters, seed);
  say(`${textOf(inWorld)}\n`);
  if (values.write) {
    writeFileSync(docs('resilience.svg'), draw(inWorld));
    putContent(docs('resilience.md'), 'resilience', `\`\`\`text\n${textOf(inWorld)}\n\`\`\``);
  }
  const real = await measure(onSockets, counters, seed);
  say(`${textOf(real)}\n`);
  const tally = sum([inWorld, real].map(tallyOf));
  for (const { title, reason } of tally.failed) say(`${title}: ${reason}`);
  writeTally(tally);
  say(line(tally));
  return tally.failed.length === 0 ? 0 : 1;
};

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
