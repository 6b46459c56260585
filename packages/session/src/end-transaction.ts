import { writeConcernError } from '@tessera/contracts';
import type {
  Attempt,
  BodyWriter,
  Document,
  Elements,
  Operation,
  OperationRole,
  Reply,
  Selection,
} from '@tessera/contracts';
import type { Reached } from './transaction.js';

/** The wtimeout in milliseconds of a repeated commit, which waits for a majority. */
const longestWait = 10_000;

/** One object for all operations, because caches use the identity of a selection as their key. */
const primary: Selection = { mode: 'primary' };

const roles = { commitTransaction: 'commitsTransaction', abortTransaction: 'abortsTransaction' } as const;

/** The operation commitTransaction or abortTransaction. Rule: Transactions, "Server Commands". */
export class EndTransaction implements Operation<void> {
  readonly name: keyof typeof roles;
  readonly role: OperationRole;
  readonly db = 'admin';
  readonly kind = 'write';
  readonly retryable = 'always';
  readonly selection: Selection = primary;
  readonly answer = 'one';
  readonly readConcern = 'none';
  readonly writeConcern: Document | undefined;
  readonly database: Elements;
  readonly #reached: Reached;

  constructor(name: keyof typeof roles, reached: Reached, database: Elements) {
    this.name = name;
    this.role = roles[name];
    this.writeConcern = reached.options.writeConcern;
    this.database = database;
    this.#reached = reached;
  }

  body(writer: BodyWriter, { deadline }: Attempt): void {
    const { recoveryToken, options } = this.#reached;
    writer.int32(this.name, 1);
    // With timeoutMS, another layer writes maxTimeMS.
    if (this.role === 'commitsTransaction' && options.maxCommitTimeMS !== undefined && deadline === Infinity)
      writer.value('maxTimeMS', options.maxCommitTimeMS);
    if (recoveryToken !== undefined) writer.elements(recoveryToken);
  }

  read(reply: Reply): void {
    if (!reply.has('writeConcernError')) return;
    throw writeConcernError(reply.document());
  }
}

/** Returns the write concern of a repeated commit. Rule: Transactions, "writeConcern for commitTransaction attempts". */
export const ofRepeatedCommit = (writeConcern: Document | undefined): Document => {
  const majority = { ...writeConcern, w: 'majority' };
  return 'wtimeout' in majority ? majority : { ...majority, wtimeout: longestWait };
};
