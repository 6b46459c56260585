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
import { MongoError, writeConcernError } from '@tessera/contracts';
import { readCursor } from './find.js';
import type { TakeBatch } from './find.js';
import { writeRawData } from './raw-data.js';
import { isTimed, writable } from './target.js';
import type { Target } from './target.js';

/** The properties of a command without its own class. */
export interface CommandTraits<T> {
  /** Whether the command reads or writes. Decides about retries and sessions. */
  readonly kind: Operation<T>['kind'];
  /** Whether the command may be sent again after a failed attempt. */
  readonly retryable: boolean;
  /** The servers that may run the command. */
  readonly selection: Selection;
  /** The concern of the handle to add. `none` for a user's own command. Rule: Run Command; Read and Write Concern. */
  readonly concern: 'read' | 'write' | 'none';
  /** Rule: CRUD, "rawData". */
  readonly rawData?: boolean | undefined;
  /**
   * Called before the command is written.
   * @throws MongoError `usage` if the server does not support the command's options
   */
  check?(attempt: Attempt): void;
  /** Returns the result from the reply. */
  read(reply: Reply, attempt: Attempt): T;
}

/** The roles of commands by name, also of a user's own commands. */
const roles: ReadonlyMap<string, OperationRole> = new Map([
  ['aggregate', 'opensCursor'],
  ['bulkWrite', 'opensCursor'],
  ['find', 'opensCursor'],
  ['listCollections', 'opensCursor'],
  ['listIndexes', 'opensCursor'],
  ['getMore', 'continuesCursor'],
  ['killCursors', 'killsCursor'],
  ['commitTransaction', 'commitsTransaction'],
  ['abortTransaction', 'abortsTransaction'],
]);

/** A command from a document, whose first key is its name. */
export class Command<T> implements Operation<T> {
  readonly name: string;
  readonly role: OperationRole | undefined;
  readonly kind: Operation<T>['kind'];
  readonly retryable: boolean;
  readonly answer = 'one';
  readonly db: string;
  readonly selection: Selection;
  readonly readConcern: Document | 'none' | undefined;
  readonly writeConcern: Document | undefined;
  readonly database: Elements;
  readonly #target: Target;
  readonly #command: Document;
  readonly #traits: CommandTraits<T>;

  constructor(target: Target, command: Document, traits: CommandTraits<T>) {
    const [name] = Object.keys(command);
    if (name === undefined)
      throw new MongoError('usage', 'A command needs at least one field. The first field is its name.');
    this.name = name;
    this.role = roles.get(name);
    this.kind = traits.kind;
    this.retryable = traits.retryable;
    this.db = target.db;
    this.selection = traits.selection;
    const own = traits.kind === 'either' ? ownReadConcern(command, target) : undefined;
    this.readConcern = own ?? readConcernOf(traits, target);
    this.writeConcern = traits.concern === 'write' ? target.writeConcern : undefined;
    this.database = target.database;
    this.#target = target;
    this.#command = own === undefined ? command : without('readConcern', command);
    this.#traits = traits;
  }

  body(writer: BodyWriter, attempt: Attempt): void {
    this.#traits.check?.(attempt);
    writer.fields(this.#fields(attempt), this.#target.arguments);
    writeRawData(writer, this.#traits.rawData, attempt);
  }

  read(reply: Reply, attempt: Attempt): T {
    return this.#traits.read(reply, attempt);
  }

  /**
   * Returns the fields, without maxTimeMS if timeoutMS is set. A user's own command is not changed.
   * Rule: Client Side Operations Timeout, "RunCommand".
   */
  #fields(attempt: Attempt): Document {
    if (!isTimed(attempt) || this.kind === 'either' || this.#command['maxTimeMS'] === undefined) return this.#command;
    return without('maxTimeMS', this.#command);
  }
}

const without = (field: string, { [field]: _, ...rest }: Document): Document => rest;

/**
 * Returns the handle's read concern for a command that reads. A command that writes has none of its own; a session may add one.
 * Rule: Causal Consistency, "Causally consistent read and write commands".
 */
const readConcernOf = ({ concern }: CommandTraits<unknown>, target: Target): Document | 'none' | undefined => {
  switch (concern) {
    case 'read':
      return target.readConcern;
    case 'write':
      return undefined;
    case 'none':
      return 'none';
  }
};

/**
 * Returns the read concern of a user's own command, or undefined. The attempt writes it separately, so this function removes the
 * fields that `ignoreUndefined` omits.
 */
const ownReadConcern = (command: Document, { arguments: { options } }: Target): Document | undefined => {
  const readConcern: unknown = command['readConcern'];
  if (typeof readConcern !== 'object' || readConcern === null) return undefined;
  if (options.ignoreUndefined !== true) return readConcern;
  return Object.fromEntries(Object.entries(readConcern).filter(([, value]) => value !== undefined));
};

/** Returns a user's own command. It ignores the read preference and concerns of the handle. Rule: Run Command. */
export const runCommand = (target: Target, command: Document, selection: Selection = writable): Operation<Document> =>
  new Command(target, command, {
    kind: 'either',
    retryable: false,
    selection,
    concern: 'none',
    read: reply => reply.document(target.documents),
  });

/** Returns a command that changes the schema or metadata. Its `read` throws a write concern error of the reply. */
const administration = <T>(
  target: Target,
  command: Document,
  read: (reply: Reply) => T,
  more: Pick<CommandTraits<T>, 'check' | 'rawData'> = {},
): Operation<T> =>
  new Command(target, command, {
    ...more,
    kind: 'write',
    retryable: false,
    selection: writable,
    concern: 'write',
    read: reply => {
      if (reply.has('writeConcernError')) throw writeConcernError(reply.document());
      return read(reply);
    },
  });

/** Returns a retryable command that reads data. */
const reading = <T>(
  target: Target,
  command: Document,
  read: CommandTraits<T>['read'],
  rawData: boolean | undefined,
): Operation<T> =>
  new Command(target, command, {
    kind: 'read',
    retryable: true,
    selection: target.selection,
    concern: 'read',
    rawData,
    read,
  });

/** Returns a count command. The result is 0 for a collection that does not exist. Rule: CRUD, "estimatedDocumentCount". */
export const count = (target: Target, options: Document, rawData?: boolean): Operation<number> =>
  reading(target, { count: target.collection, ...options }, reply => reply.int('n') ?? 0, rawData);

/** Returns a distinct command. Rule: CRUD, "distinct". */
export const distinct = (
  target: Target,
  key: string,
  query: Document,
  options: Document,
  rawData?: boolean,
): Operation<unknown[]> =>
  reading(
    target,
    { distinct: target.collection, key, query, ...options },
    reply => (reply.value('values', target.documents) ?? []) as unknown[],
    rawData,
  );

/** Returns a command that lists metadata with a cursor. */
const listing = <T>(
  target: Target,
  command: Document,
  take: TakeBatch<T>,
  rawData: boolean | undefined,
): Operation<T> =>
  new Command(target, command, {
    kind: 'read',
    retryable: true,
    selection: writable,
    concern: 'none',
    rawData,
    read: (reply, attempt) => take(readCursor(reply, 'firstBatch'), attempt),
  });

/** Returns a listCollections command. It runs on the primary. Rule: Enumerating Collections. */
export const listCollections = <T>(
  target: Target,
  options: Document,
  take: TakeBatch<T>,
  rawData?: boolean,
): Operation<T> => listing(target, { listCollections: 1, ...options }, take, rawData);

/** Returns a listDatabases command. Rule: Enumerating Databases. */
export const listDatabases = (target: Target, options: Document): Operation<Document> =>
  new Command(
    target,
    { listDatabases: 1, ...options },
    {
      kind: 'read',
      retryable: true,
      selection: writable,
      concern: 'none',
      read: reply => reply.document(target.documents),
    },
  );

/** Returns a listIndexes command. Rule: Index Management, "listIndexes". */
export const listIndexes = <T>(
  target: Target,
  options: Document,
  take: TakeBatch<T>,
  rawData?: boolean,
): Operation<T> => listing(target, { listIndexes: target.collection, cursor: {}, ...options }, take, rawData);

/** Returns a createIndexes command. Each index must have `key` and `name`. Rule: Index Management, "createIndexes". */
export const createIndexes = (
  target: Target,
  indexes: readonly Document[],
  options: Document,
  rawData?: boolean,
): Operation<void> =>
  administration(
    target,
    { createIndexes: target.collection, indexes, ...options },
    () => undefined,
    options['commitQuorum'] === undefined ? { rawData } : { rawData, check: needsCommitQuorum },
  );

const needsCommitQuorum = ({ server, connection }: Attempt): void => {
  if (connection.hello.maxWireVersion < 9)
    throw new MongoError(
      'usage',
      `The option "commitQuorum" requires MongoDB 4.4 or later, but the server at ${server.address} is older. Leave it out.`,
    );
};

/** Returns a dropIndexes command. */
export const dropIndexes = (
  target: Target,
  index: unknown,
  options: Document,
  rawData?: boolean,
): Operation<Document> =>
  administration(
    target,
    { dropIndexes: target.collection, index, ...options },
    reply => reply.document(target.documents),
    { rawData },
  );

/** Returns a create command. Rule: Collection Management, "create". */
export const createCollection = (target: Target, options: Document): Operation<void> =>
  administration(target, { create: target.collection, ...options }, () => undefined);

/** Returns a drop command. */
export const drop = (target: Target, options: Document): Operation<void> =>
  administration(target, { drop: target.collection, ...options }, () => undefined);

/** Returns a dropDatabase command. */
export const dropDatabase = (target: Target, options: Document): Operation<void> =>
  administration(target, { dropDatabase: 1, ...options }, () => undefined);

/** Returns a renameCollection command. The target is `admin`, and both names are namespaces. Rule: MongoDB manual, "renameCollection". */
export const renameCollection = (target: Target, from: string, to: string, options: Document): Operation<void> =>
  administration(target, { renameCollection: from, to, ...options }, () => undefined);

/** Returns a dropUser command. */
export const dropUser = (target: Target, name: string, options: Document): Operation<void> =>
  administration(target, { dropUser: name, ...options }, () => undefined);

/** Returns the default name of an index, such as `a_1_b_-1`. Rule: Index Management, "Index Name". */
export const indexName = (keys: Iterable<readonly [path: string, direction: unknown]>): string =>
  [...keys].map(([path, direction]) => `${path}_${String(direction)}`).join('_');
