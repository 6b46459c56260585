import { markdownTable } from '@tessera-tools/house';
import { calls } from './calls.js';
import { connecting } from './connecting.js';
import type { Deployments, Mistake } from './mistake.js';
import { outcomeOf } from './run.js';
import type { DriverName, Outcome } from './run.js';
import { server } from './server.js';

export const groups: Readonly<Record<string, readonly Mistake[]>> = {
  Connecting: connecting,
  'Arguments and options': calls,
  'Errors of operations': server,
};

const cell = ({ error, message }: Outcome): string => {
  const code = `\`${message.replaceAll('`', "'").replaceAll(/\s+/g, ' ')}\``;
  return error === undefined ? message.replaceAll(/\s+/g, ' ') : `\`${error}\`: ${code}`;
};

const rowOf = async (mistake: Mistake, deployments: Deployments): Promise<readonly string[]> => {
  const outcome = async (driver: DriverName): Promise<string> => cell(await outcomeOf(mistake, deployments, driver));
  return [mistake.mistake, await outcome('ours'), await outcome('official'), mistake.cause, mistake.remedy];
};

/** Runs all programs with both drivers, and returns the tables of the page. */
export const tablesOf = async (deployments: Deployments): Promise<string> => {
  const tables: string[] = [];
  for (const [name, mistakes] of Object.entries(groups)) {
    const rows: (readonly string[])[] = [];
    for (const mistake of mistakes) rows.push(await rowOf(mistake, deployments));
    const head = ['mistake', 'Tessera', 'npm `mongodb` 7.9', 'cause', 'remedy'];
    tables.push(`## ${name}\n\n${markdownTable(head, rows)}`);
  }
  return tables.join('\n\n');
};
