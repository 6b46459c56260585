import type { Program, Step } from './program.js';
import { textOf } from './program.js';
import type { Verdict } from './verdict.js';

/** The first step of a program that ended differently with the two drivers. */
export interface Difference {
  readonly program: Program;
  readonly step: Step;
  /** `ok`, the name of an error, `hang`, `blocked`, or `skipped`. */
  readonly here: string;
  readonly there: string;
  /** The step as JavaScript, without the program around it. */
  readonly text: string;
}

/** Returns how a program ended before its steps were counted: the event loop was blocked, or the process exited. */
const cutOf = ({ violations, outcomes }: Verdict): string | undefined =>
  outcomes.length === 0 ? (violations[0]?.kind ?? 'exit') : undefined;

/** Returns the first difference between the outcomes of a program with two drivers, or undefined. */
export const differenceOf = (program: Program, here: Verdict, there: Verdict): Difference | undefined => {
  const cut = [cutOf(here), cutOf(there)];
  const at = program.steps.findIndex((_, index) => here.outcomes[index] !== there.outcomes[index]);
  const step = program.steps[at];
  if (step === undefined) return undefined;
  const text = textOf({ ...program, steps: [step] }).split('\n')[2]!;
  return {
    program,
    step,
    here: cut[0] ?? here.outcomes[at]!,
    there: cut[1] ?? there.outcomes[at]!,
    text,
  };
};

export const isSame = (a: Difference | undefined, b: Difference | undefined): boolean =>
  a?.here === b?.here && a?.there === b?.there && a?.text === b?.text;
