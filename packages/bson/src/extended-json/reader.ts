import type { Document } from '@tessera/contracts';
import { deepest } from '../decode/deepest.js';
import { setMember } from '../decode/constructor.js';
import { Double, Int32, Long } from '../values.js';
import type { Item } from './item.js';
import { refusal, Scanner } from './scanner.js';
import { wrappers } from './wrappers.js';

export interface ExtendedJsonOptions {
  /**
   * Read numbers as JavaScript numbers (int64 only if it is safe) and symbols as strings. Default false: read them as
   * their BSON classes.
   */
  readonly promoteValues?: boolean;
}

const defaults: Required<ExtendedJsonOptions> = { promoteValues: false };

/**
 * Returns a number of the smallest type that holds it. Rule: Extended JSON, "Special rules for parsing JSON numbers".
 */
const numberOf = (text: string): Int32 | Long | Double => {
  const number = Number(text);
  if (/[.eE]/.test(text) || Object.is(number, -0)) return new Double(number);
  if ((number | 0) === number) return new Int32(number);
  const exact = BigInt(text);
  return BigInt.asIntN(64, exact) === exact ? Long.fromBigInt(exact) : new Double(number);
};

const promoted = (item: Item): unknown => {
  switch (item.form) {
    case 'number':
    case '$numberInt':
    case '$numberDouble':
    case '$numberLong': {
      const number = Number(item.value instanceof Long ? item.value.toBigInt() : (item.value as Int32 | Double).value);
      return item.value instanceof Long && !Number.isSafeInteger(number) ? item.value : number;
    }
    case '$symbol':
      return String(item.value);
    default:
      return item.value;
  }
};

class Reader {
  private readonly scanner: Scanner;
  private readonly promote: boolean;
  private depth = 0;

  constructor(text: string, promote: boolean) {
    this.scanner = new Scanner(text);
    this.promote = promote;
  }

  whole(): Document {
    if (this.scanner.peek() !== '{') throw this.scanner.unexpected('"{"');
    const { value } = this.object(true);
    if (this.scanner.peek() !== '') throw this.scanner.unexpected('the end of the text');
    return value as Document;
  }

  private item(): Item {
    const { scanner } = this;
    const next = scanner.peek();
    const { at } = scanner;
    if (next === '{') return this.object(false);
    if (next === '[') return this.array();
    if (next === '"') return { at, form: 'string', value: scanner.string() };
    if (scanner.word('true')) return { at, form: 'boolean', value: true };
    if (scanner.word('false')) return { at, form: 'boolean', value: false };
    if (scanner.word('null')) return { at, form: 'null', value: null };
    const text = scanner.number();
    if (text === '') throw scanner.unexpected('a value');
    return { at, form: 'number', text, value: numberOf(text) };
  }

  private valueOf(item: Item): unknown {
    return this.promote ? promoted(item) : item.value;
  }

  private deeper(): void {
    if (++this.depth > deepest)
      throw refusal(this.scanner.at, `a value nested more than ${String(deepest)} levels deep`);
  }

  private array(): Item {
    const { scanner } = this;
    this.deeper();
    const { at } = scanner;
    const value: unknown[] = [];
    scanner.expect('[');
    if (!scanner.take(']')) {
      do value.push(this.valueOf(this.item()));
      while (scanner.take(','));
      scanner.expect(']');
    }
    this.depth--;
    return { at, form: 'array', value };
  }

  private object(top: boolean): Item {
    const { scanner } = this;
    this.deeper();
    const { at } = scanner;
    const members = new Map<string, Item>();
    scanner.expect('{');
    if (!scanner.take('}')) {
      do {
        scanner.peek();
        const keyAt = scanner.at;
        const key = scanner.string();
        if (key.includes('\0')) throw refusal(keyAt, 'a key with a NUL character, which ends keys in BSON');
        scanner.expect(':');
        members.set(key, this.item());
      } while (scanner.take(','));
      scanner.expect('}');
    }
    this.depth--;
    for (const key of top ? [] : members.keys()) {
      const wrapper = key.startsWith('$') ? wrappers.get(key) : undefined;
      if (wrapper !== undefined) return { at, form: key as `$${string}`, value: wrapper(members, at) };
    }
    const value: Document = {};
    for (const [key, item] of members) setMember(value, key, this.valueOf(item));
    return { at, form: 'document', value, members };
  }
}

/**
 * Parses a document from Extended JSON v2, canonical or relaxed. Parsing is strict: a wrapper has exactly its members,
 * with exactly their types. The outermost object is never a wrapper. Documents that look like a DBRef stay documents.
 * If a key repeats, the last value counts. Keys that look like indexes come first, as in every JavaScript object.
 * @throws MongoError `usage` with the position of the character. Rule: Extended JSON, "Parsers"
 */
export const parseExtendedJson = (text: string, options: ExtendedJsonOptions = {}): Document =>
  new Reader(text, options.promoteValues ?? defaults.promoteValues).whole();
