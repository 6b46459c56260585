import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileProjectStage } from '../src/project/project-stage.js';
import type { ProjectionNode } from '../src/project/tree.js';
import { compileAddition, compileExclusion, compileInclusion } from '../src/project/tree.js';
import { createTreeBuilder } from '../src/project/tree-builder.js';
import { UnknownExpression } from '../src/errors.js';
import { Doc } from '../src/value/doc.js';
import type { Value } from '../src/value/value.js';
import { isDoc } from '../src/value/value.js';
import { anySmallDoc } from './query-arbitrary.js';
import type { Shorthand } from './shorthand.js';
import { d, decimal, double, refusal, text, v } from './shorthand.js';

/** A minimal expression compiler for projections: `$literal`, single-name paths, arrays and literals. */
const expression = (spec: Value): ((doc: Doc) => Value | undefined) => {
  if (typeof spec === 'string' && spec.startsWith('$'))
    return doc => (spec === '$$REMOVE' ? undefined : doc.get(spec.slice(1)));
  if (!isDoc(spec)) return () => spec;
  const [name] = spec.keys();
  if (name === '$literal') return () => spec.get('$literal');
  throw new UnknownExpression(name!);
};

type Fields = { readonly [key: string]: Shorthand };
const project = (spec: Fields, doc: Fields): string => text(compileProjectStage(d(spec), expression)(d(doc), d(doc)));

const mixed = [{ b: 1, c: 10 }, 'scalar', null, { b: 2, c: 20 }];

describe('$project', () => {
  test.each<readonly [string, Fields, Fields, Fields]>([
    ['"the _id field is, by default, included"', { a: 1 }, { _id: 1, a: 10, b: 20 }, { _id: 1, a: 10 }],
    ['_id can be left out', { a: 1, _id: 0 }, { _id: 1, a: 10, b: 20 }, { a: 10 }],
    ['_id alone, included', { _id: 1 }, { _id: 1, a: 10 }, { _id: 1 }],
    ['_id alone, left out', { _id: 0 }, { _id: 1, a: 10 }, { a: 10 }],
    ['_id kept in an exclusion', { _id: 1, a: 0 }, { _id: 1, a: 10, b: 2 }, { _id: 1, b: 2 }],
    ['fields keep the order of the document', { c: 1, a: 1 }, { _id: 1, a: 1, b: 2, c: 3 }, { _id: 1, a: 1, c: 3 }],
    ['a missing field is left out', { a: 1, z: 1 }, { _id: 1, a: 10 }, { _id: 1, a: 10 }],
    ['an exclusion keeps the rest', { b: 0 }, { _id: 1, a: 1, b: 2, c: 3 }, { _id: 1, a: 1, c: 3 }],
    ['a nested field included', { 'a.b': 1 }, { _id: 1, a: { b: 10, c: 20 }, d: 30 }, { _id: 1, a: { b: 10 } }],
    ['a nested field excluded', { 'a.b': 0 }, { _id: 1, a: { b: 10, c: 20 }, d: 30 }, { _id: 1, a: { c: 20 }, d: 30 }],
    [
      'a field of a DBRef included',
      { 'a.$id': 1, $db: 1 },
      { _id: 1, a: [{ $ref: 'c', $id: 2 }] },
      { _id: 1, a: [{ $id: 2 }] },
    ],
    ['a field of a DBRef excluded', { 'a.$id': 0 }, { _id: 1, a: { $ref: 'c', $id: 2 } }, { _id: 1, a: { $ref: 'c' } }],
    ['nested notation', { a: { b: 1 } }, { _id: 1, a: { b: 10, c: 20 } }, { _id: 1, a: { b: 10 } }],
    ['nested notation excluding', { a: { b: 0 } }, { _id: 1, a: { b: 10, c: 20 } }, { _id: 1, a: { c: 20 } }],
    [
      'dotted names in nested notation',
      { a: { 'b.c': 1 } },
      { _id: 1, a: { b: { c: 10, e: 1 }, d: 20 } },
      { _id: 1, a: { b: { c: 10 } } },
    ],
    ['a scalar on the path of an inclusion is omitted', { 'a.b': 1 }, { _id: 1, a: 42 }, { _id: 1 }],
    ['a scalar on the path of an exclusion is kept', { 'a.b': 0 }, { _id: 1, a: 42 }, { _id: 1, a: 42 }],
    [
      'a scalar on the path of a computed field is replaced',
      { 'a.b': { $literal: 99 } },
      { _id: 1, a: 42 },
      { _id: 1, a: { b: 99 } },
    ],
    ['an inclusion through an array', { 'a.b': 1 }, { _id: 1, a: mixed }, { _id: 1, a: [{ b: 1 }, { b: 2 }] }],
    [
      'an exclusion through an array',
      { 'a.b': 0 },
      { _id: 1, a: mixed },
      { _id: 1, a: [{ c: 10 }, 'scalar', null, { c: 20 }] },
    ],
    [
      'a computed field through an array',
      { 'a.b': { $literal: 9 } },
      { _id: 1, a: mixed },
      { _id: 1, a: [{ b: 9 }, { b: 9 }, { b: 9 }, { b: 9 }] },
    ],
    [
      'nested arrays included',
      { 'a.b': 1 },
      { _id: 1, a: [[{ b: 1, c: 1 }], [{ b: 3 }, 5]] },
      { _id: 1, a: [[{ b: 1 }], [{ b: 3 }]] },
    ],
    ['nested arrays excluded', { 'a.b': 0 }, { _id: 1, a: [[{ b: 1, c: 1 }], 5] }, { _id: 1, a: [[{ c: 1 }], 5] }],
    [
      'nested arrays computed',
      { 'a.b': { $literal: 9 } },
      { _id: 1, a: [[{ b: 1 }, { b: 2 }], [5]] },
      { _id: 1, a: [[{ b: 9 }, { b: 9 }], [{ b: 9 }]] },
    ],
    ['an empty array included', { 'a.b': 1 }, { _id: 1, a: [[]] }, { _id: 1, a: [[]] }],
    ['an empty array computed', { 'a.b': { $literal: 9 } }, { _id: 1, a: [] }, { _id: 1, a: [] }],
    ['a number in a path is a name', { 'a.0': 1 }, { _id: 1, a: [10, 20] }, { _id: 1, a: [] }],
    ['a number in a path, excluded', { 'a.0': 0 }, { _id: 1, a: [10, 20] }, { _id: 1, a: [10, 20] }],
    ['a number in a path, computed', { 'a.0': { $literal: 9 } }, { _id: 1, a: [10] }, { _id: 1, a: [{ 0: 9 }] }],
    [
      'computed fields come last, in the order of the specification',
      { x: '$a', b: 1, w: '$b' },
      { _id: 1, a: 1, b: 2 },
      { _id: 1, b: 2, x: 1, w: 2 },
    ],
    ['computed fields read the original', { a: '$b', b: '$a' }, { _id: 1, a: 10, b: 20 }, { _id: 1, a: 20, b: 10 }],
    [
      'computed and included fields in one document',
      { 'a.b': 1, 'a.n': '$c' },
      { _id: 1, a: { b: 1, z: 1 }, c: 5 },
      { _id: 1, a: { b: 1, n: 5 } },
    ],
    [
      'computed and included fields in an array',
      { 'a.b': 1, 'a.n': { $literal: 0 } },
      { _id: 1, a: [{ b: 1, z: 1 }, 7] },
      { _id: 1, a: [{ b: 1, n: 0 }, { n: 0 }] },
    ],
    ['a missing value is omitted', { a: '$nothing' }, { _id: 1, a: 10 }, { _id: 1 }],
    [
      'a missing value at a nested path creates an empty document',
      { 'a.b': '$nothing' },
      { _id: 1 },
      { _id: 1, a: {} },
    ],
    ['null is a literal', { a: 1, x: null }, { _id: 1, a: 10 }, { _id: 1, a: 10, x: null }],
    ['an array is a literal', { x: [] }, { _id: 1 }, { _id: 1, x: [] }],
    ['_id computed', { _id: '$a' }, { _id: 1, a: 10 }, { _id: 10 }],
    ['parts of _id', { '_id.x': 1, a: 1 }, { _id: { x: 1, y: 2 }, a: 5 }, { _id: { x: 1 }, a: 5 }],
  ])('%s', (_title, spec, doc, expected) => {
    expect(project(spec, doc)).toBe(text(d(expected)));
  });

  test.each<readonly [Shorthand, boolean]>([
    [1, true],
    [2, true],
    [-1, true],
    [0.5, true],
    [double(NaN), true],
    [double(Infinity), true],
    [99n, true],
    [decimal('42'), true],
    [decimal('NaN'), true],
    [true, true],
    [0, false],
    [double(0), false],
    [double(-0), false],
    [0n, false],
    [decimal('0'), false],
    [decimal('-0.0'), false],
    [false, false],
  ])('the flag %s includes the field: %s', (flag, includes) => {
    expect(project({ a: flag }, { _id: 1, a: 10, b: 20 })).toBe(
      text(d(includes ? { _id: 1, a: 10 } : { _id: 1, b: 20 })),
    );
  });

  const add = { $add: [1, 2] };
  test.each<readonly [Fields, string]>([
    [{ a: 1, b: 0 }, '31254 Location31254: Cannot do exclusion on field b in inclusion projection'],
    [{ a: 0, b: 1 }, '31253 Location31253: Cannot do inclusion on field b in exclusion projection'],
    [{ a: { x: 1, y: 0 } }, '31254 Location31254: Cannot do exclusion on field a.y in inclusion projection'],
    [{ a: { x: 0, y: 1 } }, '31253 Location31253: Cannot do inclusion on field a.y in exclusion projection'],
    [{ a: 0, b: add }, '31252 Location31252: Cannot use expression other than $meta in exclusion projection'],
    [{ _id: 1, a: 0, b: add }, '31252 Location31252: Cannot use expression other than $meta in exclusion projection'],
    [{ _id: { $literal: 1 }, a: 0 }, '31254 Location31254: Cannot do exclusion on field a in inclusion projection'],
    [{ a: 0, b: '$a' }, '31310 Location31310: Cannot use an expression b: "$a" in an exclusion projection'],
    [{ a: 0, b: null }, '31310 Location31310: Cannot use an expression b: null in an exclusion projection'],
    [{ a: { x: 0, y: '$a.x' } }, '31310 Location31310: Cannot use an expression y: "$a.x" in an exclusion projection'],
    [{ 'a.b': 1, a: 1 }, '31250 Location31250: Path collision at a'],
    [{ a: 1, 'a.b': 1 }, '31249 Location31249: Path collision at a.b remaining portion b'],
    [{ 'a.b.c': 0, 'a.b': 0 }, '31250 Location31250: Path collision at a.b'],
    [{ a: 0, 'a.b.c': 0 }, '31249 Location31249: Path collision at a.b.c remaining portion b.c'],
    [{ a: '$x', 'a.b': 1 }, '31249 Location31249: Path collision at a.b remaining portion b'],
    [{}, '51272 Location51272: projection specification must have at least one field'],
    [{ a: {} }, '51270 Location51270: An empty sub-projection is not a valid value. Found empty object at path a'],
    [
      { 'a.b': {} },
      '51270 Location51270: An empty sub-projection is not a valid value. Found empty object at path a.b',
    ],
    [{ '': 1 }, '40352 Location40352: FieldPath cannot be constructed with empty string'],
    [
      { $bad: 1 },
      "16410 Location16410: FieldPath field names may not start with '$'. Consider using $getField or $setField.",
    ],
    [
      { $: 1 },
      "16410 Location16410: FieldPath field names may not start with '$'. Consider using $getField or $setField.",
    ],
    [
      { 'a.$b': 1 },
      "16410 Location16410: FieldPath field names may not start with '$'. Consider using $getField or $setField.",
    ],
    [
      { a: { $add: [1], $x: 1 } },
      "16410 Location16410: FieldPath field names may not start with '$'. Consider using $getField or $setField.",
    ],
    [
      { a: { $add: [1], x: 1 } },
      "16410 Location16410: FieldPath field names may not start with '$'. Consider using $getField or $setField.",
    ],
    [{ '.a': 1 }, '15998 Location15998: FieldPath field names may not be empty strings.'],
    [{ 'a..b': 1 }, '15998 Location15998: FieldPath field names may not be empty strings.'],
    [{ 'a.': 1 }, "40353 Location40353: FieldPath must not end with a '.'."],
    [{ [Array(201).fill('a').join('.')]: 1 }, '15 Overflow: FieldPath is too long'],
    [{ 'a.$': 1 }, '31324 Location31324: Cannot use positional projection in aggregation projection'],
    [{ a: { $bogus: 1 } }, '31325 Location31325: Unknown expression $bogus'],
    [{ a: { $elemMatch: { x: 1 } } }, "168 InvalidPipelineOperator: Unrecognized expression '$elemMatch'"],
    [{ a: 1, '': 0 }, '40352 Location40352: FieldPath cannot be constructed with empty string'],
  ])('rejects %j', (spec, expected) => {
    expect(refusal(() => compileProjectStage(d(spec), expression))).toBe(expected);
  });
});

describe('functions for other stages', () => {
  const tree = (
    entries: readonly (readonly [string, 'here' | Shorthand])[],
  ): ReadonlyMap<string, ProjectionNode<undefined>> => {
    const builder = createTreeBuilder<undefined>();
    for (const [path, leaf] of entries) builder.put(path.split('.'), leaf === 'here' ? 'here' : () => v(leaf));
    return builder.tree;
  };

  test('compileAddition replaces fields in place and appends fields in the order of the tree', () => {
    const add = compileAddition(
      tree([
        ['c.x', 1],
        ['z', 2],
        ['a', 3],
        ['y.q', 4],
      ]),
    );
    expect(text(add(d({ a: 0, b: 0, c: [{ y: 1 }, 5, []] }), undefined))).toBe(
      text(d({ a: 3, b: 0, c: [{ y: 1, x: 1 }, { x: 1 }, []], z: 2, y: { q: 4 } })),
    );
  });

  test('compileInclusion treats _id as any other field', () => {
    expect(text(compileInclusion(tree([['a', 'here']]))(d({ _id: 1, a: 2 }), undefined))).toBe('{a: 2}');
  });

  test('an inclusion and the exclusion of the same paths add up to the whole document', () => {
    const paths = fc.uniqueArray(fc.constantFrom('a', 'b', '0', 'c'), { minLength: 1 });
    fc.assert(
      fc.property(paths, anySmallDoc, (names, doc) => {
        const flat = tree(names.map(name => [name, 'here'] as const));
        const kept = compileInclusion(flat)(doc, undefined).entries();
        const rest = compileExclusion(flat)(doc, undefined).entries();
        const all = doc.keys().map(key => [...kept, ...rest].find(([name]) => name === key)!);
        expect(text(Doc.of(all))).toBe(text(doc));
        expect(kept.length + rest.length).toBe(doc.size);
      }),
    );
  });

  test('an exclusion removes its path, and an inclusion removes everything else', () => {
    fc.assert(
      fc.property(anySmallDoc, doc => {
        const nested = tree([['a.b', 'here']]);
        const excluded = compileExclusion(nested)(doc, undefined);
        expect(text(compileInclusion(nested)(excluded, undefined))).not.toContain('b:');
        const included = compileInclusion(nested)(doc, undefined);
        expect(text(compileInclusion(nested)(included, undefined))).toBe(text(included));
      }),
    );
  });
});
