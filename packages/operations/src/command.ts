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

/** How a command that has no class of its own behaves. */
export interface CommandTraits<T> {
  readonly kind: Operation<T>['kind'];
  readonly retryable: boolean;
  readonly selection: Selection;
  /** Whether the handle's concern is added, never to a user's own command. Rule: Run Command; Read Concern. */
  readonly concern: 'read' | 'write' | 'none';
  /** Rule: CRUD, "rawData". */
  readonly rawData?: boolean | undefined;
  /** @throws MongoError `usage` for a server that would not do what the command says. */
  check?(attempt: Attempt): void;
  read(reply: Reply, attempt: Attempt): T;
}

/** The roles of commands by name; they apply to a user's own commands, too. */
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

/** A command given as a document; its first key is its name. */
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
    if (name === undefined) throw new MongoError('usage', 'A command needs at least one field: its name comes first.');
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

  /** Without maxTimeMS, which gives way to timeoutMS; nobody looks into a user's own command for it. Rule: CSOT, "RunCommand". */
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
 * Returns the read concern in a user's own command, or undefined. The attempt writes it apart from the other fields, so fields
 * that `ignoreUndefined` leaves out are removed here.
 */
const ownReadConcern = (command: Document, { arguments: { options } }: Target): Document | undefined => {
  const readConcern: unknown = command['readConcern'];
  if (typeof readConcern !== 'object' || readConcern === null) return undefined;
  if (options.ignoreUndefined !== true) return readConcern;
  return Object.fromEntries(Object.entries(readConcern).filter(([, value]) => value !== undefined));
};

/** A user's own command, as it is. Rule: Run Command: it ignores the handle's read preference and concerns. */
export const runCommand = (target: Target, command: Document, selection: Selection = writable): Operation<Document> =>
  new Command(target, command, {
    kind: 'either',
    retryable: false,
    selection,
    concern: 'none',
    read: reply => reply.document(target.documents),
  });

/** A command that changes something and answers nothing worth reading. @throws MongoError `server`: write concern. */
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

/** Rule: CRUD, "estimatedDocumentCount". A collection that does not exist counts 0. */
export const count = (target: Target, options: Document, rawData?: boolean): Operation<number> =>
  reading(target, { count: target.collection, ...options }, reply => reply.int('n') ?? 0, rawData);

/** Rule: CRUD, "distinct". */
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

/** Rule: Enumerating Collections. It runs on the primary. */
export const listCollections = <T>(
  target: Target,
  options: Document,
  take: TakeBatch<T>,
  rawData?: boolean,
): Operation<T> => listing(target, { listCollections: 1, ...options }, take, rawData);

/** Rule: Enumerating Databases. */
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

/** Rule: Index Management, "listIndexes". */
export const listIndexes = <T>(
  target: Target,
  options: Document,
  take: TakeBatch<T>,
  rawData?: boolean,
): Operation<T> => listing(target, { listIndexes: target.collection, cursor: {}, ...options }, take, rawData);

/** Each index with `key` and `name`. Rule: Index Management, "createIndexes". */
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
    throw new MongoError('usage', `commitQuorum needs MongoDB 4.4, which ${server.address} is not; leave it out.`);
};

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

/** Rule: Collection Management, "create". */
export const createCollection = (target: Target, options: Document): Operation<void> =>
  administration(target, { create: target.collection, ...options }, () => undefined);

export const drop = (target: Target, options: Document): Operation<void> =>
  administration(target, { drop: target.collection, ...options }, () => undefined);

export const dropDatabase = (target: Target, options: Document): Operation<void> =>
  administration(target, { dropDatabase: 1, ...options }, () => undefined);

/** Of a target on `admin`; both names are namespaces. Rule: MongoDB manual, "renameCollection". */
export const renameCollection = (target: Target, from: string, to: string, options: Document): Operation<void> =>
  administration(target, { renameCollection: from, to, ...options }, () => undefined);

export const dropUser = (target: Target, name: string, options: Document): Operation<void> =>
  administration(target, { dropUser: name, ...options }, () => undefined);

/** The name that MongoDB gives an index: `a_1_b_-1`. Rule: Index Management, "Index Name". */
export const indexName = (keys: Iterable<readonly [path: string, direction: unknown]>): string =>
  [...keys].map(([path, direction]) => `${path}_${String(direction)}`).join('_');
