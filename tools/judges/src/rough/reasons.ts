/** The reasons for different outcomes with this driver and npm `mongodb`, one for each kind of difference. */
import { markdownTable } from '@tessera-tools/house';
import { wordsIn } from '../words.js';
import type { Difference } from './difference.js';
import { iteratorOf } from './program.js';
import type { Argument, Call, Step } from './program.js';
import { roughValues } from './values.js';

export interface Reason {
  /** The call, and the outcomes with this driver and with npm `mongodb`, as docs/rough.md shows them. */
  readonly call: string;
  readonly here: string;
  readonly there: string;
  readonly why: string;
  readonly explains: (difference: Difference) => boolean;
}

const wrong = new Set(roughValues);

const expressionsIn = (argument: Argument): readonly string[] =>
  typeof argument === 'string' ? [argument] : Object.values(argument);

/** Returns the call and the calls that created its object. */
const callsOf = ({ program, step }: Difference): readonly Call[] => {
  const found: Call[] = [];
  for (let at: Step | undefined = step; at?.kind === 'call';) {
    const { on }: Call = at;
    found.push(at);
    at = program.steps.findLast(
      (made, index) => made.kind === 'call' && made.as === on && index < program.steps.indexOf(found.at(-1)!),
    );
  }
  return found;
};

/** Returns whether the call, or a call that created its object, has a wrong value in an argument or option. */
const hasWrongValue = (difference: Difference): boolean =>
  callsOf(difference).some(({ arguments: given }) =>
    given.flatMap(expressionsIn).some(expression => wrong.has(expression)),
  );

const isRejectedHere = (difference: Difference): boolean =>
  difference.here === 'MongoInvalidArgumentError' && hasWrongValue(difference);

const calls = ({ step }: Difference, ...methods: readonly string[]): boolean =>
  step.kind === 'call' && methods.includes(step.method);

const foreign = new Set(wordsIn('Error TypeError RangeError SyntaxError DOMException symbol'));
const closed = new Set(wordsIn('MongoClientClosedError MongoNotConnectedError MongoTopologyClosedError'));

/** Makes a reason for a value that this driver rejects when the method is called. */
const wrongType = (there: string, why: string, isSo: (there: string) => boolean): Reason => ({
  call: 'any call with an option or an argument of a wrong type',
  here: '`MongoInvalidArgumentError`',
  there,
  why,
  explains: difference => isRejectedHere(difference) && isSo(difference.there),
});

export const reasons: readonly Reason[] = [
  wrongType(
    'resolved',
    'npm `mongodb` ignores the value or sends it to the server. This driver checks it when the method is called.',
    there => there === 'ok',
  ),
  wrongType('`MongoServerError`', 'npm `mongodb` sends the value, and the server rejects it.', there =>
    /^Mongo(Server|BulkWrite)/.test(there),
  ),
  wrongType(
    '`TypeError`, or another error that is not of the driver',
    'npm `mongodb` uses the value without a check.',
    there => foreign.has(there) || there.startsWith('BSON'),
  ),
  wrongType(
    'another error of the driver',
    'Both drivers reject the call. npm `mongodb` throws its base class, or fails later.',
    there => there.startsWith('Mongo'),
  ),
  {
    call: '`initializeOrderedBulkOp`, `initializeUnorderedBulkOp` before the client is connected',
    here: 'resolved, or `MongoInvalidArgumentError`',
    there: '`MongoNotConnectedError`',
    why: 'npm `mongodb` reads the limits of the server when the bulk operation is created. This driver connects when it is executed.',
    explains: difference =>
      calls(difference, 'initializeOrderedBulkOp', 'initializeUnorderedBulkOp') &&
      difference.there === 'MongoNotConnectedError',
  },
  {
    call: 'any call that is pending when the client closes',
    here: '`MongoClientClosedError` or `MongoNotConnectedError`',
    there: '`MongoTopologyClosedError`, another of these classes, or no end',
    why: "The class of this driver's error states that the client was closed. npm `mongodb` leaves some calls pending.",
    explains: ({ here, there }) => closed.has(here) && (closed.has(there) || there === 'hang'),
  },
  {
    call: '`withTransaction` with operations in parallel',
    here: 'resolved',
    there: '`MongoServerError`',
    why: 'This driver runs the operations of a transaction one after another. npm `mongodb` sends them at the same time, so that two of them may start the transaction.',
    explains: ({ here, there, text }) => here === 'ok' && there === 'MongoServerError' && text.includes('Promise.all'),
  },
  {
    call: 'a cursor with `timeoutMS` whose first command takes longer',
    here: '`MongoOperationTimeoutError`',
    there: 'resolved',
    why: 'npm `mongodb` 7.9.0 does not apply the `timeoutMS` of `find` to the command.',
    explains: ({ here, there, program }) =>
      here === 'MongoOperationTimeoutError' &&
      there === 'ok' &&
      program.steps.some(
        step => step.kind === 'call' && step.arguments.some(a => typeof a === 'object' && 'timeoutMS' in a),
      ),
  },
  {
    call: 'any call over a connection that receives no MongoDB message',
    here: '`MongoUnexpectedServerResponseError` or `MongoServerSelectionError`',
    there: 'no end within 2 seconds, or another class',
    why: 'This driver closes a connection at once when a message header is malformed. npm `mongodb` reads the bytes as a message length and waits for the rest.',
    explains: ({ program, here }) => program.garbage !== undefined && here.startsWith('Mongo'),
  },
  {
    call: 'a call that may use a free connection or a connection that is being opened',
    here: 'resolved',
    there: '`MongoWaitQueueTimeoutError`, or no end within 2 seconds',
    why: 'This driver gives a connection that becomes free to the operation that waits longest. In npm `mongodb` that operation waits for the new connection.',
    explains: ({ here, there, program }) =>
      here === 'ok' &&
      (there === 'MongoWaitQueueTimeoutError' || there === 'hang') &&
      program.steps.some(({ kind }) => kind === 'fault'),
  },
  {
    call: 'two concurrent calls on one cursor',
    here: 'resolved',
    there: '`MongoExpiredSessionError`',
    why: 'In npm `mongodb`, the first call that reaches the end of the cursor ends the session while the other call is pending.',
    explains: ({ here, there, step }) =>
      here === 'ok' && there === 'MongoExpiredSessionError' && step.kind === 'call' && step.wait === 'later',
  },
  {
    call: '`dropCollection`, `drop` and other calls with a `writeConcern` out of range',
    here: '`MongoServerError`',
    there: 'resolved',
    why: 'This driver sends the write concern, and the server rejects it. npm `mongodb` omits it.',
    explains: difference =>
      difference.here === 'MongoServerError' && difference.there === 'ok' && difference.text.includes('writeConcern'),
  },
  {
    call: '`watch` on a client or a database that is closed while the first command is pending',
    here: '`MongoClientClosedError`',
    there: '`MongoServerError`',
    why: 'npm `mongodb` waits for the reply of the server, which rejects the command.',
    explains: ({ here, there, step }) =>
      closed.has(here) && there === 'MongoServerError' && step.kind === 'call' && step.wait === 'close',
  },
  {
    call: '`on` with a listener that is not a function',
    here: '`MongoInvalidArgumentError`',
    there: '`TypeError`',
    why: 'npm `mongodb` uses the event emitter of Node.js.',
    explains: difference => calls(difference, 'on') && difference.there === 'TypeError',
  },
  {
    call: 'a command with an option of a wrong type that the command does not have',
    here: 'resolved',
    there: '`MongoServerError`',
    why: 'npm `mongodb` sends the option, and the server rejects it. This driver does not send it.',
    explains: difference =>
      difference.here === 'ok' && difference.there === 'MongoServerError' && hasWrongValue(difference),
  },
  {
    call: '`next` of the iterator of a change stream while `return` is called',
    here: 'resolved: the iterator is done',
    there: '`MongoClientClosedError`',
    why: 'The iterator of npm `mongodb` is a generator, so `return` waits for the pending `next`. Only `client.close()` ends both.',
    explains: ({ here, there, program }) =>
      here === 'ok' &&
      closed.has(there) &&
      program.steps.some(step => step.kind === 'call' && step.method === iteratorOf),
  },
  {
    call: '`next` of a change stream that is closed while the call is pending',
    here: '`MongoAPIError`: the stream is closed',
    there: 'the error of the last attempt, or another class',
    why: 'npm `mongodb` reports why the last command failed. This driver reports that the stream was closed.',
    explains: ({ here, program, step }) =>
      here === 'MongoAPIError' &&
      step.kind === 'call' &&
      step.method === 'next' &&
      program.steps.some(other => other.kind === 'call' && other.on === step.on && other.method === 'close'),
  },
];

/** Formats the reasons as a Markdown table. */
export const tableOf = (all: readonly Reason[]): string =>
  markdownTable(
    ['Call', 'This driver', 'npm `mongodb`', 'Reason'],
    all.map(({ call, here, there, why }) => [call, here, there, why]),
  );
