import { expect, test } from 'vitest';
import type { TestResult } from '../../src/peers/peer.js';
import {
  headerOf,
  missing,
  notesOf,
  rowOf,
  shareOf,
  summaryHeader,
  summaryOf,
  totalOf,
} from '../../src/peers/table.js';
import { tallyOf } from '../../src/peers/tally-of.js';
import { compare, judge } from '../../src/peers/verdict.js';

const passed = (id: string): TestResult => ({ id, outcome: 'passed', reason: '' });
const failed = (id: string, reason = 'AssertionError'): TestResult => ({ id, outcome: 'failed', reason });
const skipped = (id: string, reason = 'no replica set'): TestResult => ({ id, outcome: 'skipped', reason });
const accepted = [
  { id: 'f::C::js', reason: 'no JavaScript' },
  { id: 'g::C::other', reason: 'in another file' },
];
const advice = 'but is listed as an accepted failure: remove it from the list';

test("a failure that is not listed fails, with the peer's message", () => {
  expect(judge('f', [failed('f::C::js'), failed('f::C::new', 'KeyError: x')], accepted, true)).toEqual({
    file: 'f',
    passed: 0,
    failed: [{ title: 'f::C::new', reason: 'KeyError: x' }],
    accepted: [{ title: 'f::C::js', reason: 'no JavaScript' }],
    skipped: [],
  });
});

test('a listed test that passes or is skipped fails, because the list is stale', () => {
  expect(judge('f', [passed('f::C::js')], accepted, true).failed).toEqual([
    { title: 'f::C::js', reason: `passes now, ${advice}` },
  ]);
  expect(judge('f', [skipped('f::C::js')], accepted, true).failed).toEqual([
    { title: 'f::C::js', reason: `is skipped now (no replica set), ${advice}` },
  ]);
});

test('a listed test that is missing fails, unless only part of the file ran', () => {
  expect(judge('f', [passed('f::C::a')], accepted, true)).toMatchObject({
    passed: 1,
    failed: [{ title: 'f::C::js', reason: `does not exist, ${advice}` }],
  });
  expect(judge('f', [passed('f::C::a')], accepted, false)).toMatchObject({ passed: 1, failed: [] });
});

test('ignores entries of other files, even if the file names share a prefix', () => {
  expect(judge('f', [failed('f::C::js')], [...accepted, { id: 'f2::C::js', reason: 'r' }], true).failed).toEqual([]);
});

test('an entry that varies may pass, be skipped or fail', () => {
  const varies = [{ id: 'f::C::dns', reason: 'uses public DNS', varies: true as const }];
  expect(judge('f', [passed('f::C::dns')], varies, true)).toMatchObject({ passed: 1, failed: [] });
  expect(judge('f', [skipped('f::C::dns')], varies, true)).toMatchObject({ failed: [] });
  expect(judge('f', [failed('f::C::dns')], varies, true)).toMatchObject({
    failed: [],
    accepted: [{ title: 'f::C::dns' }],
  });
});

test('a file that passes fewer tests than on another engine fails, and the row shows both numbers', () => {
  const ours = judge('f', [failed('f::C::js'), passed('f::C::a'), passed('f::C::b')], accepted, true);
  const fewer = compare(ours, [passed('f::C::a')], 'Other');
  expect([fewer.failed, fewer.outside, rowOf(fewer, 1).split(/\s+/)]).toEqual([
    [],
    1,
    ['f', '2', '0', '1', '0', '1', '1.0'],
  ]);
  const more = compare(ours, [passed('f::C::a'), passed('f::C::b'), passed('f::C::js')], 'Other');
  expect(more.failed).toEqual([{ title: 'f', reason: '2 pass, but 3 on Other' }]);
  expect(totalOf([more], 1).split(/\s+/)).toEqual(['all', '2', '1', '1', '0', '3', '1.0']);
  expect(headerOf('Other').split(/\s+/).slice(-2)).toEqual(['Other', 'seconds']);
});

const verdicts = [
  judge('f', [failed('f::C::js'), passed('f::C::a'), skipped('f::C::s')], accepted, true),
  judge('g', [failed('g::C::new'), failed('g::C::other'), skipped('g::C::s')], accepted, true),
];

test('the table has a row for each file, the sums, and the skips by reason', () => {
  expect(rowOf(verdicts[0]!, 1.25).split(/\s+/)).toEqual(['f', '1', '0', '1', '1', '1.3']);
  expect(totalOf(verdicts, 2).split(/\s+/)).toEqual(['all', '1', '1', '2', '2', '2.0']);
  expect(headerOf(undefined).split(/\s+/)).toEqual(['file', 'passed', 'failed', 'accepted', 'skipped', 'seconds']);
  expect(shareOf(verdicts)).toBe('25.0 % of 4 passed');
  expect(shareOf([])).toBe('nothing was run');
  expect(notesOf(verdicts)).toEqual([
    'skipped by the peer: 2: no replica set',
    'accepted: 1: no JavaScript',
    'accepted: 1: in another file',
    'failed: g::C::new: AssertionError',
  ]);
});

test('the summary has a line for each client and deployment', () => {
  const cells = (text: string): readonly string[] => text.split(/ {2,}/);
  expect(cells(summaryHeader)).toEqual([
    'client, deployment',
    ...['passed', 'failed', 'accepted', 'skipped', 'seconds', 'share'],
  ]);
  expect(cells(summaryOf('p (sharded)', verdicts, 2))).toEqual(['p (sharded)', '1', '1', '2', '2', '2.0', '25.0 %']);
  expect(cells(summaryOf('p (sharded)', [], 0))).toEqual(['p (sharded)', '0', '0', '0', '0', '0.0', '-']);
  expect(cells(missing('p (sharded)'))).toEqual(['p (sharded)', 'unavailable']);
});

test('each test of a peer counts as one check for npm test, and an accepted failure counts as skipped', () => {
  expect(tallyOf('p', verdicts)).toEqual({
    passed: 1,
    failed: [{ title: 'p: g::C::new', reason: 'AssertionError' }],
    skipped: [
      { title: 'p: f::C::js', reason: 'no JavaScript' },
      { title: 'p: g::C::other', reason: 'in another file' },
      { title: 'p: f::C::s', reason: 'skipped by p: no replica set' },
      { title: 'p: g::C::s', reason: 'skipped by p: no replica set' },
    ],
  });
});
