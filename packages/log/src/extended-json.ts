import { toBase64 } from '@tessera/contracts';
import type { Binary } from '@tessera/contracts';

/** A value of npm `bson`, which converts itself to Extended JSON. */
interface BsonValue {
  readonly _bsontype: string;
  toString(): string;
  toExtendedJSON?(options: { readonly relaxed: true }): unknown;
}

const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;
const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

/** Collects text until it is longer than the limit, and then truncates it. */
class Text {
  readonly #limit: number;
  #text = '';

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#text.length > this.#limit;
  }

  /** A number of code units that is certain to exceed the limit. */
  get enough(): number {
    return Math.max(0, this.#limit - this.#text.length) + 2;
  }

  add(text: string): void {
    this.#text += text;
  }

  /** Returns the text, truncated at the limit but not inside a code point. */
  cut(): string {
    const [text, limit] = [this.#text, this.#limit];
    if (!this.isFull) return text;
    const isWithin = isHigh(text.charCodeAt(limit - 1)) && isLow(text.charCodeAt(limit));
    return `${text.slice(0, isWithin ? limit - 1 : limit)}...`;
  }
}

const addText = (to: Text, text: string): void => {
  to.add(JSON.stringify(text.slice(0, to.enough)));
};

const addBytes = (to: Text, bytes: Uint8Array, subType: number): void => {
  to.add('{"$binary":{"base64":"');
  to.add(toBase64(bytes.subarray(0, to.enough)));
  to.add(`","subType":"${subType.toString(16).padStart(2, '0')}"}}`);
};

/**
 * Adds a date. Years that ISO 8601 would write with a sign become numbers. Rule: Extended JSON, "Conversion table".
 */
const addDate = (to: Text, date: Date): void => {
  const time = date.getTime();
  const year = date.getUTCFullYear();
  if (year >= 1970 && year <= 9999) to.add(`{"$date":"${date.toISOString().replace('.000Z', 'Z')}"}`);
  else to.add(`{"$date":{"$numberLong":"${time}"}}`);
};

const addList = (to: Text, items: readonly unknown[]): void => {
  to.add('[');
  for (const [index, item] of items.entries()) {
    if (to.isFull) return;
    if (index > 0) to.add(',');
    add(to, item);
  }
  to.add(']');
};

const addDocument = (to: Text, document: object): void => {
  let isFirst = true;
  to.add('{');
  for (const key of Object.keys(document)) {
    if (to.isFull) return;
    if (!isFirst) to.add(',');
    isFirst = false;
    addText(to, key);
    to.add(':');
    add(to, (document as Readonly<Record<string, unknown>>)[key]);
  }
  to.add('}');
};

const addValue = (to: Text, value: BsonValue): void => {
  const binary = value as unknown as Binary;
  // Writes all digits of an int64, some of which a number would lose.
  if (value._bsontype === 'Long') to.add(value.toString());
  else if (value._bsontype === 'Binary') addBytes(to, binary.buffer.subarray(0, binary.position), binary.sub_type);
  else if (value.toExtendedJSON === undefined) addDocument(to, value);
  else add(to, value.toExtendedJSON({ relaxed: true }));
};

const addObject = (to: Text, value: object): void => {
  if (Array.isArray(value)) addList(to, value);
  else if (value instanceof Date) addDate(to, value);
  else if (value instanceof Uint8Array) addBytes(to, value, 0);
  else if (value instanceof RegExp)
    addDocument(to, { $regularExpression: { pattern: value.source, options: [...value.flags].sort().join('') } });
  else if ('_bsontype' in value) addValue(to, value as BsonValue);
  else addDocument(to, value);
};

const add = (to: Text, value: unknown): void => {
  switch (typeof value) {
    case 'string':
      return addText(to, value);
    case 'number':
      return to.add(Number.isFinite(value) ? String(value) : `{"$numberDouble":"${value}"}`);
    case 'bigint':
    case 'boolean':
      return to.add(String(value));
    case 'object':
      return value === null ? to.add('null') : addObject(to, value);
    default:
      return to.add('null');
  }
};

/**
 * Returns relaxed Extended JSON of at most `maxLength` UTF-16 code units, plus `...` if it was truncated. It is never
 * truncated inside a code point. Text beyond the limit is not generated. Rule: Logging, "Configurable Max Document
 * Length", "Performance Considerations".
 */
export const extendedJson = (value: unknown, maxLength: number): string => {
  const text = new Text(maxLength);
  add(text, value);
  return text.cut();
};
