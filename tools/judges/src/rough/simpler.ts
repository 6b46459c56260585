import type { Argument, Call, Program, Step } from './program.js';

const replaced = <T>(list: readonly T[], at: number, ...by: readonly T[]): T[] => [
  ...list.slice(0, at),
  ...by,
  ...list.slice(at + 1),
];

const without = (argument: Argument): Argument[] =>
  typeof argument === 'string'
    ? []
    : Object.keys(argument).map(name => Object.fromEntries(Object.entries(argument).filter(([key]) => key !== name)));

const simplerCalls = (step: Call): Call[] => [
  ...(step.arguments.length > 0 ? [{ ...step, arguments: step.arguments.slice(0, -1) }] : []),
  ...step.arguments.flatMap((argument, at) =>
    without(argument).map(by => ({ ...step, arguments: replaced(step.arguments, at, by) })),
  ),
  ...(step.wait === 'later' ? [{ ...step, wait: 'now' as const }] : []),
];

const simplerSteps = (step: Step): Step[] => (step.kind === 'call' ? simplerCalls(step) : []);

/**
 * Returns the first step that may be removed. A cursor check depends on the calls before it, so they stay while it
 * does.
 */
const firstFree = ({ steps }: Program): number =>
  Math.max(
    0,
    steps.findLastIndex(({ kind }) => kind === 'no cursors'),
  );

/** Returns the programs that are one part smaller. */
export const simpler = (program: Program): Program[] => {
  const { fault, ...faultless } = program;
  const { garbage, ...clean } = program;
  return [
    ...program.steps
      .map((_, at) => ({ ...program, steps: replaced(program.steps, at) }))
      .slice(firstFree(program))
      .reverse(),
    ...(fault === undefined ? [] : [faultless]),
    ...(garbage === undefined ? [] : [clean]),
    ...(program.transport === 'plain' ? [] : [{ ...program, transport: 'plain' as const }]),
    // Keep the options, because the time of a call after a fault may depend on them.
    ...(program.steps.some(({ kind }) => kind === 'fault') ? [] : without(program.options)).map(options => ({
      ...program,
      options: options as Program['options'],
    })),
    ...program.steps.flatMap((step, at) =>
      at < firstFree(program)
        ? []
        : simplerSteps(step).map(by => ({ ...program, steps: replaced(program.steps, at, by) })),
    ),
  ];
};
