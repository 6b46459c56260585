import { fail } from '../errors.js';
import { readUtf8, utf8 } from '../value/utf8.js';
import type { BinaryValue } from '../value/value.js';
import { toHex } from '../value/value.js';

export type BinaryFormat = 'auto' | 'base64' | 'base64url' | 'hex' | 'utf8' | 'uuid';

const formats: ReadonlySet<string> = new Set<BinaryFormat>(['auto', 'base64', 'base64url', 'hex', 'utf8', 'uuid']);
export const isBinaryFormat = (text: string): text is BinaryFormat => formats.has(text);

const standard = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const forUrls = `${standard.slice(0, 62)}-_`;

/** Encodes bytes as base64. Rule: RFC 4648, sections 4 and 5. */
export const toBase64 = (bytes: Uint8Array, alphabet: string = standard, padding: boolean = true): string => {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const left = Math.min(3, bytes.length - i);
    const group = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    for (let k = 0; k <= left; k++) text += alphabet[(group >> (18 - 6 * k)) & 63]!;
    if (padding) text += '='.repeat(3 - left);
  }
  return text;
};

/** Decodes base64. Returns undefined if the text is not base64. @param padding whether the text must be padded */
export const fromBase64 = (
  text: string,
  alphabet: string = standard,
  padding: boolean = true,
): Uint8Array | undefined => {
  const digits = text.replace(/={0,2}$/, '');
  const bad = (padding && text.length % 4 !== 0) || digits.length % 4 === 1;
  if (bad || [...digits].some(digit => !alphabet.includes(digit))) return undefined;
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let bits = 0;
  let length = 0;
  let at = 0;
  for (const digit of digits) {
    bits = ((bits << 6) | alphabet.indexOf(digit)) & 0xffffff;
    length += 6;
    if (length < 8) continue;
    length -= 8;
    bytes[at++] = (bits >> length) & 0xff;
  }
  return bytes;
};

const checkedBase64 = (text: string, alphabet: string, padding: boolean): Uint8Array => {
  const bytes = fromBase64(text, alphabet, padding);
  if (bytes === undefined) throw fail(10270, 'invalid base64');
  return bytes;
};

const fromHex = (text: string): Uint8Array => {
  if (text.length % 2 !== 0) throw fail('FailedToParse', 'Hex blob with odd digits');
  if (!/^[0-9a-fA-F]*$/.test(text)) throw fail('FailedToParse', `The character is not a hex digit`);
  return Uint8Array.from({ length: text.length / 2 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16));
};

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const uuidSubtype = 4;

const toUuid = (bytes: Uint8Array): string =>
  toHex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/**
 * Parses binary data in a text format.
 * @throws CommandError with a message that says what is invalid
 */
export const bytesOfText = (text: string, format: BinaryFormat, subtype: number): Uint8Array => {
  if ((format === 'uuid') !== (subtype === uuidSubtype)) {
    throw fail(4341116, `Only the 'uuid' format is allowed with the UUID subtype`);
  }
  switch (format) {
    case 'base64':
      return checkedBase64(text, standard, true);
    case 'base64url':
      return checkedBase64(text, forUrls, false);
    case 'hex':
      return fromHex(text);
    case 'utf8':
      return utf8(text);
    case 'uuid':
      if (!uuidForm.test(text)) throw fail('InvalidUUID', `Invalid UUID string: ${text}`);
      return fromHex(text.replaceAll('-', ''));
    case 'auto':
      throw fail(4341117, `Invalid format 'auto'`);
  }
};

/**
 * Formats binary data as text.
 * @throws CommandError if the bytes are not valid in the format
 */
export const textOfBytes = ({ bytes, subtype }: BinaryValue, format: BinaryFormat): string => {
  const isUuid = subtype === uuidSubtype && bytes.length === 16;
  switch (format) {
    case 'auto':
      return isUuid ? toUuid(bytes) : toBase64(bytes, standard, true);
    case 'base64':
      return toBase64(bytes, standard, true);
    case 'base64url':
      return toBase64(bytes, forUrls, false);
    case 'hex':
      return toHex(bytes).toUpperCase();
    case 'utf8': {
      const text = readUtf8(bytes, 0, bytes.length);
      if (text.includes('\ufffd')) throw fail(4341122, 'BinData does not represent a valid UTF-8 string');
      return text;
    }
    case 'uuid':
      if (!isUuid) throw fail(4341121, 'BinData does not represent a valid UUID');
      return toUuid(bytes);
  }
};
