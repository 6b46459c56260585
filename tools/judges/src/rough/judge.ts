import type { Call, Program } from './program.js';
import type { Violation } from './verdict.js';

type MongoErrorClass = abstract new (...args: never[]) => Error & { readonly errorLabels: string[] };

/** The name of the file in the stack traces of calls. */
const own = 'interpret.js';

/** Returns whether the program itself threw the error. */
export const isOfProgram = (error: unknown): boolean => error instanceof Error && error.message.startsWith('rough');

/** Returns the violations in the error of a call. */
export const judgeError = (
  error: unknown,
  step: Call,
  signals: readonly AbortSignal[],
  MongoError: MongoErrorClass,
): Violation[] => {
  const what = `${step.on}.${step.method}: `;
  if (signals.some(({ reason }) => reason === error) || isOfProgram(error)) return [];
  if (!(error instanceof Error)) return [{ kind: 'error class', what: `${what}threw ${typeof error}` }];
  const text = `${what}${error.stack ?? error.message}`;
  const frames = (error.stack ?? '').split('\n').filter(line => line.startsWith('    at '));
  if (frames[0]?.includes('node:internal/streams') === true) return [];
  if (!(error instanceof MongoError) && !error.name.startsWith('BSON')) return [{ kind: 'error class', what: text }];
  // A stream creates its error while no caller waits for it.
  const isOfStream = step.arguments.some(argument => typeof argument === 'string' && argument.includes('.stream()'));
  const isOwn = isOfStream || frames.some(frame => frame.includes(own));
  return isOwn || step.wait !== 'now' ? [] : [{ kind: 'error place', what: text }];
};

/** Returns the violations in the result of a call. Every inserted document must have an `_id`. */
export const judgeResult = (result: unknown, step: Call): Violation[] => {
  if (typeof result !== 'object' || result === null) return [];
  const { insertedId, insertedIds } = result as { insertedId?: unknown; insertedIds?: object };
  const many: unknown[] = Object.values(insertedIds ?? {});
  const ids = 'insertedId' in result ? [insertedId, ...many] : many;
  return ids.includes(undefined)
    ? [{ kind: 'result', what: `${step.on}.${step.method} inserted a document without _id` }]
    : [];
};

/** Returns whether a sound call must succeed in this program. */
export const mustSucceed = ({ fault, garbage, options, steps }: Program, { isSound }: Call): boolean =>
  isSound === true &&
  fault === undefined &&
  garbage === undefined &&
  !('timeoutMS' in options) &&
  !('waitQueueTimeoutMS' in options) &&
  steps.every(({ kind }) => kind !== 'fault');
