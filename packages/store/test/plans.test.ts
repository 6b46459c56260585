import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BinaryValue, Doc, createCollation, parseQuery, parseSort } from '@tessera/mql/engine';
import type { Collection } from '../src/index.js';
import { addIndex, emptyCollection, insertRecord, parseIndexSpec, select } from '../src/index.js';
import { decimal, text, v } from '../../mql/test/shorthand.js';
import type { Shorthand } from '../../mql/test/shorthand.js';

const edit = { for: 'a test' };
const uuid = new BinaryValue(4, new Uint8Array(16));
const docOf = (fields: Shorthand): Doc => Doc.fromBytes((v(fields) as Doc).bytes);

const scalar: fc.Arbitrary<Shorthand> = fc.constantFrom<Shorthand[]>(
  ...[0, 1, 2, -0, 0.5, NaN, Infinity, 1n, decimal('1.0'), decimal('NaN')],
  ...['', 'a', 'A', 'b', 'ä', 'a10', 'a2', null, true, /^a/i, {}, { c: 1 }, { c: 'A' }],
);
const value = fc.oneof({ weight: 4, arbitrary: scalar }, fc.array(scalar, { maxLength: 3 }));
const stored = fc.record<Record<string, Shorthand>>({ a: value, b: scalar }, { requiredKeys: [] });

const operator = fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte');
const condition: fc.Arbitrary<Shorthand> = fc.oneof(
  fc
    .tuple(operator, scalar)
    .filter(([, operand]) => !(operand instanceof RegExp))
    .map(([name, operand]) => ({ [name]: operand })),
  fc.array(scalar, { maxLength: 3 }).map(values => ({ $in: values })),
  fc.boolean().map(exists => ({ $exists: exists })),
);
const path = fc.constantFrom('a', 'b', 'a.c');
const filters = fc.dictionary(path, condition, { minKeys: 1, maxKeys: 2, noNullPrototype: true });

const direction = fc.constantFrom(1, -1);
const keys = fc.oneof(
  { weight: 3, arbitrary: fc.dictionary(path, direction, { minKeys: 1, maxKeys: 2, noNullPrototype: true }) },
  fc.constantFrom<Record<string, Shorthand>[]>({ b: 'hashed' }, { '$**': 1 }, { 'a.$**': 1 }),
);
const sorts = fc.option(fc.dictionary(path, direction, { minKeys: 1, maxKeys: 2, noNullPrototype: true }), {
  nil: undefined,
});
const collations = fc.option(
  fc.constantFrom<Record<string, Shorthand>[]>(
    { locale: 'en', strength: 2 },
    { locale: 'en', numericOrdering: true },
    { locale: 'de', strength: 1 },
  ),
  { nil: undefined },
);
const options = fc.constantFrom<Record<string, Shorthand>[]>(
  {},
  {},
  { sparse: true },
  { partialFilterExpression: { a: { $gt: 0 } } },
  { partialFilterExpression: { b: { $exists: true } } },
);

const collectionOf = (docs: readonly Shorthand[], spec: Shorthand): Collection => {
  const settings = { ns: 'db.c', uuid, options: Doc.EMPTY, capped: undefined, validator: undefined };
  const indexed = addIndex(emptyCollection(settings), parseIndexSpec(docOf(spec)), edit);
  return docs.reduce<Collection>((all, doc) => insertRecord(all, docOf(doc), edit), indexed);
};

describe('plans', () => {
  test('an index finds the documents of a collection scan, in the requested order', () => {
    fc.assert(
      fc.property(
        fc.array(stored, { maxLength: 12 }),
        fc.record({ key: keys, more: options, of: collations }),
        fc.record({ filter: filters, sort: sorts, of: collations }),
        (docs, index, query) => {
          const isWildcard = Object.keys(index.key).some(name => name.includes('$'));
          const collection = collectionOf(
            docs.map((doc, _id) => ({ _id, ...doc })),
            {
              key: index.key,
              name: 'i',
              ...('sparse' in index.more && isWildcard ? {} : index.more),
              ...(index.of === undefined || index.key['b'] === 'hashed' ? {} : { collation: index.of }),
            },
          );
          const spec = query.of === undefined ? undefined : docOf(query.of);
          const context = { collation: spec && createCollation(spec) };
          const selection = {
            matcher: parseQuery(docOf(query.filter), context),
            sort: query.sort && parseSort(docOf({ ...query.sort, _id: 1 }), context),
            collation: spec,
          };
          const [planned, scanned] = [undefined, '$natural'].map(hint =>
            select(collection, { ...selection, hint }).map(({ doc }) => text(doc)),
          );
          expect(query.sort === undefined ? planned!.sort() : planned).toEqual(
            query.sort === undefined ? scanned!.sort() : scanned,
          );
        },
      ),
      { numRuns: 2000 },
    );
  });
});
