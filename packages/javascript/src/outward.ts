import { decimalBits } from './decimal.js';
import type { Element } from './read.js';
import { eachElement, readInt32, utf8 } from './read.js';

/** Finds the value from which an object of a script was made, by its path: the position of the argument, then keys. */
export type Find = (path: readonly (string | number)[]) => Element | undefined;

/** A value in the text of a realm: an array with a tag stands for any value other than text, booleans, numbers and null. */
type Sent = string | number | boolean | null | readonly Sent[];

/** Creates the error for an answer that only a script which has replaced functions of the language can cause. */
const malformed = (): Error => new TypeError('A value of the script cannot be converted to BSON.');

const textOf = (sent: Sent | undefined): string => {
  if (typeof sent !== 'string') throw malformed();
  return sent;
};

const numberOf = (sent: Sent | undefined): number => {
  if (typeof sent !== 'number') throw malformed();
  return sent;
};

/** Bytes that grow. */
class Bytes {
  #bytes = new Uint8Array(256);
  #view = new DataView(this.#bytes.buffer);
  at = 0;

  #reserve(more: number): number {
    const { at } = this;
    this.at += more;
    if (this.at > this.#bytes.length) {
      const grown = new Uint8Array(2 * this.at);
      grown.set(this.#bytes);
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    return at;
  }

  byte(value: number): void {
    const at = this.#reserve(1);
    this.#bytes[at] = value;
  }

  int32(value: number, at = this.#reserve(4)): void {
    this.#view.setInt32(at, value, true);
  }

  int64(value: bigint): void {
    const at = this.#reserve(8);
    this.#view.setBigInt64(at, value, true);
  }

  float64(value: number): void {
    const at = this.#reserve(8);
    this.#view.setFloat64(at, value, true);
  }

  raw(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
  }

  hex(text: string): void {
    if (!/^(?:[\da-f]{2})*$/.test(text)) throw malformed();
    for (let i = 0; i < text.length; i += 2) this.byte(Number.parseInt(text.slice(i, i + 2), 16));
  }

  /** Writes a text that ends with NUL. */
  name(text: string): void {
    if (text.includes('\0')) throw new TypeError('A field name contains a NUL character.');
    this.raw(utf8(text));
    this.byte(0);
  }

  string(text: string): void {
    const bytes = utf8(text);
    this.int32(bytes.length + 1);
    this.raw(bytes);
    this.byte(0);
  }

  slice(start: number): Uint8Array {
    return this.#bytes.slice(start, this.at);
  }

  view(start: number): Uint8Array {
    return this.#bytes.subarray(start, this.at);
  }
}

const isSame = (bytes: Uint8Array, { bytes: others, at, end }: Element): boolean => {
  if (bytes.length !== end - at) return false;
  for (let i = 0; i < bytes.length; i++) if (bytes[i] !== others[at + i]) return false;
  return true;
};

/** The options that BSON has, in its order. */
const regexOptions = ['i', 'l', 'm', 's', 'u', 'x'];

/** Writes the values of a realm as BSON. */
class Outward {
  readonly out = new Bytes();
  readonly #find: Find;

  constructor(find: Find) {
    this.#find = find;
  }

  /** Writes the type, the name and the value. */
  field(name: string, sent: Sent, origin: Element | undefined): void {
    const { out } = this;
    const start = out.at;
    out.byte(0);
    out.name(name);
    const type = this.value(sent, origin);
    const end = out.at;
    out.at = start;
    out.byte(type);
    out.at = end;
  }

  /** Writes a value and returns its type. An integer keeps the type of an int32 that it replaces. */
  value(sent: Sent, origin: Element | undefined): number {
    const { out } = this;
    switch (typeof sent) {
      case 'string':
        out.string(sent);
        return 2;
      case 'boolean':
        out.byte(sent ? 1 : 0);
        return 8;
      case 'number':
        if (origin?.type === 16 && (sent | 0) === sent) {
          out.int32(sent);
          return 16;
        }
        out.float64(sent);
        return 1;
      default:
        if (sent === null) return 10;
        if (!Array.isArray(sent)) throw malformed();
        return this.#tagged(sent as readonly Sent[]);
    }
  }

  #tagged(sent: readonly Sent[]): number {
    const { out } = this;
    const [tag, a, b] = sent;
    switch (tag) {
      case 'd':
        return this.#object(sent);
      case 'a':
        return this.#array(sent);
      case 'u':
        return 6;
      case 'n':
        out.float64(Number(a));
        return 1;
      case 'i':
        out.int32(numberOf(a));
        return 16;
      case 'l':
        out.int64(BigInt(textOf(a)));
        return 18;
      case 'oid':
        if (textOf(a).length !== 24) throw malformed();
        out.hex(textOf(a));
        return 7;
      case 'date':
        out.int64(a === null ? -(2n ** 63n) : BigInt(Math.trunc(numberOf(a))));
        return 9;
      case 'bin':
        this.#binary(numberOf(a), textOf(b));
        return 5;
      case 'ts':
        out.int32(numberOf(b));
        out.int32(numberOf(a));
        return 17;
      case 're':
        out.name(textOf(a));
        out.name(regexOptions.filter(option => textOf(b).includes(option)).join(''));
        return 11;
      case 'dec':
        for (const half of decimalBits(textOf(a))) out.int64(BigInt.asIntN(64, half));
        return 19;
      case 'ref':
        out.string(textOf(a));
        out.hex(textOf(b));
        return 12;
      case 'code':
        return this.#code(textOf(a), b);
      case 'max':
        return 127;
      case 'min':
        return 255;
      default:
        throw malformed();
    }
  }

  #binary(subtype: number, hex: string): void {
    const { out } = this;
    const length = hex.length / 2;
    out.int32(subtype === 2 ? length + 4 : length);
    out.byte(subtype);
    if (subtype === 2) out.int32(length);
    out.hex(hex);
  }

  #code(code: string, scope: Sent | undefined): number {
    const { out } = this;
    if (scope === undefined) {
      out.string(code);
      return 13;
    }
    const start = out.at;
    out.int32(0);
    out.string(code);
    if (this.value(scope, undefined) !== 3) throw malformed();
    out.int32(out.at - start, start);
    return 15;
  }

  #originOf(path: Sent | undefined): Element | undefined {
    return Array.isArray(path) ? this.#find(path as readonly (string | number)[]) : undefined;
  }

  /** Writes an object. An object with the fields of its origin is written as its origin, in the order of its fields. */
  #object(sent: readonly Sent[]): number {
    const { out } = this;
    const origin = this.#originOf(sent[1]);
    const before = origin?.type === 3 ? fieldsOf(origin) : undefined;
    const start = out.at;
    out.int32(0);
    let same = before === undefined ? -1 : 0;
    for (let i = 2; i < sent.length; i += 2) {
      const name = textOf(sent[i]);
      const from = before?.get(name);
      const at = out.at;
      this.field(name, sent[i + 1]!, from);
      if (
        from !== undefined &&
        same >= 0 &&
        isSame(out.view(at + 2 + utf8(name).length), from) &&
        out.view(at)[0] === from.type
      )
        same++;
      else same = -1;
    }
    out.byte(0);
    out.int32(out.at - start, start);
    if (same === before?.size) {
      out.at = start;
      out.raw(origin!.bytes.subarray(origin!.at, origin!.end));
    }
    return 3;
  }

  #array(sent: readonly Sent[]): number {
    const { out } = this;
    const origin = this.#originOf(sent[1]);
    const before = origin?.type === 4 ? fieldsOf(origin) : undefined;
    const start = out.at;
    out.int32(0);
    for (let i = 2; i < sent.length; i++) {
      const name = String(i - 2);
      this.field(name, sent[i]!, before?.get(name));
    }
    out.byte(0);
    out.int32(out.at - start, start);
    return 4;
  }
}

const fieldsOf = ({ bytes, at }: Element): Map<string, Element> => {
  const fields = new Map<string, Element>();
  eachElement(bytes, at, (name, element) => {
    if (!fields.has(name)) fields.set(name, element);
  });
  return fields;
};

const parsed = (text: string): Sent => {
  try {
    return JSON.parse(text) as Sent;
  } catch {
    throw malformed();
  }
};

/**
 * Converts the text of a realm to a document with the field `value`.
 * @throws TypeError for a value that BSON cannot express
 */
export const toBson = (text: string, find: Find): Uint8Array => {
  const outward = new Outward(find);
  const { out } = outward;
  out.int32(0);
  outward.field('value', parsed(text), undefined);
  out.byte(0);
  out.int32(out.at, 0);
  return out.slice(0);
};

/** Converts the text of a list to a document with a field for each value. @throws TypeError as {@link toBson} */
export const listToBson = (text: string, find: Find): Uint8Array => {
  const outward = new Outward(find);
  const { out } = outward;
  const list = parsed(text);
  if (!Array.isArray(list)) throw malformed();
  out.int32(0);
  for (const [i, sent] of (list as readonly Sent[]).entries()) outward.field(String(i), sent, undefined);
  out.byte(0);
  out.int32(out.at, 0);
  return out.slice(0);
};

/** Returns the value at a path below the value. */
export const elementAt = (from: Element | undefined, path: readonly (string | number)[]): Element | undefined => {
  let at = from;
  for (const key of path) {
    if (at === undefined || (at.type !== 3 && at.type !== 4)) return undefined;
    at = fieldsOf(at).get(String(key));
  }
  return at;
};

/** Returns the element of a whole document. */
export const wholeOf = (bytes: Uint8Array): Element => ({ type: 3, bytes, at: 0, end: readInt32(bytes, 0) });
