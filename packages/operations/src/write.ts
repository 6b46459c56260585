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

/** Options of the command as a whole; those of one statement stand in the statement. */
export interface WriteOptions {
  readonly ordered?: boolean | undefined;
  readonly bypassDocumentValidation?: boolean | undefined;
  readonly comment?: unknown;
  readonly let?: Document | undefined;
  readonly maxTimeMS?: number | undefined;
  /** Rule: CRUD, "rawData". */
  readonly rawData?: boolean | undefined;
}

/** One statement's error. The index counts from the first statement of the command. */
export interface StatementError {
  readonly index: number;
  readonly code: number;
  readonly errmsg: string;
  readonly errInfo?: Document | undefined;
  readonly keyPattern?: Document | undefined;
  readonly keyValue?: Document | undefined;
}

/** Rule: Server Write Commands, "Response". */
export interface WriteReply {
  /** False for an unacknowledged write (`w: 0`), of which only `taken` is known. */
  readonly acknowledged: boolean;
  readonly n: number;
  readonly nModified: number;
  readonly upserted: readonly { readonly index: number; readonly _id: unknown }[];
  readonly errors: readonly StatementError[];
  /** How many statements the command held: the next command starts behind them. */
  readonly taken: number;
}

/** The options that a command knows; the server refuses others. */
const plain: Readonly<Record<WriteCommand, readonly (keyof WriteOptions)[]>> = {
  insert: ['bypassDocumentValidation', 'comment', 'maxTimeMS'],
  update: ['bypassDocumentValidation', 'comment', 'let', 'maxTimeMS'],
  delete: ['comment', 'let', 'maxTimeMS'],
};
const sections: Readonly<Record<WriteCommand, string>> = { insert: 'documents', update: 'updates', delete: 'deletes' };
const nothing: readonly never[] = [];

/** Where new ids come from. */
export interface NewId {
  (): unknown;
  /** A source of the ids of one command, if that is cheaper. */
  readonly many?: () => () => unknown;
}

/** The prepared parts of one write command of one collection. */
interface Prepared {
  readonly target: Target;
  readonly command: WriteCommand;
  readonly ordered: Elements;
  readonly unordered: Elements;
  /** The ids of new documents; undefined where the server is to make them. */
  readonly newId: NewId | undefined;
}

/**
 * One command of insert, update or delete: as many of the statements, from one on, as the server takes at once.
 * Rule: Server Write Commands; Retryable Writes: not for statements that touch many documents.
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
  /** Of the statements, those before this one. */
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
    this.answer = isAcknowledged(target.writeConcern) ? 'one' : 'none';
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
    if (this.answer === 'none') this.#checkUnheard(attempt);
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

  /** A document whose `_id` is missing or undefined gets one: first on the wire, then in the caller's own object. */
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

  /** What an old server would refuse, with nobody to hear it. Rule: CRUD, "hint", "sort". */
  #checkUnheard({ connection, server }: Attempt): void {
    const { maxWireVersion } = connection.hello;
    const name = this.name === 'delete' ? 'hint' : 'sort';
    if (this.name === 'insert' || maxWireVersion >= (name === 'hint' ? 9 : 25)) return;
    for (let at = this.#from; at < this.#statements.length; at++)
      if ((this.#statements[at] as Document)[name] !== undefined)
        throw unsupportedOption(name, this.name, server.address);
  }

  #checkSize(size: number, at: number, most: number): void {
    // A statement wraps its document in a little of its own. Rule: Server Write Commands, "Limits".
    if (size > (this.name === 'insert' ? most : most + 16_384)) throw this.#tooLarge(size, at, most);
  }

  #tooLarge(size: number, at: number, most: number): MongoError {
    const { db, collection } = this.#prepared.target;
    return new MongoError(
      'usage',
      `Statement ${at} of this ${this.name} into ${db}.${collection} takes ${size} bytes, but the server accepts ${most}; split the document or store large content with GridFS.`,
    );
  }
}

/** The error of an option that a server does not know, when the server would not be heard saying so. */
export const unsupportedOption = (option: 'hint' | 'sort', command: string, address: string): MongoError =>
  new MongoError(
    'usage',
    `${address} does not know the option ${option} of ${command} (MongoDB ${option === 'hint' ? '4.4' : '8.0'} does), and with w: 0 its refusal would not be heard; leave ${option} out or acknowledge the write.`,
  );

const isObjectId = (id: unknown): id is ObjectId => (id as ObjectId | null)?._bsontype === 'ObjectId';

/** So many statements are in no command: MongoDB's own limit. */
export const maxStatements = 100_000;

/** Of the statements that may be in the next command. Rule: Retryable Writes, "Unsupported Write Operations". */
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

export type MakeWrite = (
  statements: readonly (Document | Raw)[],
  from: number,
  options?: WriteOptions,
  /** The first statement that must not be in the command; by default all may be. */
  until?: number,
) => Operation<WriteReply>;

/** Prepares one of the write commands of a collection. */
export const createWrite = (
  { newId }: { readonly newId: NewId | undefined },
  target: Target,
  command: WriteCommand,
): MakeWrite => {
  const prepared: Prepared = {
    target,
    command,
    ordered: target.bson.elements({ ordered: true }),
    unordered: target.bson.elements({ ordered: false }),
    newId,
  };
  return (statements, from, options, until) =>
    new Write(prepared, statements, from, options ?? noOptions, until ?? statements.length);
};

/** A server may cut a message of its own in the middle of a character. */
const withoutUtf8Validation: BsonOptions = { enableUtf8Validation: false };

/** The ids of documents that were made are values of the collection's documents, and read as those are. */
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

/** @throws MongoError `protocol` unless each says which statement it is of: what was done cannot be told. */
const listOf = (value: unknown, command: WriteCommand, field: string): readonly Document[] => {
  if (Array.isArray(value) && value.every(one => !Number.isNaN(Number((one as Document | null)?.['index'] ?? NaN))))
    return value as Document[];
  throw new MongoError(
    'protocol',
    `The server answered ${command} with ${field} that do not say which statements they are of, so that nobody can tell what was written.`,
  );
};

/** A Map has its `_id` among its entries; results read it where other documents have it. */
const identified = (map: Map<unknown, unknown>, newId: () => unknown): Document => {
  const own = map.get('_id');
  const id = own === undefined ? newId() : own;
  return Object.assign(map.set('_id', id), { _id: id });
};

/** Of a reply with or without a write concern error. */
const readWriteReply = (reply: Reply, command: WriteCommand, target: Target, taken: number): WriteReply => ({
  acknowledged: true,
  n: reply.int('n') ?? 0,
  nModified: reply.int('nModified') ?? 0,
  upserted: reply.has('upserted') ? readUpserted(reply, command, target) : nothing,
  errors: reply.has('writeErrors') ? readErrors(reply, command, target) : nothing,
  taken,
});
