import { Binary, Long } from 'bson';
import { expect, test } from 'vitest';
import { parseDocument } from '../src/documents/official.js';

const bytes = Buffer.from('a film');
const long = { n: Long.fromString('7791511468172299508') };

test.each([
  `{ "b": { "$binary": { "base64": "${bytes.toString('base64')}", "subType": "00" } }, "n": { "$numberLong": "7791511468172299508" } }`,
  `{ "b": { "$binary": "${bytes.toString('base64')}", "$type": "00" }, "n": { "$numberLong": "7791511468172299508" } }`,
])('parseDocument reads both versions of Extended JSON: %s', json => {
  expect(parseDocument(json)).toEqual({ b: new Binary(bytes, 0), ...long });
});
