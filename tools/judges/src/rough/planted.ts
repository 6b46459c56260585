/** Proves that random programs find bugs. Plants one fault at a time and searches for a program that fails. */
import { print } from '@tessera-tools/house';
import type { Note, Tally } from '@tessera-tools/house';
import { drawProgram } from './draw.js';
import { plant, readFaults } from './plant.js';
import type { Fault } from './plant.js';
import { textOf } from './program.js';
import { driver, violationOf } from './run.js';
import { createRunner } from './runner.js';
import type { Servers } from './servers.js';
import { startServers } from './servers.js';

interface Search {
  readonly servers: Servers;
  readonly seed: number;
  readonly milliseconds: number;
  readonly fault: Fault;
  /** Arguments of Node.js that plant the fault. */
  readonly execArgv: readonly string[];
}

/**
 * Returns the number of programs until one fails twice with the fault and does not fail without it. Undefined if the
 * time is up first.
 */
const search = async ({ servers, seed, milliseconds, fault, execArgv }: Search): Promise<number | undefined> => {
  const faulty = createRunner(servers, { driver, execArgv });
  const whole = createRunner(servers, { driver });
  const start = performance.now();
  try {
    for (let played = 0; performance.now() - start < milliseconds; played++) {
      const program = drawProgram(seed + played);
      const violation = await violationOf(faulty, program);
      if (violation === undefined || !fault.violations.includes(violation.kind)) continue;
      const { violations } = await whole.run(program);
      if (violations.some(({ kind }) => kind === violation.kind)) continue;
      print(`  ${violation.kind}: ${violation.what.split('\n', 1)[0]!}`);
      print(textOf(program).replaceAll(/^/gm, '    '));
      return played + 1;
    }
    return undefined;
  } finally {
    faulty.close();
    whole.close();
  }
};

const find = async (options: Search): Promise<Note | undefined> => {
  const { fault } = options;
  const start = performance.now();
  print(fault.title);
  const programs = await search(options);
  const seconds = Math.round((performance.now() - start) / 1000);
  print(programs === undefined ? `  MISSED in ${seconds} s` : `  found by program ${programs}, in ${seconds} s`);
  return programs === undefined
    ? { title: fault.title, reason: `no program of ${seconds} s failed with the fault planted` }
    : undefined;
};

export const runPlanted = async (seed: number, milliseconds: number, part: string): Promise<Tally> => {
  await using servers = await startServers();
  const faults = (await readFaults()).filter(({ title }) => title.includes(part));
  const failed: Note[] = [];
  for (const [number, fault] of faults.entries()) {
    const missed = await find({ servers, seed, milliseconds, fault, execArgv: plant(fault, number) });
    if (missed !== undefined) failed.push(missed);
  }
  print(`${faults.length - failed.length} of ${faults.length} faults were found.`);
  return { passed: faults.length - failed.length, failed, skipped: [] };
};
