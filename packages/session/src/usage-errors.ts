import { MongoError } from '@tessera/contracts';
import type { Operation } from '@tessera/contracts';
import { takeCallSite } from './call-site.js';
import type { CallSite } from './call-site.js';

/** A running operation of a transaction. */
export interface UnderWay {
  readonly name: string;
  /** The call site. Undefined if call sites are not recorded. */
  readonly from: CallSite | undefined;
  readonly ended: Promise<void>;
}

/** Returns the error of parallel operations in one transaction. Rule: Driver Sessions, on concurrent use of a session. */
export const inParallel = (name: string, underWay: UnderWay): MongoError =>
  new MongoError(
    'usage',
    `${name} was called while ${underWay.name} of the same transaction was running. Await each operation before the next.\n` +
      `  running: ${underWay.name} ${underWay.from?.toString() ?? unknownPlace}\n  rejected: ${name} ${takeCallSite().toString()}`,
  );

/** Returns the warning about an operation that waits for another one of its transaction. */
export const queuedWarning = (name: string, underWay: UnderWay): string =>
  `${name} was called while ${underWay.name} of the same transaction was running, so it waits until ${underWay.name} ends. ` +
  'Await each operation of a transaction before the next. ' +
  'Set parallelTransactionOperations to "fail" to reject such calls.\n' +
  `  running: ${underWay.name} ${underWay.from?.toString() ?? '(set NODE_ENV=development to record call sites)'}\n` +
  `  waiting: ${name} ${takeCallSite().toString()}`;

/** Returns the error of a queued operation whose transaction has ended. */
export const tooLate = ({ name }: Operation<unknown>): MongoError =>
  new MongoError(
    'usage',
    `${name} was not sent: its transaction ended while it waited for an earlier operation. Await all operations before the commit or abort.`,
    { origin: { phase: 'checkOut', sent: false } },
  );

const unknownPlace = '(call sites are recorded from now on, and always with NODE_ENV=development)';

/** Returns the error of an operation with a session of another client. */
export const ofAnotherClient = ({ name }: Operation<unknown>): MongoError =>
  new MongoError(
    'usage',
    `${name} cannot use a session of another client. Start one with startSession() of this client.`,
  );

/** Returns the error of an unacknowledged write in an explicit session. Rule: Driver Sessions, "When using unacknowledged writes". */
export const unacknowledged = ({ name }: Operation<unknown>): MongoError =>
  new MongoError(
    'usage',
    `${name} cannot use a session, because it is unacknowledged (w: 0). Use another write concern or leave out the session.`,
  );

/** An error about an operation that no transaction allows. */
export class InTransactionError extends MongoError {
  constructor(message: string) {
    super('usage', message);
  }
}

/** Returns the error of a read in a transaction with another read preference. Rule: Transactions, "readPreference". */
export const readPreferenceError = (mode: string): MongoError =>
  new InTransactionError(`Read preference in a transaction must be primary, not: ${mode}`);
