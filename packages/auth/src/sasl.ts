import { MongoError, errorFieldsOf } from '@tessera/contracts';
import type { BsonCodec, Connection, Document, Millis, Raw } from '@tessera/contracts';

/** The maximum size of a payload. No mechanism has longer messages. */
const longestPayload = 16_384;

/** Error codes that mean authentication failed. All others are problems of the server. */
const refusals: ReadonlySet<unknown> = new Set([11, 13, 17, 18, 334, 8000]);

/** One reply of a SASL conversation. */
export interface SaslReply {
  readonly conversationId: unknown;
  readonly done: boolean;
  readonly payload: Raw;
}

export interface SaslDeps {
  readonly bson: BsonCodec;
  readonly mechanism: string;
  /** The authentication database. */
  readonly source: string;
}

/** Encodes a document as a mechanism's payload. */
export const toPayload = (bson: BsonCodec, document: Document): Raw => {
  const writer = bson.writer();
  writer.begin(0);
  writer.fields(document);
  writer.endBody();
  return writer.take();
};

/** Decodes a payload. @throws MongoError `protocol` if it is not a document */
export const fromPayload = (bson: BsonCodec, payload: Raw): Document => bson.read(payload).document();

/** Returns the content of a binary value, in any form that a codec returns. */
export const binaryBytes = (value: unknown): Raw | undefined => {
  if (value instanceof Uint8Array) return value;
  const { buffer, position } = (value ?? {}) as { readonly buffer?: unknown; readonly position?: unknown };
  return buffer instanceof Uint8Array && typeof position === 'number' ? buffer.subarray(0, position) : undefined;
};

/** The commands of one mechanism and their replies. Rule: Authentication, "SASL Mechanisms". */
export class Sasl {
  readonly #deps: SaslDeps;

  constructor(deps: SaslDeps) {
    this.#deps = deps;
  }

  /** Returns the first command. With `db` it can be sent with hello. */
  start(payload: Raw, more: Document = {}): Document {
    const { bson, mechanism } = this.#deps;
    return { saslStart: 1, mechanism, payload: new bson.values.Binary(payload), autoAuthorize: 1, ...more };
  }

  /**
   * Sends a command and reads its reply. @throws MongoError `auth` if the server rejects it, `protocol` for an invalid
   * reply
   */
  async ask(connection: Connection, command: Document, deadline: Millis): Promise<SaslReply> {
    return this.read(connection, await this.command(connection, command, deadline));
  }

  next(connection: Connection, { conversationId }: SaslReply, payload: Raw, deadline: Millis): Promise<SaslReply> {
    const { bson } = this.#deps;
    const command = { saslContinue: 1, conversationId, payload: new bson.values.Binary(payload) };
    return this.ask(connection, command, deadline);
  }

  /** Sends any command of the mechanism. @throws MongoError `auth` if the server rejects it */
  async command(connection: Connection, command: Document, deadline: Millis): Promise<Document> {
    try {
      return await connection.command(this.#deps.source, command, deadline);
    } catch (error) {
      throw this.#refused(connection, error);
    }
  }

  /** Reads a reply. @throws MongoError `protocol` */
  read(connection: Connection, reply: Document): SaslReply {
    const { conversationId, done, mechanism } = reply;
    const payload = binaryBytes(reply['payload']);
    if (mechanism !== undefined && mechanism !== this.#deps.mechanism)
      throw this.broken(connection, 'it continued with another mechanism');
    if (typeof done !== 'boolean') throw this.broken(connection, 'it did not say whether the conversation is done');
    if (conversationId === undefined) throw this.broken(connection, 'its reply has no conversation ID');
    if (payload === undefined) throw this.broken(connection, 'its reply has no payload');
    if (payload.length > longestPayload)
      throw this.broken(
        connection,
        `its payload has ${payload.length} bytes, more than the maximum of ${longestPayload}`,
      );
    return { conversationId, done, payload };
  }

  /** Returns the error for a server that violates the mechanism. */
  broken(connection: Connection, what: string): MongoError {
    return new MongoError('protocol', `${connection.address} violates ${this.#deps.mechanism}: ${what}.`);
  }

  #refused({ address }: Connection, error: unknown): unknown {
    if (!MongoError.is(error) || error.kind !== 'server' || !refusals.has(error.code)) return error;
    const { mechanism, source } = this.#deps;
    const { message: words = 'The server gave no reason.' } = errorFieldsOf(error.reply ?? {});
    return new MongoError(
      'auth',
      `${words} (${mechanism} at ${address}, authSource ${source}. Check the user name, the password and "authSource".)`,
      { code: error.code, codeName: error.codeName, labels: error.labels, origin: error.origin },
    );
  }
}
