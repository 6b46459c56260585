import { MongoError, errorFieldsOf } from '@tessera/contracts';
import type { BsonCodec, Connection, Document, Millis, Raw } from '@tessera/contracts';

/** No mechanism's messages are longer; whoever sends more has another aim. */
const longestPayload = 16_384;

/** Codes by which a server says that it does not accept who is there; all others say something of the server. */
const refusals: ReadonlySet<unknown> = new Set([11, 13, 17, 18, 334, 8000]);

/** One step of the server's. */
export interface SaslReply {
  readonly conversationId: unknown;
  readonly done: boolean;
  readonly payload: Raw;
}

export interface SaslDeps {
  readonly bson: BsonCodec;
  readonly mechanism: string;
  /** The database that is asked. */
  readonly source: string;
}

/** Documents that travel as the payload of a mechanism. */
export const toPayload = (bson: BsonCodec, document: Document): Raw => {
  const writer = bson.writer();
  writer.begin(0);
  writer.fields(document);
  writer.endBody();
  return writer.take();
};

/** @throws MongoError `protocol` for what is no document */
export const fromPayload = (bson: BsonCodec, payload: Raw): Document => bson.read(payload).document();

/** The content of a binary value, in whichever form a codec hands it over. */
export const binaryBytes = (value: unknown): Raw | undefined => {
  if (value instanceof Uint8Array) return value;
  const { buffer, position } = (value ?? {}) as { readonly buffer?: unknown; readonly position?: unknown };
  return buffer instanceof Uint8Array && typeof position === 'number' ? buffer.subarray(0, position) : undefined;
};

/** The commands of one mechanism, and what may come back. Rule: Authentication, "SASL Mechanisms". */
export class Sasl {
  readonly #deps: SaslDeps;

  constructor(deps: SaslDeps) {
    this.#deps = deps;
  }

  /** The first command. With `db` it can go with hello. */
  start(payload: Raw, more: Document = {}): Document {
    const { bson, mechanism } = this.#deps;
    return { saslStart: 1, mechanism, payload: new bson.values.Binary(payload), autoAuthorize: 1, ...more };
  }

  /** @throws MongoError `auth` if the server refuses, `protocol` for an answer that cannot be one */
  async ask(connection: Connection, command: Document, deadline: Millis): Promise<SaslReply> {
    return this.read(connection, await this.command(connection, command, deadline));
  }

  next(connection: Connection, { conversationId }: SaslReply, payload: Raw, deadline: Millis): Promise<SaslReply> {
    const { bson } = this.#deps;
    const command = { saslContinue: 1, conversationId, payload: new bson.values.Binary(payload) };
    return this.ask(connection, command, deadline);
  }

  /** Any command of the mechanism. @throws MongoError `auth` if the server refuses */
  async command(connection: Connection, command: Document, deadline: Millis): Promise<Document> {
    try {
      return await connection.command(this.#deps.source, command, deadline);
    } catch (error) {
      throw this.#refused(connection, error);
    }
  }

  /** @throws MongoError `protocol` */
  read(connection: Connection, reply: Document): SaslReply {
    const { conversationId, done, mechanism } = reply;
    const payload = binaryBytes(reply['payload']);
    if (mechanism !== undefined && mechanism !== this.#deps.mechanism)
      throw this.broken(connection, 'it went on with another mechanism than the one that was begun');
    if (typeof done !== 'boolean') throw this.broken(connection, 'it did not say whether the conversation is done');
    if (conversationId === undefined) throw this.broken(connection, 'its answer belongs to no conversation');
    if (payload === undefined) throw this.broken(connection, 'its answer has no payload');
    if (payload.length > longestPayload)
      throw this.broken(connection, `its payload has ${payload.length} bytes; ${longestPayload} are the most`);
    return { conversationId, done, payload };
  }

  /** What the server did not do as the mechanism asks. */
  broken(connection: Connection, what: string): MongoError {
    return new MongoError('protocol', `${connection.address} does not keep to ${this.#deps.mechanism}: ${what}`);
  }

  #refused({ address }: Connection, error: unknown): unknown {
    if (!MongoError.is(error) || error.kind !== 'server' || !refusals.has(error.code)) return error;
    const { mechanism, source } = this.#deps;
    const { message: words = 'the server gave no reason' } = errorFieldsOf(error.reply ?? {});
    return new MongoError(
      'auth',
      `${words} (${mechanism} at ${address}, authSource ${source}; check user name, password and authSource)`,
      { code: error.code, codeName: error.codeName, labels: error.labels, origin: error.origin },
    );
  }
}
