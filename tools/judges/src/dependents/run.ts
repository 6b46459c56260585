import { nothing, print } from '@tessera-tools/house';
import type { Note, Tally } from '@tessera-tools/house';
import { run as runProgram } from '../outside/program.js';
import { Unavailable } from '../outside/unavailable.js';
import { uriOf } from '../peers/deployment.js';
import { startEmbedded } from '../peers/embedded.js';
import type { Topology } from '../peers/topology.js';
import { compareSteps, stepsOf } from './compare.js';
import type { Step } from './compare.js';
import type { Dependent } from './dependent.js';
import { installDependent } from './install.js';
import type { Driver } from './install.js';

/** The time limit of a program, in milliseconds. */
const patience = 120_000;

/** Runs a dependent's program with one driver, on its own deployment. */
async function stepsWith(
  dependent: Dependent,
  driver: Driver,
  topology: Topology,
  signal: AbortSignal,
): Promise<readonly Step[]> {
  const file = await installDependent(dependent, driver, signal);
  await using at = await startEmbedded({ topology, auth: false, tls: false }, undefined);
  const { log } = await runProgram(process.execPath, ['--no-deprecation', file], {
    cwd: file.slice(0, file.indexOf('programs')),
    env: { ...process.env, MONGODB_URI: uriOf(at), TOPOLOGY: topology },
    signal,
    timeLimit: patience,
  });
  return stepsOf(log);
}

const row = (cells: readonly (number | string)[]): string =>
  cells.map((cell, i) => (i < 2 ? String(cell).padEnd(i === 0 ? 18 : 12) : String(cell).padStart(11))).join('');

/** The header of the table. */
export const header: string = row(['dependent', 'topology', 'equal', 'explained', 'different', 'seconds']);

/** Runs a dependent's program with both drivers on one topology, and prints its row of the table. */
async function compareOn(dependent: Dependent, topology: Topology, signal: AbortSignal): Promise<Tally> {
  const begin = performance.now();
  const official = await stepsWith(dependent, 'official', topology, signal);
  const tessera = await stepsWith(dependent, 'tessera', topology, signal);
  const { equal, explained, different } = compareSteps(official, tessera, dependent.explained);
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  print(row([dependent.name, topology, equal, explained.length, different.length, seconds]));
  for (const title of explained) print(`  explained: ${title}: ${dependent.explained?.[title] ?? ''}`);
  const failed: readonly Note[] = different.map(({ title, official: one, tessera: other }) => ({
    title: `${dependent.name} (${topology}): ${title}`,
    reason: `official: ${one}\n  tessera:  ${other}`,
  }));
  for (const { title, reason } of failed) print(`  different: ${title}\n  ${reason}`);
  return { passed: equal + explained.length, failed, skipped: [] };
}

/** Runs a dependent's program on both topologies. An unavailable registry counts as a skipped check. */
export async function runDependent(
  dependent: Dependent,
  topologies: readonly Topology[],
  signal: AbortSignal,
): Promise<readonly Tally[]> {
  try {
    const tallies: Tally[] = [];
    for (const topology of topologies) tallies.push(await compareOn(dependent, topology, signal));
    return tallies;
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    print(`skipped: ${dependent.name}: ${error.message}`);
    return [{ ...nothing, skipped: [{ title: dependent.name, reason: error.message }] }];
  }
}
