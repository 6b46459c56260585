/** Runs random programs for a while, or one program again. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { print } from '@tessera-tools/house';
import type { Note, Tally } from '@tessera-tools/house';
import { drawProgram } from './draw.js';
import { shrink } from '../shrink.js';
import type { Program } from './program.js';
import { textOf } from './program.js';
import type { Runner } from './runner.js';
import { createRunner } from './runner.js';
import { startServers } from './servers.js';
import { simpler } from './simpler.js';
import type { Violation } from './verdict.js';

export const driver: string = import.meta.resolve('@tessera/mongodb');
const mostFailures = 10;
const mostRuns = 40;

const describe = (program: Program, { kind, what }: Violation, file: string): void => {
  print(`${kind}: ${what}`);
  print(textOf(program).replaceAll(/^/gm, '  '));
  print(`npm run rough -- --replay ${file}`);
};

/** Returns a violation if the program fails twice in the same way, so that noise of a busy machine does not count. */
export const violationOf = async (runner: Runner, program: Program): Promise<Violation | undefined> => {
  const [first] = (await runner.run(program)).violations;
  if (first === undefined) return undefined;
  return (await runner.run(program)).violations.find(({ kind }) => kind === first.kind);
};

const report = async (runner: Runner, seed: number, program: Program, violation: Violation): Promise<Note> => {
  const fails = async (candidate: Program): Promise<boolean> =>
    (await runner.run(candidate)).violations.some(({ kind }) => kind === violation.kind);
  print(`seed ${seed}: ${violation.kind}: ${violation.what.split('\n', 1)[0]!}; shrinking`);
  const smallest = await shrink(program, simpler, fails, mostRuns);
  mkdirSync('.cache/rough', { recursive: true });
  const file = `.cache/rough/seed-${seed}.json`;
  writeFileSync(file, JSON.stringify(smallest));
  describe(smallest, violation, file);
  return { title: `rough, seed ${seed}`, reason: `${violation.kind}: ${violation.what.split('\n', 2).join(' ')}` };
};

export const run = async (seed: number, milliseconds: number): Promise<Tally> => {
  await using servers = await startServers();
  const runner = createRunner(servers, { driver });
  const failed: Note[] = [];
  const start = performance.now();
  let reportedAt = start;
  let played = 0;
  while (performance.now() - start < milliseconds && failed.length < mostFailures) {
    const at = seed + played;
    const program = drawProgram(at);
    const violation = await violationOf(runner, program);
    played += 1;
    if (violation !== undefined) failed.push(await report(runner, at, program, violation));
    if (performance.now() - reportedAt < 10_000) continue;
    reportedAt = performance.now();
    print(`${played} programs, ${failed.length} failed, ${Math.round((reportedAt - start) / 1000)} s`);
  }
  runner.close();
  print(`${played - failed.length} programs passed, ${failed.length} failed`);
  return { passed: played - failed.length, failed, skipped: [] };
};

export const replay = async (file: string): Promise<Tally> => {
  await using servers = await startServers();
  const runner = createRunner(servers, { driver });
  const program = JSON.parse(readFileSync(file, 'utf8')) as Program;
  const { violations, outcomes } = await runner.run(program);
  runner.close();
  print(outcomes.join(', '));
  for (const violation of violations) describe(program, violation, file);
  const failed = violations.map(({ kind, what }) => ({ title: file, reason: `${kind}: ${what}` }));
  return { passed: violations.length === 0 ? 1 : 0, failed, skipped: [] };
};
