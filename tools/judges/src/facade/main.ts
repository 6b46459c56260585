import { print } from '@tessera-tools/house';
import type { Tally as Checks } from '@tessera-tools/house';
import type { CommandLine } from './command-line.js';
import { rules } from './rules.js';
import { compareDrivers, differenceText } from './run.js';
import { startSide } from './sides.js';

/** The number of programs from which unused rules are reported. */
const long = 10_000;

/** Runs the comparison of the drivers. Each kind of unexplained difference is a failure. */
export const compareFacades = async (commandLine: CommandLine): Promise<Checks> => {
  // Programs with wrong arguments leave promises and streams without a listener, until the clients are closed.
  const ignore = (): void => undefined;
  process.on('unhandledRejection', ignore).on('uncaughtException', ignore);
  try {
    return await compare(commandLine);
  } finally {
    process.off('unhandledRejection', ignore).off('uncaughtException', ignore);
  }
};

const compare = async ({ programs, seed, first, undecided }: CommandLine): Promise<Checks> => {
  await using ours = await startSide('ours');
  await using theirs = await startSide('theirs');
  const begin = performance.now();
  const tally = await compareDrivers(
    { ours, theirs },
    {
      ...{ seed, programs, first, rules, shrinkAttempts: 60, limit: undecided },
      onProgram: done => {
        if (done % 2000 === 0) print(`${done} programs in ${Math.round((performance.now() - begin) / 1000)} s`);
      },
    },
  );
  const found = [...tally.undecided.values()].sort((a, b) => b.times - a.times);
  for (const { difference, number, times } of found)
    print(`${times} × unexplained (--seed ${seed} --first ${number})\n${differenceText(difference)}`);
  for (const [{ name, reason }, times] of tally.explained) {
    if (times > 0) print(`${times} × ${name}: ${reason}`);
    else if (tally.programs >= long) print(`stale: the rule "${name}" never matched`);
  }
  const explained = [...tally.explained.values()].reduce((sum, times) => sum + times, 0);
  print(
    `${tally.programs} programs: ${tally.equal} equal, ${explained} with an explained difference, ${tally.unstable} with a difference that did not occur twice, ${found.reduce((sum, { times }) => sum + times, 0)} unexplained of ${found.length} kinds`,
  );
  const failed = found.map(({ difference }) => ({
    title: `differential driver: ${difference.step.name}`,
    reason: differenceText(difference),
  }));
  return { passed: tally.programs - failed.length, failed, skipped: [] };
};
