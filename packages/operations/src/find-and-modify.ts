import { writeConcernError } from '@tessera/contracts';
import type { Attempt, BodyWriter, Document, Elements, Operation, Reply, Selection } from '@tessera/contracts';
import { writeRawData } from './raw-data.js';
import { isAcknowledged, writable, writeOptions } from './target.js';
import type { Target } from './target.js';
import { unsupportedOption } from './write.js';

/** The fields of a findAndModify command. */
export interface FindAndModifyOptions {
  /** The filter of the document. */
  readonly query?: Document | undefined;
  /** Which document to change if several match: the first in this order. */
  readonly sort?: Document | undefined;
  /** Whether to delete the document. Excludes `update`. */
  readonly remove?: boolean | undefined;
  /** Update operators, a replacement or a pipeline. */
  readonly update?: Document | readonly Document[] | undefined;
  /** Whether to return the document after the change. Default false. */
  readonly new?: boolean | undefined;
  /** The projection of the returned document. */
  readonly fields?: Document | undefined;
  /** Whether to insert a document if none matches. Default false. */
  readonly upsert?: boolean | undefined;
  /** Whether the change may violate the validation of the collection. */
  readonly bypassDocumentValidation?: boolean | undefined;
  /** The rules for comparing strings. Default: those of the collection. */
  readonly collation?: Document | undefined;
  /** The filters for the array items that the update names. */
  readonly arrayFilters?: readonly Document[] | undefined;
  /** The index to use: its name or its keys. */
  readonly hint?: unknown;
  /** A value for the server's logs and profiler. */
  readonly comment?: unknown;
  /** Variables for the expressions of filter and update. */
  readonly let?: Document | undefined;
  /** The time limit of the server in milliseconds. */
  readonly maxTimeMS?: number | undefined;
  /** Rule: CRUD, "rawData". */
  readonly rawData?: boolean | undefined;
}

const plain: ReadonlySet<string> = new Set([
  'query',
  'sort',
  'remove',
  'update',
  'new',
  'fields',
  'upsert',
  'bypassDocumentValidation',
  'collation',
  'arrayFilters',
  'hint',
  'comment',
  'let',
  'maxTimeMS',
]);

/** The reply to findAndModify. */
export interface FindAndModifyReply {
  /** The document before or after the change. Null: none matched. */
  readonly value: Document | null;
  /** The server's details: `n`, `updatedExisting`, and `upserted` after an insert. */
  readonly lastErrorObject: Document;
  /** Always 1. */
  readonly ok: number;
}

/**
 * Changes or deletes one document and returns it. The result is undefined for an unacknowledged write.
 * Rule: CRUD, "findOneAndDelete", "findOneAndReplace", "findOneAndUpdate".
 */
export class FindAndModify implements Operation<FindAndModifyReply | undefined> {
  readonly name = 'findAndModify';
  readonly kind = 'write';
  readonly retryable = true;
  readonly answer: 'one' | 'none';
  readonly db: string;
  readonly selection: Selection = writable;
  readonly readConcern = undefined;
  readonly #target: Target;
  readonly #options: FindAndModifyOptions;

  constructor(target: Target, options: FindAndModifyOptions) {
    this.answer = isAcknowledged(target.writeConcern) ? 'one' : 'none';
    this.db = target.db;
    this.#target = target;
    this.#options = options;
  }

  get writeConcern(): Document | undefined {
    return this.#target.writeConcern;
  }
  get database(): Elements {
    return this.#target.database;
  }

  body(writer: BodyWriter, attempt: Attempt): void {
    const target = this.#target;
    const { hint, rawData } = this.#options;
    const { connection, server } = attempt;
    if (hint !== undefined && this.answer === 'none' && connection.hello.maxWireVersion < 9)
      throw unsupportedOption('hint', this.name, server.address);
    writer.value('findAndModify', target.collection);
    writeOptions(writer, plain, this.#options as Readonly<Record<string, unknown>>, target.arguments, attempt);
    writeRawData(writer, rawData, attempt);
  }

  read(reply: Reply): FindAndModifyReply {
    if (reply.has('writeConcernError')) throw writeConcernError(reply.document());
    const { documents } = this.#target;
    return {
      value: reply.value('value', documents) ?? null,
      // Contains the `_id` of an upserted document.
      lastErrorObject:
        reply.view('lastErrorObject')?.document(documents.options.raw === true ? undefined : documents) ?? {},
      ok: 1,
    };
  }
}
