import type { Document } from '@tessera/contracts';
import { corruption } from '../corruption.js';
import { BSONUndefined, DBPointer } from '../deprecated.js';
import { copyOf } from '../host.js';
import type { Settings } from '../options.js';
import { isUtf8 } from '../utf8.js';
import { mustBeUtf8 } from '../utf8-rule.js';
import {
  Binary,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  objectIdAt,
  Timestamp,
  UUID,
} from '../values.js';
import { setMember } from './constructor.js';
import { asDBRef, stillDBRef, type DBRefState } from './db-ref.js';
import { deepest } from './deepest.js';
import { keyEnd, valueEnd } from './extent.js';
import { bytes, contentOf, numbers } from './memory.js';
import { readKey } from './text.js';

const safeHigh = 0x200000; // 2^53 / 2^32

/**
 * The decoder that supports every option and reports where a document is invalid. It reads documents with options other
 * than the defaults, rare types, and documents that the fast decoder gave up on.
 */
export class PlainDecoder {
  private readonly settings: Settings;
  /** The start of the outermost document; error offsets count from there. */
  private base = 0;
  /** 1 in the outermost document. */
  private depth = 0;
  /** Whether strings at the current position must be valid UTF-8. */
  private strict = true;
  /** The end of the last value read. */
  end = 0;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  /** Resets the decoder. Error offsets count from this offset of the attached memory. */
  from(base: number, depth = 0): this {
    this.base = base;
    this.depth = depth;
    return this;
  }

  /** Reads the document that starts here and ends at or before the limit. It may be a DBRef. */
  document(start: number, limit: number): Document {
    const last = this.open(start, limit);
    return this.fields(start + 4, last, !this.settings.keepTypes);
  }

  array(start: number, limit: number, raw: boolean): unknown[] {
    const last = this.open(start, limit);
    const items: unknown[] = [];
    let at = start + 4;
    while (at < last) {
      const type = bytes[at]!;
      at = keyEnd(at + 1, last, this.base) + 1;
      items.push(this.value(type, at, last, String(items.length), raw));
      at = this.end;
    }
    this.close(last);
    return items;
  }

  /** Checks the length and the terminator, and returns the offset of the terminator. */
  private open(start: number, limit: number): number {
    const end = valueEnd(3, start, limit, this.base);
    if (bytes[end - 1] !== 0) this.fail(end - 1, 'a document without a terminator');
    if (++this.depth > deepest) this.fail(start, `a document nested more than ${String(deepest)} levels deep`);
    return end - 1;
  }

  private close(last: number): void {
    this.depth--;
    this.end = last + 1;
  }

  private fields(start: number, last: number, references: boolean): Document {
    const document: Document = {};
    let state: DBRefState = references ? undefined : false;
    let at = start;
    while (at < last) {
      const type = bytes[at]!;
      const keyAt = at + 1;
      at = keyEnd(keyAt, last, this.base);
      const key = readKey(keyAt, at - keyAt);
      state = stillDBRef(state, key);
      const value = this.value(type, at + 1, last, key, false);
      setMember(document, key, value);
      at = this.end;
    }
    this.close(last);
    return state === true ? asDBRef(document) : document;
  }

  /**
   * Reads a value of this type and stores where it ends in `end`. With `raw`, documents in it are returned as bytes.
   */
  value(type: number, at: number, limit: number, key: string, raw: boolean): unknown {
    const settings = this.settings;
    if (this.depth <= 1) this.strict = mustBeUtf8(settings.utf8, key);
    const end = valueEnd(type, at, limit, this.base);
    switch (type) {
      case 3:
        if (!raw && !settings.raw) return this.document(at, end);
        if (bytes[end - 1] !== 0) this.fail(end - 1, 'a document without a terminator');
        this.end = end;
        return copyOf(bytes, at, end);
      case 4:
        return this.array(at, end, raw || settings.fieldsAsRaw[key] === true);
      case 15:
        return this.codeWithScope(at, end);
      default:
        this.end = end;
        return this.simple(type, at, end);
    }
  }

  private simple(type: number, at: number, end: number): unknown {
    const { promoteValues, keepTypes } = this.settings;
    switch (type) {
      case 1: {
        const value = numbers.getFloat64(at, true);
        return promoteValues ? value : new Double(value);
      }
      case 2:
        return this.text(at + 4, end - 1);
      case 5:
        return this.binary(at, end);
      case 6:
        return keepTypes ? new BSONUndefined() : undefined;
      case 7:
        return objectIdAt(bytes, at);
      case 8:
        if (bytes[at]! > 1) this.fail(at, 'a boolean that is neither 0 nor 1');
        return bytes[at] === 1;
      case 9:
        return new Date(numbers.getInt32(at + 4, true) * 4294967296 + numbers.getUint32(at, true));
      case 10:
        return null;
      case 11:
        return this.regularExpression(at, end);
      case 12: {
        const namespace = this.text(at + 4, end - 13);
        const id = objectIdAt(bytes, end - 12);
        return keepTypes ? new DBPointer(namespace, id) : new DBRef(namespace, id);
      }
      case 13:
        return new Code(this.text(at + 4, end - 1));
      case 14: {
        const text = this.text(at + 4, end - 1);
        return promoteValues ? text : new BSONSymbol(text);
      }
      case 16: {
        const value = numbers.getInt32(at, true);
        return promoteValues ? value : new Int32(value);
      }
      case 17:
        return new Timestamp({ i: numbers.getUint32(at, true), t: numbers.getUint32(at + 4, true) });
      case 18:
        return this.int64(at);
      case 19:
        return new Decimal128(copyOf(bytes, at, end));
      case 127:
        return new MaxKey();
      default:
        return new MinKey();
    }
  }

  /** Reads the text between two offsets, which a NUL must follow. */
  private text(start: number, end: number): string {
    if (bytes[end] !== 0) this.fail(end, 'a string without a terminator');
    const text = readKey(start, end - start);
    // Only invalid bytes and U+FFFD itself decode to this character. A string of one-byte units cannot contain it.
    if (this.strict && text.includes('\ufffd') && !isUtf8(bytes, start, end)) {
      this.fail(start, 'a string that is not UTF-8');
    }
    return text;
  }

  private int64(at: number): unknown {
    const { useBigInt64, promoteLongs, promoteValues } = this.settings;
    if (useBigInt64) return numbers.getBigInt64(at, true);
    const low = numbers.getInt32(at, true);
    const high = numbers.getInt32(at + 4, true);
    if (promoteLongs && promoteValues) {
      if (high < safeHigh && high >= -safeHigh) return high * 4294967296 + (low >>> 0);
      if (high === safeHigh && low === 0) return 9007199254740992;
    }
    return new Long(low, high);
  }

  private binary(at: number, end: number): unknown {
    const subtype = bytes[at + 4]!;
    let start = at + 5;
    if (subtype === 2) {
      start += 4;
      if (start > end) this.fail(at, 'a binary of subtype 2 without an inner length');
      const inner = numbers.getInt32(start - 4, true);
      if (inner !== end - start) this.fail(start - 4, `a binary of subtype 2 with the inner length ${String(inner)}`);
    }
    const content = contentOf(start, end);
    if (this.settings.promoteBuffers && this.settings.promoteValues) return content;
    return subtype === 4 && content.length === 16 ? new UUID(content) : new Binary(content, subtype);
  }

  /**
   * Reads a regular expression. A pattern that JavaScript cannot compile, such as `(?i)a`, which the server supports,
   * becomes a BSONRegExp.
   */
  private regularExpression(at: number, end: number): unknown {
    const patternEnd = keyEnd(at, end, this.base);
    const pattern = readKey(at, patternEnd - at);
    const options = readKey(patternEnd + 1, end - patternEnd - 2);
    try {
      if (!this.settings.bsonRegExp) {
        let flags = '';
        for (const option of options) flags += option === 's' ? 'g' : option === 'i' || option === 'm' ? option : '';
        return new RegExp(pattern, flags);
      }
    } catch {
      // Use the class that accepts any pattern.
    }
    try {
      return new BSONRegExp(pattern, options);
    } catch {
      return this.fail(patternEnd + 1, `a regular expression with the unknown options "${options}"`);
    }
  }

  private codeWithScope(at: number, end: number): Code {
    const codeEnd = valueEnd(2, at + 4, end, this.base);
    const code = this.text(at + 8, codeEnd - 1);
    if (valueEnd(3, codeEnd, end, this.base) !== end) this.fail(codeEnd, 'a scope that does not fill its code element');
    const scope = this.fields(codeEnd + 4, this.open(codeEnd, end), false);
    return new Code(code, scope);
  }

  private fail(at: number, problem: string): never {
    throw corruption(at - this.base, problem);
  }
}
