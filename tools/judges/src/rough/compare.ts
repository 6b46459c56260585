/** Compares the outcomes of programs with this driver and with npm `mongodb`. */
import { join } from 'node:path';
import { print, putContent, root } from '@tessera-tools/house';
import type { Note, Tally } from '@tessera-tools/house';
import { differenceOf, isSame } from './difference.js';
import type { Difference } from './difference.js';
import { drawProgram } from './draw.js';
import type { Program } from './program.js';
import { textOf } from './program.js';
import { reasons, tableOf } from './reasons.js';
import type { Reason } from './reasons.js';
import { driver } from './run.js';
import type { Runner } from './runner.js';
import { createRunner } from './runner.js';
import { startServers } from './servers.js';

/** Replaces the SOCKS5 transport, because npm `mongodb` needs another package for it. */
const comparable = (program: Program): Program =>
  program.transport === 'socks5' ? { ...program, transport: 'plain' } : program;

const report = ({ program, here, there, text }: Difference): Note => {
  print(`${text}\n  here ${here}, npm mongodb ${there}, in`);
  print(textOf(program).replaceAll(/^/gm, '    '));
  return {
    title: text,
    reason: `here ${here}, npm mongodb ${there}: the difference has no reason in tools/judges/src/rough/reasons.ts`,
  };
};

const differenceIn = async (program: Program, ours: Runner, theirs: Runner): Promise<Difference | undefined> => {
  const once = async (): Promise<Difference | undefined> =>
    differenceOf(program, await ours.run(program), await theirs.run(program));
  const first = await once();
  // A difference that does not occur twice depends on timing and does not count.
  return first !== undefined && isSame(first, await once()) ? first : undefined;
};

/** Counts a program without difference and a difference with a reason as passed. */
export const compare = async (seed: number, programs: number): Promise<Tally> => {
  await using servers = await startServers();
  const ours = createRunner(servers, { driver, deadline: 2000 });
  const theirs = createRunner(servers, { driver: import.meta.resolve('mongodb'), deadline: 2000 });
  const failed: Note[] = [];
  const counts = new Map<Reason, number>();
  let reportedAt = performance.now();
  for (let played = 0; played < programs; played++) {
    const difference = await differenceIn(comparable(drawProgram(seed + played)), ours, theirs);
    if (performance.now() - reportedAt > 10_000) {
      reportedAt = performance.now();
      print(`${played} programs, ${failed.length} differences without a reason`);
    }
    if (difference === undefined) continue;
    const reason = reasons.find(({ explains }) => explains(difference));
    if (reason === undefined) failed.push(report(difference));
    else counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  ours.close();
  theirs.close();
  for (const [{ call, here, there }, count] of counts) print(`${count}  ${call}: here ${here}, there ${there}`);
  return { passed: programs - failed.length, failed, skipped: [] };
};

/** Writes the table of reasons into its page. */
export const writeTable = (): void => putContent(join(root, 'docs', 'rough.md'), 'rough', tableOf(reasons));
