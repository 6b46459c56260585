import { Decimal128, Long } from 'bson';
import { expect, test } from 'vitest';
import { canonical } from '../../src/facts/canonical.js';
import { differenceOf, type Expectation, type Outcome } from '../../src/facts/expectation.js';

const ended = (documents: readonly object[], reply: object = {}): Outcome => ({ reply, documents });
const failed: Outcome = { code: 2, message: 'bad value', reply: {} };

test.each<[Expectation, Outcome]>([
  [{ ok: true }, { reply: { ok: 1 } }],
  [{ fails: true }, failed],
  [{ code: [2, 9] }, failed],
  [{ documents: [{ a: 1, b: [Long.ONE] }] }, ended([{ b: [1], a: 1 }])],
  [{ unordered: [{ a: 1 }, { a: 2 }] }, ended([{ a: 2 }, { a: 1 }])],
  [{ ids: [1, 2] }, ended([{ _id: 1 }, { _id: 2 }])],
  [{ unorderedIds: [1, 2] }, ended([{ _id: 2 }, { _id: 1 }])],
  [
    { events: [{ operationType: 'drop' }] },
    ended([{ _id: { _data: '82' }, operationType: 'drop', wallTime: new Date(0) }]),
  ],
  [{ cursor: 'open', count: 1 }, ended([{}])],
  [{ count: 1 }, ended([{}])],
  [{ reply: { n: 1, 'value.a': 2 }, without: ['upserted'] }, { reply: { n: 1, value: { a: 2 } } }],
  [{ replySet: { values: [1, 2] } }, { reply: { values: [2, 1] } }],
  [{ reply: { n: 1, 'writeErrors.0.code': 2 } }, { ...failed, reply: { n: 1, writeErrors: [{ code: 2 }] } }],
])('%j holds', (expected, outcome) => {
  expect(differenceOf(expected, outcome)).toBeUndefined();
});

test.each<[Expectation, Outcome, string]>([
  [{ ok: true }, failed, 'failed with 2: bad value'],
  [{ fails: true }, { reply: { n: 1 } }, 'succeeded: {"n":1}'],
  [{ code: 9 }, failed, 'failed with 2: bad value'],
  [{ documents: [{ a: 1 }] }, ended([{ a: 2 }]), 'returned [{"a":2}]'],
  [{ documents: [{ a: 1 }, { a: 2 }] }, ended([{ a: 2 }, { a: 1 }]), 'returned [{"a":2},{"a":1}]'],
  [{ unordered: [{ a: 1 }] }, ended([{ a: 1 }, { a: 1 }]), 'returned [{"a":1},{"a":1}]'],
  [{ ids: [1] }, ended([{ _id: 2 }]), 'returned [2]'],
  [{ unorderedIds: [1] }, ended([]), 'returned []'],
  [{ documents: [] }, { reply: { n: 1 } }, 'returned {"n":1}'],
  [{ events: [] }, ended([{ _id: 1, operationType: 'drop' }]), 'returned [{"operationType":"drop"}]'],
  [{ count: 2 }, ended([{}]), 'returned 1 documents: [{}]'],
  [{ reply: { n: 1 } }, { reply: { n: 2 } }, 'n is 2'],
  [{ reply: { n: 1 } }, { ...failed, reply: { n: 1, writeErrors: [{ code: 2 }] } }, 'failed with 2: bad value'],
  [{ replySet: { values: [1] } }, { reply: { values: [1, 1] } }, 'values is [1,1]'],
  [{ without: ['upserted'] }, { reply: { upserted: 1 } }, 'upserted is 1'],
  [{ cuont: 1 } as Expectation, ended([]), '"cuont" is not a field of an expectation'],
])('%j does not hold', (expected, outcome, difference) => {
  expect(differenceOf(expected, outcome)).toBe(difference);
});

test.each([
  [1, Long.ONE],
  [1.5, Decimal128.fromString('1.50')],
  [1e22, Decimal128.fromString('1E+22')],
  [-0, 0],
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ],
])('%j equals %j', (one, other) => {
  expect(canonical(one)).toBe(canonical(other));
});

test.each([
  [1, 10],
  [1, '1'],
  [1, -1],
  [
    [1, 2],
    [2, 1],
  ],
  [null, 'null'],
  [new Date(0), '1970-01-01T00:00:00Z'],
])('%j does not equal %j', (one, other) => {
  expect(canonical(one)).not.toBe(canonical(other));
});
