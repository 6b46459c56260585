import { MongoError } from '@tessera/contracts';
import type { Operation } from '@tessera/contracts';
import { takeCallSite } from './call-site.js';
import type { CallSite } from './call-site.js';

/** An operation of a transaction that has not ended. */
export interface UnderWay {
  readonly name: string;
  /** Undefined where places are not noted. */
  readonly from: CallSite | undefined;
  readonly ended: Promise<void>;
}

/** The server takes one command of a transaction at a time. Rule: Driver Sessions: sessions are not for concurrent use. */
export const inParallel = (name: string, underWay: UnderWay): MongoError =>
  new MongoError(
    'usage',
    `${name} was called while ${underWay.name} of the same transaction was under way; wait for the first before the second.\n` +
      `  under way: ${underWay.name} ${underWay.from?.toString() ?? unknownPlace}\n  refused: ${name} ${takeCallSite().toString()}`,
  );

/** The warning of an operation that waits for another one of its transaction. */
export const queuedWarning = (name: string, underWay: UnderWay): string =>
  `${name} was called while ${underWay.name} of the same transaction was under way, so it waits until that has ended. ` +
  'Await each operation of a transaction before the next. ' +
  'Set parallelTransactionOperations to "fail" to reject such calls.\n' +
  `  under way: ${underWay.name} ${underWay.from?.toString() ?? 'at an unknown place (known under NODE_ENV=development)'}\n` +
  `  waiting: ${name} ${takeCallSite().toString()}`;

/** The error of an operation whose transaction ended while it waited in line. */
export const tooLate = ({ name }: Operation<unknown>): MongoError =>
  new MongoError(
    'usage',
    `${name} was not sent: its transaction ended while it waited for an earlier operation. Await all operations before the commit or abort.`,
    { origin: { phase: 'checkOut', sent: false } },
  );

const unknownPlace = '(where it was called is noted from now on, and always under NODE_ENV=development)';

export const ofAnotherClient = ({ name }: Operation<unknown>): MongoError =>
  new MongoError(
    'usage',
    `${name} was given a session of another client; start one with this client's startSession().`,
  );

/** Nobody would hear when the session may be used again. Rule: Driver Sessions, "When using unacknowledged writes". */
export const unacknowledged = ({ name }: Operation<unknown>): MongoError =>
  new MongoError(
    'usage',
    `${name} is unacknowledged (w: 0) and cannot be part of a session; acknowledge it or leave out the session.`,
  );

/** Rule: Transactions, "readPreference": only reads are judged, whoever asked for the preference. */
export const readsElsewhere = (mode: string): MongoError =>
  new MongoError('usage', `Read preference in a transaction must be primary, not: ${mode}`);
