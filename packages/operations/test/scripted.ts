/** Runs operations without a deployment: writes their commands and reads scripted replies. */
import { Cancellation, MongoError } from '@tessera/contracts';
import type {
  Attempt,
  Dispatch,
  Document,
  Hello,
  Message,
  Operation,
  Request,
  Session,
  Timer,
} from '@tessera/contracts';
import { bson, decode, encode } from '@tessera/bson';
import { createWire } from '@tessera/wire';
import { writeBody } from '../../attempt/test/body.js';
import { createTarget } from '@tessera/operations';
import type { Dispatcher, Target } from '@tessera/operations';

const wire = createWire({ bson, compressors: [] });

export const hello: Hello = {
  document: {},
  serviceId: undefined,
  connectionId: undefined,
  maxWireVersion: 27,
  logicalSessionTimeoutMinutes: 30,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  roundTrip: 1,
};

export const attemptOn = (given: Partial<Hello> = {}, session?: Session, more: Partial<Attempt> = {}): Attempt =>
  ({
    server: { address: 'db1:27017', minRoundTripTime: 0 },
    deadline: Infinity,
    ...more,
    connection: { hello: { ...hello, ...given } },
    session,
    failures: [],
    bodyLength: 0,
    statements: 0,
  }) as unknown as Attempt;

/** Returns the message of the operation's command, including its header. Sets the fields of the attempt. */
export const messageOf = (operation: Operation<unknown>, attempt: Attempt = attemptOn()): Uint8Array => {
  const message = {
    db: operation.db,
    name: operation.name,
    body: (writer: Parameters<Message['body']>[0]) => {
      writeBody(writer, attempt, operation);
    },
    sections: (writer: Parameters<NonNullable<Message['sections']>>[0]) => {
      (attempt as { statements: number }).statements = operation.sections?.(writer, attempt) ?? 0;
    },
    answer: operation.answer,
  } as unknown as Message;
  return wire.write(1, message);
};

/** Returns the command as a server receives it. */
export const commandOf = (operation: Operation<unknown>, attempt?: Attempt): Document =>
  wire.document(messageOf(operation, attempt));

/** Returns the result of an operation for a reply. */
export const resultOf = <T>(operation: Operation<T>, reply: Document, attempt: Attempt = attemptOn()): T =>
  operation.read(bson.read(encode({ ok: 1, ...reply })), attempt);

export const targetOf = (options: Parameters<typeof createTarget>[3] = {}, collection = 'films'): Target =>
  createTarget({ bson }, 'db', collection, options);

/** A deployment with scripted replies, which records the requests. */
export const scripted = (
  answers: readonly (Document | Error | 'silence' | 'unanswered')[],
  given: Partial<Hello> = {},
  more: Partial<Attempt> = {},
): Dispatcher & {
  readonly asked: Document[];
  readonly requests: Request<unknown>[];
  readonly ended: () => number;
  /** The lengths of the backoffs, which take no time. */
  readonly slept: number[];
} => {
  const asked: Document[] = [];
  const requests: Request<unknown>[] = [];
  const left = [...answers];
  let id = 0;
  let ended = 0;
  const dispatch: Dispatch = request => {
    requests.push(request);
    const attempt = attemptOn(given, request.session, more);
    asked.push(commandOf(request.operation, attempt));
    const answer = left.shift();
    if (answer === undefined) return Promise.reject(new Error('the script has ended'));
    if (answer === 'unanswered') return Promise.resolve(request.operation.unanswered?.(attempt) as never);
    if (answer === 'silence') return new Promise(() => undefined);
    if (answer instanceof Error) return Promise.reject(answer);
    try {
      return Promise.resolve(resultOf(request.operation, answer, attempt));
    } catch (error) {
      const { statements } = attempt;
      if (MongoError.is(error)) error.origin = { phase: 'command', sent: true, statements, ...error.origin };
      return Promise.reject(error);
    }
  };
  const session = {
    pin: undefined,
    readConcern: ({ readConcern }: Operation<unknown>) => readConcern,
    writeConcern: ({ writeConcern }: Operation<unknown>) => writeConcern,
    append: () => undefined,
    heard: () => undefined,
    failed: () => undefined,
    end: () => {
      ended++;
    },
  } as unknown as Session;
  const slept: number[] = [];
  const startTimer = (duration: number, fire: () => void): Timer => {
    slept.push(duration);
    queueMicrotask(fire);
    return { cancel: () => undefined };
  };
  return {
    dispatch,
    clock: { now: () => 0, startTimer },
    random: { unit: () => 0.5 },
    deployment: { closing: new Cancellation() },
    slept,
    asked,
    requests,
    newOperationId: () => ++id,
    implicitSession: () => session,
    killLater: () => undefined,
    ended: () => ended,
  };
};

export const cursorReply = (
  batch: 'firstBatch' | 'nextBatch',
  id: bigint,
  documents: readonly Document[],
): Document => ({
  cursor: { id, ns: 'db.films', [batch]: documents },
});

export { decode };
