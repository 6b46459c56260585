import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseQuery } from '../src/query/parse.js';
import { Doc } from '../src/value/doc.js';
import { MAX_KEY } from '../src/value/value.js';
import type { Fields } from './query-cases.js';
import { asDoc } from './query-cases.js';
import { d, double, text } from './shorthand.js';
import { anyFilter, anySmallDoc } from './query-arbitrary.js';

const predicatesOf = (filter: Fields): string => {
  const { predicates, complete } = parseQuery(asDoc(filter));
  const shown = predicates.map(({ path, op, value, exact }) => `${path} ${op} ${text(value)}${exact ? '' : '?'}`);
  return [...shown, complete ? 'complete' : 'partial'].join('; ');
};

describe('predicates for an index ("?" marks an inexact one)', () => {
  test.each([
    [{}, 'complete'],
    [{ a: 1 }, 'a eq 1; complete'],
    [{ a: { $eq: 'x' } }, 'a eq "x"; complete'],
    [{ a: 1, 'b.c': 2 }, 'a eq 1; b.c eq 2; complete'],
    [{ $and: [{ a: 1 }, { $and: [{ b: 2 }] }], c: 3 }, 'a eq 1; b eq 2; c eq 3; complete'],
    [{ a: { $gt: 1, $lte: 5 } }, 'a gt 1; a lte 5; complete'],
    [{ a: { $gte: 1 }, $comment: 'x' }, 'a gte 1; complete'],
    [{ a: { $in: [1, 2] } }, 'a in [1, 2]; complete'],
    [{ a: { $in: [1, /x/] } }, 'a in [1, /x/]?; partial'],
    [{ a: { $in: [1, null] } }, 'a in [1, null]?; partial'],
    [{ a: null }, 'a eq null?; partial'],
    [{ a: [1] }, 'a eq [1]?; partial'],
    [{ a: { b: 1 } }, 'a eq {b: 1}; complete'],
    [{ a: { $gt: double(NaN) } }, 'a gt nan.0?; partial'],
    [{ a: { $lt: MAX_KEY } }, 'a lt MaxKey?; partial'],
    [{ a: /^x/ }, 'a regex /^x/?; partial'],
    [{ a: { $exists: true } }, 'a exists true?; partial'],
    [{ a: { $exists: false } }, 'a exists false?; partial'],
    [{ a: { $ne: 1 } }, 'partial'],
    [{ a: { $not: { $gt: 1 } } }, 'partial'],
    [{ $or: [{ a: 1 }, { b: 1 }] }, 'partial'],
    [{ $or: [{ a: 1 }] }, 'a eq 1; complete'],
    [{ $nor: [{ a: 1 }], b: 1 }, 'b eq 1; partial'],
    [{ a: { $all: [1, 2] } }, 'a eq 1; a eq 2; complete'],
    [{ a: { $size: 1 }, b: 1 }, 'b eq 1; partial'],
    [{ a: { $type: 'int' } }, 'partial'],
    [{ a: { $elemMatch: { $gt: 1, $lt: 5 } } }, 'a gt 1?; a lt 5?; partial'],
    [{ a: { $elemMatch: { b: 1, c: { $gt: 2 } } } }, 'a.b eq 1?; a.c gt 2?; partial'],
    [{ a: { $elemMatch: { b: null, 0: 1 } } }, 'partial'],
    [{ a: { $elemMatch: { $or: [{ b: 1 }, { b: 2 }] } } }, 'partial'],
  ] as const)('%j', (filter, expected) => {
    expect(predicatesOf(filter)).toBe(expected);
  });

  test('every matching document satisfies each predicate', () => {
    fc.assert(
      fc.property(anyFilter, anySmallDoc, (filter, doc) => {
        const matcher = parseQuery(filter);
        if (!matcher.matches(doc)) return;
        for (const { path, op, value } of matcher.predicates) {
          const operand = op === 'regex' ? value : Doc.of([[`$${op}`, value]]);
          expect(parseQuery(Doc.of([[path, operand]])).matches(doc), `${path} ${op}`).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('a document that satisfies all predicates of a complete filter matches', () => {
    fc.assert(
      fc.property(anyFilter, anySmallDoc, (filter, doc) => {
        const matcher = parseQuery(filter);
        if (!matcher.complete) return;
        const all = matcher.predicates.every(({ path, op, value }) =>
          parseQuery(Doc.of([[path, Doc.of([[`$${op}`, value]])]])).matches(doc),
        );
        expect(all).toBe(matcher.matches(doc));
      }),
      { numRuns: 200 },
    );
  });
});

describe('the position that the positional $ stands for', () => {
  test.each([
    [{ a: 2 }, { a: [1, 2] }, 1],
    [{ a: 2 }, { a: 2 }, undefined],
    [{ a: [1, 2] }, { a: [1, 2] }, undefined],
    [{ a: { $gt: 1 } }, { a: [1, 5, 9] }, 1],
    [{ a: { $in: [9, 5] } }, { a: [1, 5, 9] }, 1],
    [{ 'a.b': 3 }, { a: [{ b: 1 }, { b: 3 }] }, 1],
    [{ 'a.b': 3 }, { a: [{ b: [1, 2] }, { b: [3, 4] }] }, 1],
    [{ 'a.b': 3 }, { a: { b: [1, 3] } }, 1],
    [{ 'a.b.c': 3 }, { a: [{ b: [{ c: 1 }] }, { b: [{ c: 0 }, { c: 3 }] }] }, 1],
    [{ 'a.1': 5 }, { a: [0, 5] }, undefined],
    [{ a: { $elemMatch: { b: 3, c: 1 } } }, { a: [{ b: 3 }, { b: 3, c: 1 }] }, 1],
    [{ a: { $elemMatch: { $gt: 3 } } }, { a: [1, 4] }, 1],
    [{ 'a.b': { $elemMatch: { $gt: 3 } } }, { a: { b: [1, 4] } }, 1],
    [{ 'a.b': { $elemMatch: { $gt: 3 } } }, { a: [{ b: [1] }, { b: [1, 2, 4] }] }, 1],
    [{ a: { $ne: 5 } }, { a: [1, 2] }, undefined],
    [{ a: { $not: { $gt: 5 } } }, { a: [1, 2] }, undefined],
    [{ a: { $nin: [5] } }, { a: [1, 2] }, undefined],
    [{ $nor: [{ a: 5 }] }, { a: [1] }, undefined],
    [{ _id: 1, a: 2 }, { _id: 1, a: [0, 2] }, 1],
    [{ a: 2, b: 3 }, { a: [0, 0, 2], b: [0, 3] }, 1],
    [{ a: 2, _id: 1 }, { _id: 1, a: [0, 2] }, 1],
    [{ $or: [{ a: 7 }, { a: 2 }] }, { a: [0, 2] }, 1],
    [{ $and: [{ a: 2 }] }, { a: [0, 2] }, 1],
    [{ a: { $all: [1, 2] } }, { a: [1, 2] }, 1],
    [{ a: { $exists: true } }, { a: [1] }, 0],
    [{ a: /y/ }, { a: ['x', 'y'] }, 1],
  ] as const)('%j in %j', (filter, doc, expected) => {
    const matcher = parseQuery(d(filter));
    expect(matcher.matches(d(doc))).toBe(true);
    expect(matcher.position(d(doc))).toBe(expected);
  });
});
