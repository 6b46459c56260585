import type {
  Attempt,
  Batch,
  BodyWriter,
  Document,
  Elements,
  Operation,
  Raw,
  Reply,
  SectionWriter,
  Selection,
  Shape,
} from '@tessera/contracts';
import type { TakeBatch } from './find.js';
import { isTimed } from './target.js';
import type { Target } from './target.js';

/** Options of explain. */
export interface ExplainOptions {
  /** `queryPlanner`, `executionStats`, `allPlansExecution`, or any other value that the server supports. */
  readonly verbosity: string;
  /** The time limit of the explain command itself. */
  readonly maxTimeMS?: number | undefined;
}

/** Explains how the server would execute an operation, without executing it. Rule: MongoDB manual, "explain". */
export const explain = (target: Target, explained: Operation<unknown>, options: ExplainOptions): Operation<Document> =>
  new Explain(target, explained, options, document => document);

/** Explains an operation, with the explanation as the only document of a cursor. */
export const explainAsCursor = <T>(
  target: Target,
  explained: Operation<unknown>,
  options: ExplainOptions,
  take: TakeBatch<T>,
): Operation<T> =>
  new Explain(target, explained, options, (document, reply, attempt) =>
    take({ id: 0n, namespace: '', batch: batchOf(document), reply }, attempt),
  );

const batchOf = (document: Document): Batch => {
  let left: Document | undefined = document;
  const batch: Batch = {
    get length() {
      return left === undefined ? 0 : 1;
    },
    next: () => {
      const next = left;
      left = undefined;
      return next;
    },
    keep: () => batch,
  };
  return batch;
};

/** An explain command. It is not retryable, and neither it nor the explained command may have concerns. */
class Explain<T> implements Operation<T> {
  readonly name = 'explain';
  readonly kind = 'read';
  readonly retryable = false;
  readonly answer = 'one';
  readonly readConcern = 'none';
  readonly db: string;
  readonly selection: Selection;
  readonly database: Elements;
  readonly #target: Target;
  readonly #explained: Operation<unknown>;
  readonly #options: ExplainOptions;
  readonly #give: (explanation: Document, reply: Reply, attempt: Attempt) => T;

  constructor(
    target: Target,
    explained: Operation<unknown>,
    options: ExplainOptions,
    give: (explanation: Document, reply: Reply, attempt: Attempt) => T,
  ) {
    this.db = explained.db;
    this.selection = explained.selection;
    this.database = explained.database;
    this.#target = target;
    this.#explained = explained;
    this.#options = options;
    this.#give = give;
  }

  body(writer: BodyWriter, attempt: Attempt): void {
    const { verbosity, maxTimeMS } = this.#options;
    const inner = new ExplainedWriter(writer);
    writer.open('explain', 'document');
    this.#explained.body(inner, attempt);
    this.#explained.sections?.(inner, attempt);
    inner.endSection();
    writer.close();
    writer.value('verbosity', verbosity);
    if (maxTimeMS !== undefined && !isTimed(attempt)) writer.value('maxTimeMS', maxTimeMS);
  }

  read(reply: Reply, attempt: Attempt): T {
    const { bson, documents } = this.#target;
    return this.#give(reply.document(bson.shape({ ...documents.options, raw: false })), reply, attempt);
  }
}

/** Writes a command as a document inside another one. Document sequences become arrays. */
class ExplainedWriter implements BodyWriter, SectionWriter {
  readonly #writer: BodyWriter;
  /** The next index in the open array; undefined if none is open. */
  #index: number | undefined;

  constructor(writer: BodyWriter) {
    this.#writer = writer;
  }

  get length(): number {
    return this.#writer.length;
  }

  elements(elements: Elements): void {
    this.#writer.elements(elements);
  }

  fields(document: Document | Raw, shape?: Shape): void {
    this.#writer.fields(document, shape);
  }

  int32(key: string, value: number): void {
    this.#writer.int32(key, value);
  }

  int64(key: string, value: number | bigint): void {
    this.#writer.int64(key, value);
  }

  value(key: string, value: unknown, shape?: Shape): void {
    this.#writer.value(key, value, shape);
  }

  open(key: string, as: 'document' | 'array'): void {
    this.#writer.open(key, as);
  }

  close(): void {
    this.#writer.close();
  }

  section(name: string): void {
    this.endSection();
    this.#writer.open(name, 'array');
    this.#index = 0;
  }

  /** Writes a statement of an update or delete. */
  document(document: Document | Raw, shape?: Shape): number {
    const before = this.length;
    const index = this.#index ?? 0;
    this.#index = index + 1;
    this.#writer.value(String(index), document, shape);
    return this.length - before;
  }

  /** Does nothing: the single statement cannot go into another command. */
  cut(): void {
    // The server rejects a command that is too large.
  }

  endSection(): void {
    if (this.#index !== undefined) this.#writer.close();
    this.#index = undefined;
  }
}
