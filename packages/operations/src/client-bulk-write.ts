import type {
  Attempt,
  BodyWriter,
  Document,
  Elements,
  Operation,
  Reply,
  SectionWriter,
  Selection,
  Shape,
} from '@tessera/contracts';
import { MongoError, writeConcernError, writeConcernErrorOf } from '@tessera/contracts';
import { ResplitError, isNumbered } from './resplit-error.js';
import { readCursor } from './find.js';
import type { TakeBatch } from './find.js';
import { writeRawData } from './raw-data.js';
import { isAcknowledged, writable, writeOptions } from './target.js';
import type { Target } from './target.js';
import { maxStatements } from './write.js';
import type { WriteOptions } from './write.js';

/** One write. The first field of `op` is `insert`, `update` or `delete`; its value is set to the index of the namespace. */
export interface ClientWrite {
  /** The database and collection, such as `shop.films`. */
  readonly namespace: string;
  /** The kind of write. */
  readonly kind: 'insert' | 'update' | 'delete';
  /** Rule: Bulk Write, "Operations". */
  readonly op: Document;
}

/** Options of a bulkWrite command. Rule: Bulk Write, "Options". */
export interface ClientBulkWriteOptions extends WriteOptions {
  /** Whether the outcome lists the result of each write. Default false: only errors are listed. */
  readonly verboseResults?: boolean | undefined;
}

/** The counts of one command's reply. */
export interface ClientBulkWriteCounts {
  /** The number of writes that failed. */
  readonly nErrors: number;
  /** The number of inserted documents. */
  readonly nInserted: number;
  /** The number of documents that updates inserted. */
  readonly nUpserted: number;
  /** The number of documents that updates matched. */
  readonly nMatched: number;
  /** The number of documents that updates changed. */
  readonly nModified: number;
  /** The number of deleted documents. */
  readonly nDeleted: number;
}

/** The part of a reply that is not about single writes. */
export interface ClientBulkWriteReply {
  /** The counts of one batch. */
  readonly counts: ClientBulkWriteCounts;
  /** The write concern error of the reply. */
  readonly writeConcernError: Document | undefined;
  /** The number of writes in the command. */
  readonly taken: number;
}

const plain: ReadonlySet<string> = new Set(['bypassDocumentValidation', 'comment', 'let', 'maxTimeMS']);

/** The bytes reserved for fields that the driver adds, such as lsid and txnNumber. Rule: Bulk Write, "Total Message Size". */
const overhead = 1000;
/** The number of bytes by which a command may exceed maxBsonObjectSize. */
const commandMargin = 16_384;
/** The wire version of MongoDB 8.0. */
const sinceWireVersion = 25;

/** Returns the size of a document with elements of this size. */
const bytesOf = (elements: number): number => elements + 5;

const isMulti = ({ op }: ClientWrite): boolean => op['multi'] === true;

/** Returns whether the next command may contain a write on many documents, which makes it not retryable. */
const touchesMany = (writes: readonly ClientWrite[], from: number, until: number): boolean => {
  const end = Math.min(until, from + maxStatements);
  for (let at = from; at < end; at++) if (isMulti(writes[at]!)) return true;
  return false;
};

type Shapes = Readonly<Record<ClientWrite['kind'], Shape>>;

const shapes = new WeakMap<Shape, Shapes>();

/** Returns a shape for each kind of write. Writes of different kinds alternate, and each kind has keys of its own. */
const shapesOf = ({ arguments: shape, bson }: Target): Shapes => {
  const known = shapes.get(shape);
  if (known !== undefined) return known;
  const own: Shapes = { insert: shape, update: bson.shape(shape.options), delete: bson.shape(shape.options) };
  shapes.set(shape, own);
  return own;
};

/** One bulkWrite command, with as many writes from an index on as the server's limits allow. Rule: Bulk Write. */
export class ClientBulkWrite<T> implements Operation<T> {
  readonly name = 'bulkWrite';
  readonly kind = 'write';
  readonly role = 'opensCursor';
  readonly retryable: boolean;
  readonly answer: 'one' | 'none';
  readonly db: string;
  readonly selection: Selection = writable;
  readonly readConcern = undefined;
  readonly #target: Target;
  readonly #writes: readonly ClientWrite[];
  readonly #from: number;
  /** The index of the first write that must not be in the command. */
  readonly #until: number;
  readonly #options: ClientBulkWriteOptions;
  readonly #take: TakeBatch<T>;
  readonly #onReply: (outcome: ClientBulkWriteReply) => void;

  /**
   * @param target the database `admin`
   * @param onReply called with each reply, also with a write concern error, before its results are read
   */
  constructor(
    target: Target,
    writes: readonly ClientWrite[],
    from: number,
    options: ClientBulkWriteOptions,
    take: TakeBatch<T>,
    onReply: (outcome: ClientBulkWriteReply) => void,
    until: number = writes.length,
  ) {
    this.retryable = !touchesMany(writes, from, until);
    this.answer = isAcknowledged(target.writeConcern) ? 'one' : 'none';
    this.db = target.db;
    this.#target = target;
    this.#writes = writes;
    this.#from = from;
    this.#until = until;
    this.#options = options;
    this.#take = take;
    this.#onReply = onReply;
  }

  get writeConcern(): Document | undefined {
    return this.#target.writeConcern;
  }
  get database(): Elements {
    return this.#target.database;
  }

  body(writer: BodyWriter, attempt: Attempt): void {
    const { hello } = attempt.connection;
    if (hello.maxWireVersion < sinceWireVersion)
      throw new MongoError(
        'usage',
        `The method client.bulkWrite requires MongoDB 8.0 or later, but the server at ${attempt.server.address} is older. Use collection.bulkWrite instead.`,
      );
    const target = this.#target;
    const { ordered, verboseResults, rawData } = this.#options;
    const start = writer.length;
    writer.value('bulkWrite', 1);
    writer.value('errorsOnly', verboseResults !== true);
    writer.value('ordered', ordered !== false);
    writeOptions(writer, plain, this.#options as Readonly<Record<string, unknown>>, target.arguments, attempt);
    writeRawData(writer, rawData, attempt);
    const size = bytesOf(writer.length - start);
    if (this.answer === 'none') this.#check('command', size, hello.maxBsonObjectSize + commandMargin);
  }

  sections(writer: SectionWriter, attempt: Attempt): number {
    const { hello } = attempt.connection;
    const max = Math.min(maxStatements, Math.max(1, hello.maxWriteBatchSize));
    const end = Math.min(this.#until, this.#from + max);
    const room = hello.maxMessageSizeBytes - overhead - bytesOf(attempt.bodyLength);
    const namespaces = new Map<string, number>();
    const kinds = shapesOf(this.#target);
    let used = 0;
    let at = this.#from;
    writer.section('ops');
    for (; at < end; at++) {
      const { namespace, kind, op } = this.#writes[at]!;
      const before = writer.length;
      const known = namespaces.get(namespace);
      op[kind] = known ?? namespaces.size;
      const size = writer.document(op, kinds[kind]);
      if (this.answer === 'none') this.#checkWrite(at, size, hello.maxBsonObjectSize);
      const added = known === undefined ? size + this.#namespaceBytes(namespace) : size;
      if (used + added > room) {
        if (at === this.#from) this.#check(`write at ${at} with its namespace`, added, room);
        writer.cut(before);
        if (!this.retryable && isNumbered(this, attempt) && !touchesMany(this.#writes, this.#from, at))
          throw new ResplitError(this, at);
        break;
      }
      used += added;
      if (known === undefined) namespaces.set(namespace, namespaces.size);
    }
    writer.section('nsInfo');
    for (const ns of namespaces.keys()) writer.document({ ns });
    return at - this.#from;
  }

  read(reply: Reply, attempt: Attempt): T {
    const count = (name: keyof ClientBulkWriteCounts): number => reply.int(name) ?? 0;
    const counts: ClientBulkWriteCounts = {
      nErrors: count('nErrors'),
      nInserted: count('nInserted'),
      nUpserted: count('nUpserted'),
      nMatched: count('nMatched'),
      nModified: count('nModified'),
      nDeleted: count('nDeleted'),
    };
    const failure = reply.has('writeConcernError') ? writeConcernError(reply.document()) : undefined;
    this.#onReply({ counts, writeConcernError: writeConcernErrorOf(failure?.reply), taken: attempt.statements });
    const cursor = readCursor(reply, 'firstBatch');
    // Without this label, the results are read as usual.
    if (failure?.labels.includes('RetryableWriteError') === true) throw failure;
    return this.#take(cursor, attempt);
  }

  #namespaceBytes(ns: string): number {
    return this.#target.bson.elements({ ns }).byteLength + 5;
  }

  /** Checks the size of an unacknowledged write, whose error would be lost. Rule: Bulk Write, "Size Limits". */
  #checkWrite(at: number, size: number, max: number): void {
    if (size <= max) return;
    const { kind, op } = this.#writes[at]!;
    const stored = (kind === 'insert' ? op['document'] : op['updateMods']) as unknown;
    if (kind !== 'delete' && !Array.isArray(stored)) {
      const { bson, arguments: shape } = this.#target;
      const { byteLength } = bson.elements(stored as Document);
      if (shape.options.raw !== true) this.#check(`document at ${at}`, byteLength + 5, max);
    }
    this.#check(`write at ${at}`, size, max + commandMargin);
  }

  #check(what: string, size: number, max: number): void {
    if (size > max)
      throw new MongoError(
        'usage',
        `The ${what} of this bulkWrite takes ${size} bytes, but only ${max} are available. Split it or store large content with GridFS.`,
      );
  }
}

/** An unacknowledged bulkWrite command. Its result is the number of its writes. */
export class UnansweredClientBulkWrite extends ClientBulkWrite<number> {
  constructor(target: Target, writes: readonly ClientWrite[], from: number, options: ClientBulkWriteOptions) {
    const nothing = (): number => 0;
    super(target, writes, from, options, nothing, nothing);
  }

  unanswered({ statements }: Attempt): number {
    return statements;
  }
}
