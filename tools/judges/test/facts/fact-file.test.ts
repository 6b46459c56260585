import { Double, Int32, Long } from 'bson';
import { expect, test } from 'vitest';
import { parseFacts } from '../../src/facts/fact-file.js';
import { tallyOf } from '../../src/facts/tally.js';

const source = '{"source":"jstests/core/query/and/and.js"}';

test('a file has a source and rows', () => {
  const text = `${source}\n[{"ping":1}]\n[{"pong":1},{"code":59},"No such command."]\n`;
  expect(parseFacts('and', text)).toEqual({
    name: 'and',
    source: 'jstests/core/query/and/and.js',
    set: false,
    rows: [
      { line: 2, command: { ping: new Int32(1) }, expected: undefined, reason: undefined },
      { line: 3, command: { pong: new Int32(1) }, expected: { code: [59] }, reason: 'No such command.' },
    ],
  });
});

test('numbers keep their types, and codes and counts are plain', () => {
  const row =
    '[{"a":{"$numberDouble":"1.0"},"b":{"$numberLong":"1"},"c":1},{"documents":[{"a":{"$numberLong":"1"}}],"count":1}]';
  expect(parseFacts('and', `${source}\n${row}`).rows[0]).toEqual({
    line: 2,
    command: { a: new Double(1), b: Long.ONE, c: new Int32(1) },
    expected: { documents: [{ a: Long.ONE }], count: 1 },
    reason: undefined,
  });
});

test.each([
  ['[{"ping":1}]', 'and:1 must name its "source".'],
  [`${source}\n{"ping":1}`, 'and:2 must be [command], [command, expectation] or [command, expectation, reason].'],
  [`${source}\n[{]`, 'and:2 is not Extended JSON.'],
])('rejects %j', (text, message) => {
  expect(() => parseFacts('and', text)).toThrow(new Error(message));
});

test('a fact that holds although it has a reason fails', () => {
  const file = parseFacts('and', `${source}\n[{"ping":1},{"ok":true}]\n[{"pong":1},{"ok":true},"Not built."]`);
  const [ping, pong] = file.rows.map(row => ({ file, row }));
  if (ping === undefined || pong === undefined) throw new Error('The file has two rows.');
  expect(
    tallyOf([
      { ...ping, difference: 'no' },
      { ...pong, difference: undefined },
    ]),
  ).toEqual({
    passed: 0,
    failed: [
      { title: 'facts/and:2', reason: 'no' },
      { title: 'facts/and:3', reason: 'holds now: Not built.' },
    ],
    skipped: [],
  });
  expect(
    tallyOf([
      { ...ping, difference: undefined },
      { ...pong, difference: 'no' },
    ]),
  ).toEqual({
    passed: 1,
    failed: [],
    skipped: [{ title: 'facts/and:3', reason: 'Not built.' }],
  });
});
