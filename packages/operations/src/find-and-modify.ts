import { writeConcernError } from '@tessera/contracts';
import type { Attempt, BodyWriter, Document, Elements, Operation, Reply, Selection } from '@tessera/contracts';
import { writeRawData } from './raw-data.js';
import { isAcknowledged, writable, writeOptions } from './target.js';
import type { Target } from './target.js';
import { unsupportedOption } from './write.js';

/** The fields of a findAndModify command. */
export interface FindAndModifyOptions {
  readonly query?: Document | undefined;
  readonly sort?: Document | undefined;
  readonly remove?: boolean | undefined;
  readonly update?: Document | readonly Document[] | undefined;
  readonly new?: boolean | undefined;
  readonly fields?: Document | undefined;
  readonly upsert?: boolean | undefined;
  readonly bypassDocumentValidation?: boolean | undefined;
  readonly collation?: Document | undefined;
  readonly arrayFilters?: readonly Document[] | undefined;
  readonly hint?: unknown;
  readonly comment?: unknown;
  readonly let?: Document | undefined;
  readonly maxTimeMS?: number | undefined;
  /** Rule: CRUD, "rawData". */
  readonly rawData?: boolean | undefined;
}

const plain = [
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
] as const;

/** The reply to findAndModify. */
export interface FindAndModifyReply {
  readonly value: Document | null;
  readonly lastErrorObject: Document;
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
