import { expect, test } from 'vitest';
import { readJunit } from '../../src/peers/pymongo/junit.js';

const report = (cases: string): string =>
  `<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" tests="1">${cases}</testsuite></testsuites>`;

const at = 'classname="test.test_cursor.TestCursor"';

test('names a test by file, class and name, and counts it as passed if the report adds no result', () => {
  expect(
    readJunit(report(`<testcase ${at} name="test_a" time="0.1" /><testcase ${at} name="test_b[x &lt; 1]" />`)),
  ).toEqual([
    { id: 'test_cursor::TestCursor::test_a', outcome: 'passed', reason: '' },
    { id: 'test_cursor::TestCursor::test_b[x < 1]', outcome: 'passed', reason: '' },
  ]);
});

test('counts failures and errors as failed, with the first line of the message', () => {
  const failing = `<testcase ${at} name="test_a"><failure message="AssertionError: &quot;a&quot; &amp; b&#10;more">def test_a(): &lt;skipped&gt;</failure></testcase>`;
  const broken = `<testcase ${at} name="test_b"><error message="failed on setup">…</error></testcase>`;
  expect(readJunit(report(failing + broken))).toEqual([
    { id: 'test_cursor::TestCursor::test_a', outcome: 'failed', reason: 'AssertionError: "a" & b' },
    { id: 'test_cursor::TestCursor::test_b', outcome: 'failed', reason: 'failed on setup' },
  ]);
});

test('keeps the reason of a skipped test', () => {
  const skipped = `<testcase ${at} name="test_a"><skipped type="pytest.skip" message="Transactions are not supported">x</skipped></testcase>`;
  expect(readJunit(report(skipped))).toEqual([
    { id: 'test_cursor::TestCursor::test_a', outcome: 'skipped', reason: 'Transactions are not supported' },
  ]);
});

test('counts a test that is listed several times once, with its worst result', () => {
  const passed = `<testcase ${at} name="test_a" />`;
  const failed = `<testcase ${at} name="test_a"><failure message="first" /><failure message="second" /></testcase>`;
  expect(readJunit(report(passed + failed + passed))).toEqual([
    { id: 'test_cursor::TestCursor::test_a', outcome: 'failed', reason: 'first' },
  ]);
});

test('counts a file that the runner cannot load as a failure with the name of the file', () => {
  const collection =
    '<testcase classname="" name="test.test_cursor"><error message="collection failure">ImportError</error></testcase>';
  expect(readJunit(report(collection))).toEqual([
    { id: 'test.test_cursor', outcome: 'failed', reason: 'collection failure' },
  ]);
});

test.each([[''], ['<html></html>'], ['<testsuites><testsuite><testcase name="a" />']])('rejects %j', text => {
  expect(() => readJunit(text)).toThrow('The file is not a complete JUnit report.');
});
