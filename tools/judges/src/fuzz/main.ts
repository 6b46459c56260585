import { conclude, print, run as runTool } from '@tessera-tools/house';
import type { Note } from '@tessera-tools/house';
import { readCorpus, writeCorpus } from './corpus/corpus.js';
import { record } from './corpus/record.js';
import type { Found } from './fuzz.js';
import { casesOf, optionsOf, perServer, playAll } from './fuzz.js';
import { judgeFairness } from '../fairness/main.js';
import { attack } from './hostile.js';
import { minimize } from './minimize.js';
import { readReplay, shown, writeReplay } from './replay.js';
import type { CommandLine } from './command-line.js';
import { readCommandLine, shortAuthTime, usage } from './command-line.js';
import type { DoorFound } from './doors/doors.js';
import { fuzzDoors, replayDoor } from './doors/doors.js';

const report = (found: Found, file: string): void => {
  print(`${found.violation.kind}: ${found.violation.what}`);
  print(`after ${found.cases.length} ${found.cases.length === 1 ? 'case' : 'cases'}, the last of them:`);
  for (const frame of found.cases.at(-1)?.frames ?? []) print(`  ${shown(frame)}`);
  print(`npm run fuzz -- server --replay ${file}`);
};

const runAttacks = async (): Promise<readonly Note[]> => {
  const failed: Note[] = [];
  for await (const { name, violation } of attack()) {
    const result = violation === undefined ? 'passed' : `${violation.kind}: ${violation.what}`;
    print(`${name}: ${result}`);
    if (violation !== undefined) failed.push({ title: `fuzz server: ${name}`, reason: result });
  }
  return failed;
};

/** Runs `--auth`, and returns what failed. */
const runDoors = async (
  seed: number,
  milliseconds: number,
): Promise<{ readonly played: number; readonly failed: readonly Note[] }> => {
  const { played, found } = await fuzzDoors(seed, milliseconds);
  print(`${played} cases of users and of clients before login, of seed ${seed}`);
  if (found === undefined) return { played, failed: [] };
  reportDoor(found);
  print(`npm run fuzz -- server --auth --seed ${seed} --case ${found.failed.number}`);
  const { kind, what } = found.violation;
  const title = `fuzz server --auth, seed ${seed}, case ${found.failed.number}`;
  return { played, failed: [{ title, reason: `${kind}: ${what}` }] };
};

const reportDoor = ({ violation, frames, failed }: DoorFound): void => {
  print(`${violation.kind}: ${violation.what}`);
  print(`case ${failed.number}, sent by ${failed.person?.name ?? 'a client before login'}:`);
  for (const frame of frames) print(`  ${shown(frame)}`);
};

const doors = async ({ milliseconds, seed, number }: Extract<CommandLine, { kind: 'doors' }>): Promise<number> => {
  if (number === undefined) {
    const { played, failed } = await runDoors(seed, milliseconds);
    return conclude({ passed: Math.max(1, played - failed.length), failed, skipped: [] });
  }
  const found = await replayDoor(seed, number);
  if (found === undefined) print('The server passed.');
  else reportDoor(found);
  return found === undefined ? 0 : 1;
};

const run = async ({
  milliseconds,
  seed,
  hostile,
  isShort,
}: Extract<CommandLine, { kind: 'run' }>): Promise<number> => {
  const corpus = readCorpus();
  const failed = hostile ? [...(await runAttacks())] : [];
  const end = performance.now() + milliseconds;
  let played = 0;
  for (let epoch = 0; performance.now() < end && failed.length === 0; epoch++) {
    const done = await playAll(optionsOf(epoch), casesOf(seed, epoch, corpus), () => performance.now() < end);
    played += done.played;
    if (done.found === undefined) continue;
    const { violation } = done.found;
    const where = `seed ${seed}, case ${epoch * perServer + done.played - 1}`;
    print(`${where}: ${violation.kind}: ${violation.what}`);
    const file = `.cache/fuzz/seed-${seed}-case-${epoch * perServer + done.played - 1}.json`;
    writeReplay(file, done.found);
    const smallest = await minimize(done.found);
    writeReplay(file, smallest);
    report(smallest, file);
    failed.push({ title: `fuzz server, ${where}`, reason: `${violation.kind}: ${violation.what}` });
  }
  print(`${played} cases of seed ${seed}`);
  if (isShort) {
    const done = await runDoors(seed, shortAuthTime);
    played += done.played;
    failed.push(...done.failed);
  }
  return conclude({ passed: Math.max(1, played - failed.length), failed, skipped: [] });
};

const replay = async (file: string): Promise<number> => {
  const { options, cases } = readReplay(file);
  const { found } = await playAll(options, cases, () => true);
  if (found === undefined) print('The server passed.');
  else report(found, file);
  return found === undefined ? 0 : 1;
};

await runTool(usage, readCommandLine, async commandLine => {
  if (commandLine.kind === 'run') return run(commandLine);
  if (commandLine.kind === 'doors') return doors(commandLine);
  if (commandLine.kind === 'replay') return replay(commandLine.file);
  if (commandLine.kind === 'fairness') return judgeFairness(commandLine.size);
  const frames = await record();
  writeCorpus(frames);
  print(`${frames.length} frames recorded`);
  return 0;
});
