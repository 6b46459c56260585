import { doesNotThrow, strictEqual, throws } from 'node:assert';
import { decode, encode, parseExtendedJson, stringifyExtendedJson } from '@tessera/bson';
import { Decimal128 } from 'bson';
import { judge } from '../suite.js';
import type { Suite } from '../suite.js';

interface ValidCase {
  readonly description: string;
  readonly canonical_bson: string;
  readonly canonical_extjson: string;
  readonly relaxed_extjson?: string;
  readonly degenerate_bson?: string;
  readonly degenerate_extjson?: string;
  /** Extended JSON cannot express the value exactly. */
  readonly lossy?: boolean;
}

interface CorpusFile {
  readonly bson_type: string;
  readonly valid?: readonly ValidCase[];
  readonly decodeErrors?: readonly { readonly description: string; readonly bson: string }[];
  readonly parseErrors?: readonly { readonly description: string; readonly string: string }[];
}

const bytesOf = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex').toUpperCase();

/** Decodes each value as an object that encodes back to the same bytes. */
const faithful = { keepTypes: true };
const canonical = { relaxed: false };

const tokens = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|\s+/g;

/** Normalizes the whitespace, string escapes and fractions of JSON text. */
const normal = (json: string): string =>
  json.replace(tokens, token => {
    if (token.startsWith('"')) return JSON.stringify(JSON.parse(token));
    if (token.trim() === '') return '';
    return /[.eE]/.test(token) ? `${String(Number(token))}f` : token;
  });

const checkValid = (test: ValidCase): void => {
  const bytes = bytesOf(test.canonical_bson);
  const hex = hexOf(bytes);
  const canonicalText = normal(test.canonical_extjson);
  const value = decode(bytes, faithful);
  doesNotThrow(() => decode(bytes), 'decode with the default options');
  strictEqual(hexOf(encode(value)), hex, 'bytes → value → bytes');
  strictEqual(normal(stringifyExtendedJson(value, canonical)), canonicalText, 'bytes → value → canonical');
  strictEqual(normal(stringifyExtendedJson(bytes, canonical)), canonicalText, 'bytes → canonical');
  checkText(test, test.canonical_extjson, 'canonical');
  if (test.degenerate_extjson !== undefined) checkText(test, test.degenerate_extjson, 'degenerate');
  if (test.degenerate_bson !== undefined) {
    strictEqual(
      hexOf(encode(decode(bytesOf(test.degenerate_bson), faithful))),
      hex,
      'degenerate bytes → value → bytes',
    );
  }
  if (test.relaxed_extjson !== undefined) {
    const relaxed = normal(test.relaxed_extjson);
    strictEqual(normal(stringifyExtendedJson(value)), relaxed, 'bytes → value → relaxed');
    strictEqual(
      normal(stringifyExtendedJson(parseExtendedJson(test.relaxed_extjson))),
      relaxed,
      'relaxed → value → relaxed',
    );
  }
};

const checkText = (test: ValidCase, text: string, form: string): void => {
  const value = parseExtendedJson(text);
  strictEqual(
    normal(stringifyExtendedJson(value, canonical)),
    normal(test.canonical_extjson),
    `${form} → value → canonical`,
  );
  if (test.lossy === true) return;
  strictEqual(hexOf(encode(value)), hexOf(bytesOf(test.canonical_bson)), `${form} → value → bytes`);
};

const checkParseError = (type: string, text: string): void => {
  if (type === '0x13') {
    throws(() => Decimal128.fromString(text), 'The string was accepted as a Decimal128.');
    throws(() => parseExtendedJson(`{"d":{"$numberDecimal":${JSON.stringify(text)}}}`), { kind: 'usage' });
    return;
  }
  doesNotThrow(() => JSON.parse(text) as unknown, 'The text is not JSON, so the case does not test Extended JSON.');
  throws(() => parseExtendedJson(text), { kind: 'usage', message: /at character \d+\.$/ });
};

/** Rule: BSON Corpus, "Testing validity", "Testing decode errors", "Testing parsing errors". */
export const run: Suite = files =>
  files.flatMap(({ name, json }) => {
    const { bson_type: type, valid = [], decodeErrors = [], parseErrors = [] } = json as CorpusFile;
    return [
      ...valid.map(test => judge(name, test.description, () => checkValid(test))),
      ...decodeErrors.map(test =>
        judge(name, test.description, () => {
          throws(() => decode(bytesOf(test.bson)), { kind: 'protocol', message: /at byte -?\d+ of the document/ });
          throws(() => decode(bytesOf(test.bson), faithful), { kind: 'protocol' });
        }),
      ),
      ...parseErrors.map(test => judge(name, test.description, () => checkParseError(type, test.string))),
    ];
  });
