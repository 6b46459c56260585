import { decimalText } from './decimal.js';
import {
  endOfName,
  readFloat64,
  readHex,
  readInt32,
  readInt64,
  readString,
  readText,
  readUint32,
  valueLength,
} from './read.js';

const quote = JSON.stringify;

/** Matches texts that JSON writes without escapes. */
const plain = /^[\w $.:/@-]*$/;

const quoted = (text: string): string => (text.length < 24 && plain.test(text) ? `"${text}"` : quote(text));

/**
 * Writes BSON values as JSON for a realm. Values that JSON cannot express are null in the JSON, and follow in a list with
 * their paths.
 */
export class Inward {
  #text = '';
  #special = '';
  #count = 0;

  /** Returns the JSON of the values so far. */
  finish(): string {
    return `{"v":[${this.#text}],"s":[${this.#special}]}`;
  }

  /**
   * Adds a document.
   * @param only the names of the fields to write; all if undefined
   */
  add(bytes: Uint8Array, at: number, only?: ReadonlySet<string>): this {
    this.#document(bytes, at, this.#next(), only);
    return this;
  }

  /** Adds each value of a document. */
  addValues(bytes: Uint8Array): this {
    const last = readInt32(bytes, 0) - 1;
    for (let i = 4; i < last;) {
      const value = endOfName(bytes, i + 1) + 1;
      this.#value(bytes[i]!, bytes, value, this.#next());
      i = value + valueLength(bytes[i]!, bytes, value);
    }
    return this;
  }

  /** Returns the path of the next value. */
  #next(): string {
    if (this.#count > 0) this.#text += ',';
    return String(this.#count++);
  }

  #document(bytes: Uint8Array, at: number, path: string, only?: ReadonlySet<string>): void {
    const last = at + readInt32(bytes, at) - 1;
    let separator = '{';
    for (let i = at + 4; i < last;) {
      const type = bytes[i]!;
      const end = endOfName(bytes, i + 1);
      const name = readText(bytes, i + 1, end);
      if (only === undefined || only.has(name)) {
        const key = quoted(name);
        this.#text += `${separator}${key}:`;
        this.#value(type, bytes, end + 1, path, key);
        separator = ',';
      }
      i = end + 1 + valueLength(type, bytes, end + 1);
    }
    this.#text += separator === '{' ? '{}' : '}';
  }

  #array(bytes: Uint8Array, at: number, path: string): void {
    const last = at + readInt32(bytes, at) - 1;
    let count = 0;
    this.#text += '[';
    for (let i = at + 4; i < last; count++) {
      const value = endOfName(bytes, i + 1) + 1;
      if (count > 0) this.#text += ',';
      this.#value(bytes[i]!, bytes, value, path, count);
      i = value + valueLength(bytes[i]!, bytes, value);
    }
    this.#text += ']';
  }

  #value(type: number, bytes: Uint8Array, at: number, parent: string, key?: string | number): void {
    switch (type) {
      case 1: {
        const number = readFloat64(bytes, at);
        if (Number.isNaN(number)) this.#mark(1, '', parent, key);
        else if (Number.isFinite(number)) this.#text += Object.is(number, -0) ? '-0.0' : String(number);
        else this.#text += number > 0 ? '1e999' : '-1e999';
        return;
      }
      case 2:
      case 14:
        this.#text += quoted(readString(bytes, at));
        return;
      case 3:
        this.#document(bytes, at, key === undefined ? parent : `${parent},${key}`);
        return;
      case 4:
        this.#array(bytes, at, key === undefined ? parent : `${parent},${key}`);
        return;
      case 8:
        this.#text += bytes[at] === 1 ? 'true' : 'false';
        return;
      case 10:
        this.#text += 'null';
        return;
      case 16:
        this.#text += String(readInt32(bytes, at));
        return;
      default:
        this.#mark(type, parts(type, bytes, at), parent, key);
    }
  }

  #mark(type: number, rest: string, parent: string, key: string | number | undefined): void {
    const path = key === undefined ? parent : `${parent},${key}`;
    this.#text += 'null';
    this.#special += `${this.#special === '' ? '' : ','}[[${path}],${type}${rest}]`;
  }
}

/** Returns the parts of a value that JSON cannot express, each after a comma. */
const parts = (type: number, bytes: Uint8Array, at: number): string => {
  switch (type) {
    case 5: {
      const start = bytes[at + 4] === 2 ? at + 9 : at + 5;
      return `,${bytes[at + 4]!},"${readHex(bytes, start, at + 5 + readInt32(bytes, at))}"`;
    }
    case 7:
      return `,"${readHex(bytes, at, at + 12)}"`;
    case 9:
      return `,${readInt32(bytes, at + 4) * 0x1_0000_0000 + readUint32(bytes, at)}`;
    case 11: {
      const end = endOfName(bytes, at);
      return `,${quote(readText(bytes, at, end))},${quote(readText(bytes, end + 1, endOfName(bytes, end + 1)))}`;
    }
    case 12: {
      const id = at + 4 + readInt32(bytes, at);
      return `,${quote(readString(bytes, at))},"${readHex(bytes, id, id + 12)}"`;
    }
    case 13:
      return `,${quote(readString(bytes, at))}`;
    case 15: {
      const scope = new Inward().add(bytes, at + 8 + readInt32(bytes, at + 4));
      return `,${quote(readString(bytes, at + 4))},${quote(scope.finish())}`;
    }
    case 17:
      return `,${readUint32(bytes, at + 4)},${readUint32(bytes, at)}`;
    case 18:
      return `,"${readInt64(bytes, at)}"`;
    case 19:
      return `,"${decimalText(bytes, at)}"`;
    default:
      return '';
  }
};
