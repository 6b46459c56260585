import type { Argument, Program, Step } from './program.js';

const replaced = <T>(list: readonly T[], at: number, ...by: readonly T[]): T[] => [
  ...list.slice(0, at),
  ...by,
  ...list.slice(at + 1),
];

const simplerArguments = (argument: Argument): Argument[] =>
  typeof argument === 'string'
    ? []
    : Object.keys(argument).map(name => Object.fromEntries(Object.entries(argument).filter(([key]) => key !== name)));

const simplerSteps = (step: Step): Step[] => {
  const { args } = step;
  if (args === undefined) return [];
  return [
    ...(args.length > 0 ? [{ ...step, args: args.slice(0, -1) }] : []),
    ...args.flatMap((argument, at) =>
      simplerArguments(argument).map(by => ({ ...step, args: replaced(args, at, by) })),
    ),
  ];
};

/** Yields the programs that are one part smaller. */
export function* simpler(program: Program): Generator<Program> {
  const { options, ...plain } = program;
  const { steps } = program;
  for (let at = steps.length - 1; at >= 0; at--) if (steps.length > 1) yield { ...program, steps: replaced(steps, at) };
  if (options !== undefined) {
    yield plain;
    for (const less of simplerArguments(options)) yield { ...program, options: less };
  }
  for (const [at, step] of steps.entries())
    for (const by of simplerSteps(step)) yield { ...program, steps: replaced(steps, at, by) };
}
