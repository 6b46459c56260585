import { serialize } from 'bson';
import { expect, test } from 'vitest';
import { variedDocuments } from '../src/documents/varied.js';

const keysOf = (document: Record<string, unknown>): string => Object.keys(document).join();

test('varied documents are the same for the same seed, and others for another one', () => {
  expect(variedDocuments(20, 3)).toEqual(variedDocuments(20, 3));
  expect(variedDocuments(20, 3)).not.toEqual(variedDocuments(20, 4));
});

test('varied documents differ in length and in keys, have fields that are null or not, and a tenth of texts beyond ASCII', () => {
  const documents = variedDocuments(1000);
  expect(new Set(documents.map(document => serialize(document).length)).size).toBeGreaterThan(200);
  expect(new Set(documents.map(keysOf)).size).toBe(8);
  const share = (is: (document: Record<string, unknown>) => boolean): number => documents.filter(is).length / 1000;
  expect(share(({ reposts }) => reposts === null)).toBeCloseTo(0.5, 1);
  expect(share(({ text }) => /[^\0-\x7f]/.test(text as string))).toBeCloseTo(0.1, 1);
  expect(new Set(documents.map(({ _id }) => String(_id))).size).toBe(1000);
});
