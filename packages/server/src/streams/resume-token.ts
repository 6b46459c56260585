import { BinaryValue, Doc, TimestampValue, fail, readInt32, showDoc } from '@tessera/mql/engine';

/**
 * A position in a change stream. In text form, tokens have the order of the stream. Among tokens with the same time,
 * the high water mark comes first. The format is mongod's, except for the event's identity, which is BSON in a binary
 * value.
 */
export type Token =
  /** All entries before this time have been read. */
  { readonly kind: 'highWaterMark'; readonly ts: TimestampValue } | EventToken;

/** An event has been read. */
export interface EventToken {
  readonly kind: 'event';
  readonly ts: TimestampValue;
  /** The index of the operation among those of the same time. */
  readonly index: number;
  /** Whether it is the invalidate event that follows. */
  readonly fromInvalidate: boolean;
  /** The UUID of the collection. */
  readonly uuid: BinaryValue | undefined;
  /** Identifies the subject of the event. */
  readonly identity: Doc;
  /** The fragment of a split event, starting at 0. */
  readonly fragment: number | undefined;
}

/** The format of tokens: 1 before 6.0, 2 from then on. */
export type TokenVersion = 1 | 2;

// The types of MongoDB's KeyString that occur in tokens.
const nullType = 0x14;
const zeroType = 0x29;
/** The type of a positive integer with one byte; for two bytes it is one more. */
const integerType = 0x2b;
const binaryType = 0x5a;
const falseType = 0x6e;
const trueType = 0x6f;
const timestampType = 0x82;
const endType = 0x04;

const highWaterMarkType = 0;
const eventType = 128;

const hexOf: readonly string[] = Array.from({ length: 0x100 }, (_, byte) =>
  byte.toString(16).padStart(2, '0').toUpperCase(),
);

/** Returns bytes in hexadecimal digits, as do the following functions. */
const hexBytes = (bytes: Uint8Array): string => {
  let text = '';
  for (let i = 0; i < bytes.length; i++) text += hexOf[bytes[i]!]!;
  return text;
};

const byte = (value: number): string => hexOf[value]!;

const uint32 = (value: number): string =>
  byte(value >>> 24) + byte((value >>> 16) & 0xff) + byte((value >>> 8) & 0xff) + byte(value & 0xff);

/** Encodes an integer, shifted by one bit, in as few bytes as possible. */
const integer = (value: number): string => {
  if (value === 0) return byte(zeroType);
  let digits = '';
  let type = integerType - 1;
  for (let rest = 2 * value; rest > 0; rest = Math.floor(rest / 0x100)) {
    digits = byte(rest % 0x100) + digits;
    type += 1;
  }
  return byte(type) + digits;
};

const binary = (subtype: number, bytes: Uint8Array): string => {
  const length = bytes.length < 0xff ? byte(bytes.length) : byte(0xff) + uint32(bytes.length);
  return byte(binaryType) + length + byte(subtype) + hexBytes(bytes);
};

const tokenText = (token: Token, version: TokenVersion): string => {
  const { t, i } = token.ts;
  const start = byte(timestampType) + uint32(t) + uint32(i) + integer(version);
  const noUuid = version === 1 ? '' : byte(nullType);
  const end = byte(endType);
  if (token.kind === 'highWaterMark') {
    return start + integer(highWaterMarkType) + integer(0) + byte(falseType) + noUuid + end;
  }
  const { index, fromInvalidate, uuid, identity, fragment } = token;
  const place = integer(eventType) + integer(index) + byte(fromInvalidate ? trueType : falseType);
  const collection = uuid === undefined ? noUuid : binary(uuid.subtype, uuid.bytes);
  return (
    start + place + collection + binary(0, identity.bytes) + (fragment === undefined ? '' : integer(fragment)) + end
  );
};

/** Encodes a token: `{ _data: '82…' }`. */
export const tokenDoc = (token: Token, version: TokenVersion): Doc => Doc.of([['_data', tokenText(token, version)]]);

/** Returns the text by which tokens are compared. */
export const textOf = (token: Doc): string => token.get('_data') as string;

/** Reads the values in a token, one after the other. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get next(): number {
    return this.#bytes[this.#at] ?? endType;
  }

  get isAtEnd(): boolean {
    return this.next === endType;
  }

  #take(count: number): Uint8Array {
    if (this.#at + count > this.#bytes.length) throw fail(50811, 'Invalid resume token: it ends too early');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  skip(): void {
    this.#at += 1;
  }

  #uint32(): number {
    return this.#take(4).reduce((sum, byte) => sum * 0x100 + byte, 0);
  }

  timestamp(): TimestampValue {
    if (this.next !== timestampType) throw fail(40649, 'invalid empty resume token');
    this.skip();
    return new TimestampValue(this.#uint32(), this.#uint32());
  }

  /** Returns undefined if the next value has another type. */
  integer(): number | undefined {
    const type = this.next;
    if (type === zeroType) {
      this.skip();
      return 0;
    }
    if (type < integerType || type > integerType + 4) return undefined;
    this.skip();
    return this.#take(type - integerType + 1).reduce((sum, byte) => sum * 0x100 + byte, 0) / 2;
  }

  binary(): BinaryValue | undefined {
    if (this.next !== binaryType) return undefined;
    this.skip();
    const [short = 0] = this.#take(1);
    const length = short === 0xff ? this.#uint32() : short;
    const [subtype = 0] = this.#take(1);
    return new BinaryValue(subtype, this.#take(length).slice());
  }
}

/** Returns the bytes of a token. @throws CommandError 40647, 9 */
const bytesOf = (token: Doc): Uint8Array => {
  const text = token.get('_data');
  if (typeof text !== 'string') {
    throw fail(40647, `Bad resume token: _data of missing or of wrong type. Expected string, got ${showDoc(token)}`);
  }
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) {
    throw fail('FailedToParse', 'resume token string was not a valid hex string');
  }
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16));
};

const identityOf = (value: BinaryValue | undefined): Doc => {
  const bytes = value?.subtype === 0 ? value.bytes : new Uint8Array();
  if (bytes.length < 5 || readInt32(bytes, 0) !== bytes.length) {
    throw fail(6189503, 'Resume Token eventIdentifier is not an object');
  }
  return Doc.fromBytes(bytes);
};

/**
 * Parses a token from a client. The event's identity is kept for comparison only.
 * @throws CommandError 9, 40646, 40647, 40649 and mongod's other codes for invalid tokens
 */
export const parseToken = (doc: Doc): Token => {
  const reader = new Reader(bytesOf(doc));
  const ts = reader.timestamp();
  const version = reader.integer();
  if (version === undefined) throw fail(50796, 'Resume Token does not contain version');
  if (version !== 1 && version !== 2) throw fail(50795, 'Invalid Resume Token: only supports version 0, 1 and 2');
  const type = reader.integer();
  if (type === undefined) throw fail(51055, 'Resume Token does not contain tokenType');
  if (type !== highWaterMarkType && type !== eventType) throw fail(51057, `Token type ${type} not recognized`);
  const index = reader.integer();
  if (index === undefined) throw fail(50793, 'Resume Token does not contain txnOpIndex');
  const flag = reader.next;
  if (flag !== falseType && flag !== trueType) throw fail(50872, 'Resume Token does not contain fromInvalidate');
  reader.skip();
  if (reader.next === nullType) reader.skip();
  const value = reader.binary();
  if (type === highWaterMarkType) {
    if (value !== undefined || !reader.isAtEnd) throw fail(6189504, 'Invalid high water mark token');
    return { kind: 'highWaterMark', ts };
  }
  const isUuid = value?.subtype === 4;
  const identity = identityOf(isUuid ? reader.binary() : value);
  const fragment = reader.integer();
  if (!reader.isAtEnd) throw fail(40646, 'invalid oversized resume token');
  const fromInvalidate = flag === trueType;
  return { kind: 'event', ts, index, fromInvalidate, uuid: isUuid ? value : undefined, identity, fragment };
};
