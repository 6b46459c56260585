/** Draws programs, compares the drivers, and shrinks each difference that no rule explains. */
import { shrink } from '../shrink.js';
import { textOfTree } from './describe.js';
import { drawProgram } from './draw.js';
import type { Difference, Sides } from './play.js';
import { play } from './play.js';
import { textOf } from './program.js';
import type { Program } from './program.js';
import type { Rule } from './rules.js';
import { simpler } from './simpler.js';

export interface RunOptions {
  readonly seed: number;
  readonly programs: number;
  /** The number of the first program. */
  readonly first: number;
  readonly rules: readonly Rule[];
  /** The maximum number of smaller programs to try for each difference. */
  readonly shrinkAttempts: number;
  /** Stops after this number of kinds of differences that no rule explains. */
  readonly limit: number;
  /** Whether to run a program. Default: all programs run. */
  readonly selects?: (program: Program) => boolean;
  /** Called after each program with the number of programs. */
  readonly onProgram?: (programs: number) => void;
}

/** A kind of difference that no rule explains, with the smallest program found. */
export interface Undecided {
  readonly difference: Difference;
  /** The number of the program in which it was found. */
  readonly number: number;
  times: number;
}

export interface Tally {
  programs: number;
  equal: number;
  /** The number of programs whose difference did not occur twice. */
  unstable: number;
  readonly explained: Map<Rule, number>;
  readonly undecided: Map<string, Undecided>;
}

const brief = (text: string): string =>
  text
    .replaceAll(/name: "\w+", instance of: \[[^\]]*\], /g, '')
    .replaceAll(/\d+/g, '0')
    .slice(0, 80);

/** Identifies the kind of a difference: the member and what differs. */
export const kindOf = ({ step, where, path, ours, theirs, command }: Difference): string =>
  `${command ?? step.name} ${where} ${brief(path)}: ${brief(textOfTree(ours))} | ${brief(textOfTree(theirs))}`;

/** Formats a difference, with its program as JavaScript. */
export const differenceText = (difference: Difference): string => {
  const { where, path, ours, theirs, step, program, command } = difference;
  return [
    `${command ?? step.name}: ${where} differs${path === '' ? '' : ` at ${path}`}`,
    `  ours          ${textOfTree(ours).slice(0, 600)}`,
    `  npm mongodb   ${textOfTree(theirs).slice(0, 600)}`,
    textOf(program).replaceAll(/^/gm, '    '),
    '',
  ].join('\n');
};

export const compareDrivers = async (sides: Sides, options: RunOptions): Promise<Tally> => {
  const { seed, programs, first, rules, limit, selects, onProgram } = options;
  const tally: Tally = {
    programs: 0,
    equal: 0,
    unstable: 0,
    explained: new Map(rules.map(rule => [rule, 0])),
    undecided: new Map(),
  };
  for (let number = first; number < first + programs && tally.undecided.size < limit; number++) {
    const program = drawProgram(seed, number);
    if (selects?.(program) === false) continue;
    const difference = await play(program, sides);
    tally.programs++;
    onProgram?.(tally.programs);
    if (difference === undefined) {
      tally.equal++;
      continue;
    }
    const rule = rules.find(({ holds }) => holds(difference));
    if (rule !== undefined) {
      tally.explained.set(rule, tally.explained.get(rule)! + 1);
      continue;
    }
    const kind = kindOf(difference);
    // A difference that does not occur twice depends on timing.
    const again = await play(difference.program, sides);
    if (again === undefined || kindOf(again) !== kind) {
      tally.unstable++;
      continue;
    }
    const known = tally.undecided.get(kind);
    if (known !== undefined) known.times++;
    else tally.undecided.set(kind, { difference: await smallest(difference, sides, options), number, times: 1 });
  }
  return tally;
};

const smallest = async (difference: Difference, sides: Sides, options: RunOptions): Promise<Difference> => {
  const kind = kindOf(difference);
  let best = difference;
  await shrink(
    difference.program,
    simpler,
    async candidate => {
      const found = await play(candidate, sides);
      if (found === undefined || kindOf(found) !== kind || options.rules.some(({ holds }) => holds(found)))
        return false;
      best = found;
      return true;
    },
    options.shrinkAttempts,
  );
  return best;
};
