import type {
  Attempt,
  BodyWriter,
  BsonOptions,
  Document,
  Elements,
  ObjectId,
  Operation,
  Raw,
  Reply,
  SectionWriter,
  Selection,
} from '@tessera/contracts';
import { MongoError, errorFieldsOf, writeConcernError } from '@tessera/contracts';
import { ResplitError, isNumbered } from './resplit-error.js';
import { writeRawData } from './raw-data.js';
import { isAcknowledged, writable, writeOptions } from './target.js';
import type { Target } from './target.js';

export type WriteCommand = 'insert' | 'update' | 'delete';

/** Options of a whole write command. Options of a statement are in the statement. */
export interface WriteOptions {
  /** Stops at the first write that fails. Default: true. */
  ordered?: boolean | undefined;
  /** Writes documents that the collection's validator rejects. Default: false. */
  bypassDocumentValidation?: boolean | undefined;
  /** A comment that the server writes to its logs and profiler. */
  comment?: unknown;
  /** Variables that expressions in filters and updates read as `$$name`. Since MongoDB 5.0. */
  let?: Document | undefined;
  /** The time in milliseconds that the server may spend on each command. Default: no limit. */
  maxTimeMS?: number | undefined;
  /**
   * Works on documents as they are stored, such as the buckets of a time series. Since MongoDB 8.2. Rule: CRUD,
   * "rawData".
   */
  rawData?: boolean | undefined;
}

/** The write error of one statement. The index counts from the first statement of the command. */
export interface StatementError {
  /** The index of the statement in the list of all statements. */
  readonly index: number;
  /** The error code. */
  readonly code: number;
  /** The error message. */
  readonly errmsg: string;
  /** Details of the error, such as a failed validation's. */
  readonly errInfo?: Document | undefined;
  /** For a duplicate key: the keys of the unique index. */
  readonly keyPattern?: Document | undefined;
  /** For a duplicate key: the values that exist already. */
  readonly keyValue?: Document | undefined;
}

/** The reply to a write command. Rule: Server Write Commands, "Response". */
export interface WriteReply {
  /** False for an unacknowledged write (`w: 0`); then only `taken` has a meaning. */
  readonly acknowledged: boolean;
  /** The number of inserted, matched or deleted documents. */
  readonly n: number;
  /** The number of changed documents. */
  readonly nModified: number;
  /** The `_id` of each document that an upsert inserted, with the index of its statement. */
  readonly upserted: readonly { readonly index: number; readonly _id: unknown }[];
  /** The failed statements. */
  readonly errors: readonly StatementError[];
  /** The number of statements in the command. The next command starts after them. */
  readonly taken: number;
}

/** The options of each command. The server rejects others. */
const plain: Readonly<Record<WriteCommand, ReadonlySet<keyof WriteOptions>>> = {
  insert: new Set(['bypassDocumentValidation', 'comment', 'maxTimeMS']),
  update: new Set(['bypassDocumentValidation', 'comment', 'let', 'maxTimeMS']),
  delete: new Set(['comment', 'let', 'maxTimeMS']),
};
const sections: Readonly<Record<WriteCommand, string>> = { insert: 'documents', update: 'updates', delete: 'deletes' };
const nothing: readonly never[] = [];

/** Creates ids of new documents. */
export interface NewId {
  (): unknown;
  /** Returns a function that creates the ids of one command, if that is faster. */
  readonly many?: () => () => unknown;
}

/** The prepared parts of one write command of one collection. */
interface Prepared {
  readonly target: Target;
  readonly command: WriteCommand;
  /** Whether the server replies. */
  readonly answer: 'one' | 'none';
  readonly ordered: Elements;
  readonly unordered: Elements;
  /** Creates ids of new documents. Undefined if the server creates them. */
  readonly newId: NewId | undefined;
}

/**
 * One insert, update or delete command, with as many statements from an index on as the server's limits allow. It is retryable unless
 * a statement may change many documents. Rule: Server Write Commands; Retryable Writes.
 */
class Write implements Operation<WriteReply> {
  readonly name: WriteCommand;
  readonly kind = 'write';
  readonly retryable: boolean;
  readonly answer: 'one' | 'none';
  readonly db: string;
  readonly selection: Selection = writable;
  readonly readConcern = undefined;
  readonly #prepared: Prepared;
  readonly #statements: readonly (Document | Raw)[];
  readonly #from: number;
  /** The index of the first statement that must not be in the command. */
  readonly #until: number;
  readonly #options: WriteOptions;

  constructor(
    prepared: Prepared,
    statements: readonly (Document | Raw)[],
    from: number,
    options: WriteOptions,
    until: number,
  ) {
    const { target, command } = prepared;
    this.name = command;
    this.retryable = command === 'insert' || !touchesMany(command, statements, from, until);
    this.answer = prepared.answer;
    this.db = target.db;
    this.#prepared = prepared;
    this.#statements = statements;
    this.#from = from;
    this.#until = until;
    this.#options = options;
  }

  get writeConcern(): Document | undefined {
    return this.#prepared.target.writeConcern;
  }
  get database(): Elements {
    return this.#prepared.target.database;
  }

  body(writer: BodyWriter, attempt: Attempt): void {
    const { target, ordered, unordered } = this.#prepared;
    writer.elements(target.head(this.name));
    writer.elements(this.#options.ordered === false ? unordered : ordered);
    if (this.#options !== noOptions) this.#writeOptions(writer, attempt);
    if (this.answer === 'none') this.#checkUnacknowledged(attempt);
  }

  sections(writer: SectionWriter, attempt: Attempt): number {
    const { hello } = attempt.connection;
    const statements = this.#statements;
    const most = Math.min(maxStatements, Math.max(1, hello.maxWriteBatchSize));
    const end = Math.min(this.#until, this.#from + most);
    const { newId } = this.#prepared;
    const nextId = (end - this.#from > 1 ? newId?.many?.() : undefined) ?? newId;
    writer.section(sections[this.name]);
    let at = this.#from;
    for (; at < end; at++) {
      const before = writer.length;
      const size = this.#statement(writer, statements[at]!, nextId);
      this.#checkSize(size, at, hello.maxBsonObjectSize);
      if (writer.length <= hello.maxMessageSizeBytes) continue;
      if (at === this.#from) throw this.#tooLarge(size, at, hello.maxMessageSizeBytes);
      writer.cut(before);
      if (!this.retryable && isNumbered(this, attempt) && !touchesMany(this.name, statements, this.#from, at))
        throw new ResplitError(this, at);
      break;
    }
    return at - this.#from;
  }

  read(reply: Reply, attempt: Attempt): WriteReply {
    const read = readWriteReply(reply, this.name, this.#prepared.target, attempt.statements);
    if (reply.has('writeConcernError')) throw writeConcernError(reply.document());
    return read;
  }

  unanswered({ statements }: Attempt): WriteReply {
    return { acknowledged: false, n: 0, nModified: 0, upserted: nothing, errors: nothing, taken: statements };
  }

  /** Writes a statement. A document without `_id` gets one: as its first encoded element, and in the caller's object. */
  #statement(writer: SectionWriter, statement: Document | Raw, newId: (() => unknown) | undefined): number {
    const { target } = this.#prepared;
    if (this.name !== 'insert') return writer.document(statement, target.arguments);
    if (newId === undefined || statement instanceof Uint8Array) return writer.document(statement, target.documents);
    const own = statement['_id'] as unknown;
    if (own !== undefined) return writer.document(statement, target.documents);
    if (statement instanceof Map) return writer.document(identified(statement, newId), target.documents);
    const id = newId();
    if (!('_id' in statement) && isObjectId(id)) {
      const size = writer.document(statement, target.documents, id);
      statement['_id'] = id;
      return size;
    }
    statement['_id'] = id;
    return writer.document(statement, target.documents);
  }

  #writeOptions(writer: BodyWriter, attempt: Attempt): void {
    const options = this.#options as WriteOptions & Readonly<Record<string, unknown>>;
    writeOptions(writer, plain[this.name], options, this.#prepared.target.arguments, attempt);
    writeRawData(writer, options.rawData, attempt);
  }

  /** Rejects options of unacknowledged writes that an old server rejects, because its error would be lost. Rule: CRUD, "hint", "sort". */
  #checkUnacknowledged({ connection, server }: Attempt): void {
    const { maxWireVersion } = connection.hello;
    const name = this.name === 'delete' ? 'hint' : 'sort';
    if (this.name === 'insert' || maxWireVersion >= (name === 'hint' ? 9 : 25)) return;
    for (let at = this.#from; at < this.#statements.length; at++)
      if ((this.#statements[at] as Document)[name] !== undefined)
        throw unsupportedOption(name, this.name, server.address);
  }

  #checkSize(size: number, at: number, most: number): void {
    // A statement of update or delete may exceed the limit of its document. Rule: Server Write Commands, "Limits".
    if (size > (this.name === 'insert' ? most : most + 16_384)) throw this.#tooLarge(size, at, most);
  }

  #tooLarge(size: number, at: number, most: number): MongoError {
    const { db, collection } = this.#prepared.target;
    return new MongoError(
      'usage',
      `Statement ${at} of this ${this.name} into ${db}.${collection} takes ${size} bytes, but the server accepts ${most}. Split the document or store large content with GridFS.`,
    );
  }
}

/** Returns the error of an unacknowledged write with an option that the server does not support. */
export const unsupportedOption = (option: 'hint' | 'sort', command: string, address: string): MongoError =>
  new MongoError(
    'usage',
    `The option "${option}" of ${command} requires MongoDB ${option === 'hint' ? '4.4' : '8.0'}, but the server at ${address} is older, and with w: 0 its error would be lost. Leave the option out or acknowledge the write.`,
  );

const isObjectId = (id: unknown): id is ObjectId => (id as ObjectId | null)?._bsontype === 'ObjectId';

/** The maximum number of statements in a command, MongoDB's own limit. */
export const maxStatements = 100_000;

/** Returns whether the next command may contain a statement on many documents. Rule: Retryable Writes, "Unsupported Write Operations". */
const touchesMany = (
  command: WriteCommand,
  statements: readonly (Document | Raw)[],
  from: number,
  until: number,
): boolean => {
  const end = Math.min(until, from + maxStatements);
  for (let at = from; at < end; at++) {
    const statement = statements[at] as Document;
    if (command === 'update' ? statement['multi'] === true : statement['limit'] === 0) return true;
  }
  return false;
};

const noOptions: WriteOptions = {};

/** Returns the write command with the statements from index `from` on. */
export type MakeWrite = (
  statements: readonly (Document | Raw)[],
  from: number,
  options?: WriteOptions,
  /** The index of the first statement that must not be in the command. Default: the number of statements. */
  until?: number,
) => Operation<WriteReply>;

/** Prepares the insert, update or delete commands of a collection. */
export const createWrite = (
  { newId }: { readonly newId: NewId | undefined },
  target: Target,
  command: WriteCommand,
): MakeWrite => {
  const prepared: Prepared = {
    target,
    command,
    answer: isAcknowledged(target.writeConcern) ? 'one' : 'none',
    ordered: target.bson.elements({ ordered: true }),
    unordered: target.bson.elements({ ordered: false }),
    newId,
  };
  return (statements, from, options, until) =>
    new Write(prepared, statements, from, options ?? noOptions, until ?? statements.length);
};

/** Servers may truncate an error message in the middle of a character. */
const withoutUtf8Validation: BsonOptions = { enableUtf8Validation: false };

/** Reads the ids of upserted documents, with the options of the collection's documents. */
const readUpserted = (reply: Reply, command: WriteCommand, { bson, documents }: Target): WriteReply['upserted'] => {
  const shape = bson.shape({ ...documents.options, raw: false });
  const upserted = listOf(reply.value('upserted', shape), command, 'upserted');
  return upserted.map(({ index, _id }) => ({ index: Number(index), _id: _id as unknown }));
};

const readErrors = (reply: Reply, command: WriteCommand, { bson }: Target): WriteReply['errors'] =>
  listOf(reply.value('writeErrors', bson.shape(withoutUtf8Validation)), command, 'writeErrors').map(statementError);

const statementError = (document: Document): StatementError => {
  const { code, message: errmsg = 'the server gave no message' } = errorFieldsOf(document);
  return { ...document, code, errmsg } as StatementError;
};

/**
 * Returns a list of results of statements.
 * @throws MongoError `protocol` if one of them lacks the index of its statement
 */
const listOf = (value: unknown, command: WriteCommand, field: string): readonly Document[] => {
  if (Array.isArray(value) && value.every(one => !Number.isNaN(Number((one as Document | null)?.['index'] ?? NaN))))
    return value as Document[];
  throw new MongoError(
    'protocol',
    `The server answered ${command} with ${field} that lack the index of their statement, so it is unknown what was written.`,
  );
};

/** Adds an `_id` to the entries of a Map, and as a property, from which results read it. */
const identified = (map: Map<unknown, unknown>, newId: () => unknown): Document => {
  const own = map.get('_id');
  const id = own === undefined ? newId() : own;
  return Object.assign(map.set('_id', id), { _id: id });
};

/** Reads a reply, with or without a write concern error. */
const readWriteReply = (reply: Reply, command: WriteCommand, target: Target, taken: number): WriteReply => ({
  acknowledged: true,
  n: reply.int('n') ?? 0,
  nModified: reply.int('nModified') ?? 0,
  upserted: reply.has('upserted') ? readUpserted(reply, command, target) : nothing,
  errors: reply.has('writeErrors') ? readErrors(reply, command, target) : nothing,
  taken,
});
