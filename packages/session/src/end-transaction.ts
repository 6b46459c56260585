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

/** So that a commit that is repeated does not wait for a majority for ever. */
const longestWait = 10_000;

/** One for all: its identity is what selections are remembered by. */
const primary: Selection = { mode: 'primary' };

const roles = { commitTransaction: 'commitsTransaction', abortTransaction: 'abortsTransaction' } as const;

/** commitTransaction or abortTransaction. Rule: Transactions, "Server Commands". */
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
    // A limit of the whole operation is told by whoever holds it.
    if (this.role === 'commitsTransaction' && options.maxCommitTimeMS !== undefined && deadline === Infinity)
      writer.value('maxTimeMS', options.maxCommitTimeMS);
    if (recoveryToken !== undefined) writer.elements(recoveryToken);
  }

  read(reply: Reply): void {
    if (!reply.has('writeConcernError')) return;
    throw writeConcernError(reply.document());
  }
}

/** Rule: Transactions, "writeConcern for commitTransaction attempts". */
export const ofRepeatedCommit = (writeConcern: Document | undefined): Document => {
  const majority = { ...writeConcern, w: 'majority' };
  return 'wtimeout' in majority ? majority : { ...majority, wtimeout: longestWait };
};
