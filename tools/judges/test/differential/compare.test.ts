import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agree, agreementOf, isEffective } from '../../src/differential/compare.js';
import { createChance } from '../../src/chance.js';
import { valueOf } from '../../src/differential/generate/values.js';
import type { Operation, Outcome } from '../../src/differential/operation.js';
import type { Fields, Tree } from '../../src/differential/tree.js';

const operation = (command: Fields): Operation => ({ family: 'a test', command });
const found = (...documents: readonly Tree[]): Outcome => ({ kind: 'done', result: documents });
const refused = (code: number): Outcome => ({ kind: 'refused', code, message: 'no' });

const find = operation({ find: 'c', filter: {} });
const exact = agreementOf(find, true);

describe('agree', () => {
  test('requires equal types', () => {
    const ones: readonly Tree[] = [
      { $numberInt: '1' },
      { $numberLong: '1' },
      { $numberDouble: '1.0' },
      { $numberDecimal: '1' },
      { $numberDecimal: '1.0' },
      '1',
      true,
    ];
    for (const [i, a] of ones.entries())
      for (const [j, b] of ones.entries()) expect(agree(found({ v: a }), found({ v: b }), exact)).toBe(i === j);
  });

  test('agrees for every value with itself', () => {
    fc.assert(
      fc.property(fc.integer(), seed => {
        const value = valueOf(createChance(seed), 'any');
        expect(agree(found({ v: value }), found({ v: structuredClone(value) }), exact)).toBe(true);
      }),
    );
  });

  test('requires the same order of fields', () => {
    expect(agree(found({ a: 1, b: 2 }), found({ b: 2, a: 1 }), exact)).toBe(false);
  });

  test('ignores the order of results unless the operation sorts by _id', () => {
    const [one, other] = [found({ _id: 1 }, { _id: 2 }), found({ _id: 2 }, { _id: 1 })];
    const sorted = agreementOf(operation({ find: 'c', filter: {}, sort: { a: 1, _id: 1 } }), true);
    const grouped = operation({ aggregate: 'c', pipeline: [{ $sort: { _id: 1 } }, { $group: { _id: '$a' } }] });
    expect([
      agree(one, other, exact),
      agree(one, other, sorted),
      agree(one, other, agreementOf(grouped, true)),
    ]).toEqual([true, false, true]);
    expect(agree(one, found({ _id: 1 }, { _id: 1 }), exact)).toBe(false);
  });

  test('ignores the order of arrays from set operators', () => {
    const union = agreementOf(
      operation({ aggregate: 'c', pipeline: [{ $project: { r: { $setUnion: ['$a', '$b'] } } }] }),
      true,
    );
    expect([union, exact].map(how => agree(found({ r: [1, 2] }), found({ r: [2, 1] }), how))).toEqual([true, false]);
  });

  test('ignores the last digits of transcendental functions', () => {
    const sine = agreementOf(operation({ aggregate: 'c', pipeline: [{ $project: { r: { $sin: '$a' } } }] }), true);
    const [a, b] = ['0.8414709848078965', '0.8414709848078966'].map(text => found({ r: { $numberDouble: text } }));
    expect([sine, exact].map(how => agree(a!, b!, how))).toEqual([true, false]);
  });

  test('ignores generated ids and current dates', () => {
    const made = (id: string): Outcome =>
      found({ _id: { $oid: id }, at: { $date: { $numberLong: String(Date.now()) } } });
    expect(agree(made('650000000000000000000001'), made('650000000000000000000002'), exact)).toBe(true);
    expect(agree(made('650000000000000000000001'), made('000000000000000000000000'), exact)).toBe(false);
  });

  test("compares error codes only if the engine's codes are trusted", () => {
    const trusting = { ...exact, codes: false };
    expect([
      agree(refused(2), refused(2), exact),
      agree(refused(2), refused(9), exact),
      agree(refused(2), refused(9), trusting),
      agree(refused(2), found(), trusting),
    ]).toEqual([true, false, true, false]);
  });

  test('compares the documents that a write leaves', () => {
    const left = (document: Tree): Outcome => ({ kind: 'done', result: { n: 1, nModified: 1 }, after: [document] });
    expect([left({ a: 1 }), left({ a: 2 })].map(other => agree(left({ a: 1 }), other, exact))).toEqual([true, false]);
  });
});

test('an operation has an effect if it finds, changes or returns a value', () => {
  const changed = (n: number, nModified: number): Outcome => ({ kind: 'done', result: { n, nModified }, after: [] });
  expect([found({}), found(), changed(1, 1), changed(1, 0), refused(2)].map(isEffective)).toEqual([
    true,
    false,
    true,
    false,
    false,
  ]);
});
