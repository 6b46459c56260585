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

describe('two outcomes agree', () => {
  test('with values of the same type only', () => {
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

  test('with every value and itself, whatever its type', () => {
    fc.assert(
      fc.property(fc.integer(), seed => {
        const value = valueOf(createChance(seed), 'any');
        expect(agree(found({ v: value }), found({ v: structuredClone(value) }), exact)).toBe(true);
      }),
    );
  });

  test('with fields in the same order', () => {
    expect(agree(found({ a: 1, b: 2 }), found({ b: 2, a: 1 }), exact)).toBe(false);
  });

  test('in any order, unless a sort by the id settles it', () => {
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

  test('with sets in any order, where the operation gives sets', () => {
    const union = agreementOf(
      operation({ aggregate: 'c', pipeline: [{ $project: { r: { $setUnion: ['$a', '$b'] } } }] }),
      true,
    );
    expect([union, exact].map(how => agree(found({ r: [1, 2] }), found({ r: [2, 1] }), how))).toEqual([true, false]);
  });

  test('with the last digits of transcendental functions free', () => {
    const sine = agreementOf(operation({ aggregate: 'c', pipeline: [{ $project: { r: { $sin: '$a' } } }] }), true);
    const [a, b] = ['0.8414709848078965', '0.8414709848078966'].map(text => found({ r: { $numberDouble: text } }));
    expect([sine, exact].map(how => agree(a!, b!, how))).toEqual([true, false]);
  });

  test('with ids and times of their own', () => {
    const made = (id: string): Outcome =>
      found({ _id: { $oid: id }, at: { $date: { $numberLong: String(Date.now()) } } });
    expect(agree(made('650000000000000000000001'), made('650000000000000000000002'), exact)).toBe(true);
    expect(agree(made('650000000000000000000001'), made('000000000000000000000000'), exact)).toBe(false);
  });

  test('in refusing, with the same code where codes are trusted', () => {
    const trusting = { ...exact, codes: false };
    expect([
      agree(refused(2), refused(2), exact),
      agree(refused(2), refused(9), exact),
      agree(refused(2), refused(9), trusting),
      agree(refused(2), found(), trusting),
    ]).toEqual([true, false, true, false]);
  });

  test('with the same documents left behind', () => {
    const left = (document: Tree): Outcome => ({ kind: 'done', result: { n: 1, nModified: 1 }, after: [document] });
    expect([left({ a: 1 }), left({ a: 2 })].map(other => agree(left({ a: 1 }), other, exact))).toEqual([true, false]);
  });
});

test('an operation has an effect if it finds, changes or gives something', () => {
  const changed = (n: number, nModified: number): Outcome => ({ kind: 'done', result: { n, nModified }, after: [] });
  expect([found({}), found(), changed(1, 1), changed(1, 0), refused(2)].map(isEffective)).toEqual([
    true,
    false,
    true,
    false,
    false,
  ]);
});
