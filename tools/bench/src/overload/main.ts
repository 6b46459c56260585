import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conclude, flag, oneOf, print, putContent, readArguments, root, run, wholeNumber } from '@tessera-tools/house';
import type { Given } from '@tessera-tools/house';
import { figuresOf } from './figures.js';
import { findingsOf } from './findings.js';
import { readParameters } from './parameters.js';
import { policies } from './policies.js';
import { draw, textOf } from './report.js';
import type { Ran } from './report.js';
import { runPolicy } from './run.js';

const usage = `npm run overload -- [options]      simulates 1,000 clients with one overloaded server, for each retry policy
  --policy NAME   runs only this policy
  --seed N        uses this seed instead of the one in tools/bench/src/overload/parameters.json
  --write         writes the table to docs/backpressure.md and the charts to docs/overload.svg
  --short         runs what npm test runs: one minute with 100 clients, the default policy and no retries
`;

const options = { policy: oneOf(policies.map(({ name }) => name)), seed: wholeNumber(), write: flag, short: flag };

const docs = join(root, 'docs');

/** Disables stack traces, which would be slow for so many errors. */
Error.stackTraceLimit = 0;

const measure = async ({ options: { policy: name, seed, write, short } }: Given<typeof options>): Promise<number> => {
  const shorter = short ? { clients: 100, seconds: 60, overloadFrom: 10, overloadTo: 40 } : {};
  const parameters = { ...readParameters(), ...(seed === undefined ? {} : { seed }), ...shorter };
  const names = name === undefined ? (short ? ['no retries', 'the default'] : undefined) : [name];
  const ran: Ran[] = [];
  for (const policy of policies.filter(each => names?.includes(each.name) ?? true)) {
    const seconds = await runPolicy(policy, parameters);
    ran.push({ policy, seconds, figures: figuresOf(seconds, parameters) });
  }
  const table = textOf(ran, parameters);
  print(table);
  if (write) {
    putContent(join(docs, 'backpressure.md'), 'overload', `\`\`\`text\n${table}\n\`\`\``);
    writeFileSync(join(docs, 'overload.svg'), draw(ran, parameters));
  }
  const failed = findingsOf(ran);
  for (const { title, reason } of failed) print(`${title}: ${reason}`);
  return conclude({ passed: ran.length - failed.length, failed, skipped: [] });
};

await run(usage, given => readArguments({ options }, given), measure);
