import { serialize } from 'bson';
import { expect, test } from 'vitest';
import { variedDocuments } from '../src/documents/varied.js';

const keysOf = (document: Record<string, unknown>): string => Object.keys(document).join();

test('variedDocuments returns the same documents for the same seed, and different ones for another seed', () => {
  expect(variedDocuments(20, 3)).toEqual(variedDocuments(20, 3));
  expect(variedDocuments(20, 3)).not.toEqual(variedDocuments(20, 4));
});

test('varied documents differ in length and keys; half of a field is null and a tenth of the texts is not ASCII', () => {
  const documents = variedDocuments(1000);
  expect(new Set(documents.map(document => serialize(document).length)).size).toBeGreaterThan(200);
  expect(new Set(documents.map(keysOf)).size).toBe(8);
  const share = (is: (document: Record<string, unknown>) => boolean): number => documents.filter(is).length / 1000;
  expect(share(({ reposts }) => reposts === null)).toBeCloseTo(0.5, 1);
  expect(share(({ text }) => /[^\0-\x7f]/.test(text as string))).toBeCloseTo(0.1, 1);
  expect(new Set(documents.map(({ _id }) => String(_id))).size).toBe(1000);
});
