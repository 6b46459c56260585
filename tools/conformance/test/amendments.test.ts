import { describe, expect, test } from 'vitest';
import { readFixtures } from '../src/fixtures.js';
import { amended, amendments } from '../src/known/amendments.js';
import { reportText } from '../src/report.js';
import { judgeSkips } from '../src/skips.js';
import type { Result } from '../src/suite.js';
import { casesOf } from '../src/unified/cases.js';
import type { Case } from '../src/unified/cases.js';

const one = (suite: string, file: string, test: object): Case => {
  const [only] = casesOf(suite, [{ name: file, json: { schemaVersion: '1.9', tests: [test] } }]);
  return only!;
};

describe('amendments correct a case that contradicts its specification', () => {
  const events = (filter: object): object => ({
    description: 'Download succeeds',
    operations: [],
    expectEvents: [{ client: 'c', events: [{ commandStartedEvent: { command: { find: 'fs.files', filter } } }] }],
  });
  const file = 'unified/gridfs-download.json';

  test('GridFS, "TFileId Queries": expects $eq in a query by id', () => {
    const { test: mended, amended: reason } = amended(one('retryable-reads', file, events({ _id: 1 })));
    expect(mended).toEqual(events({ _id: { $eq: 1 } }));
    expect(reason).toBe('expects the query { _id: { $eq: id } } instead of { _id: id }');
  });

  test('leave a case unchanged that is already correct, as in newer fixtures', () => {
    const newer = one('retryable-reads', file, events({ _id: { $eq: 1 } }));
    expect(amended(newer)).toBe(newer);
  });

  test('leave the cases of other suites unchanged', () => {
    const other = one('crud', file, events({ _id: 1 }));
    expect(amended(other)).toBe(other);
  });

  test('every amendment matches existing cases and changes them', context => {
    const sources = new Set((readFixtures('read-write-concern') ?? []).map(({ from }) => from));
    context.skip(
      sources.size < 2,
      'each source has different cases; run `npm run fixtures`, and set SPECIFICATIONS_DIR',
    );
    for (const amendment of amendments) {
      const cases = casesOf(amendment.suite, readFixtures(amendment.suite) ?? []).filter(
        ({ file, name }) => file === amendment.file && name === (amendment.name ?? name),
      );
      expect(cases).not.toEqual([]);
      for (const found of cases)
        expect(amended(found)).toMatchObject({ amended: amendment.reason, unreadable: undefined });
    }
  });
});

describe('judgeSkips, after every combination ran', () => {
  const skipped = (reason?: string): Result => ({
    file: 'a.json',
    name: 'a',
    outcome: 'skipped',
    ...(reason && { reason }),
  });

  test('accepts skips because of a missing feature or the skipReason of the case', () => {
    const all = [skipped('OIDC'), skipped('its own skipReason: later')];
    expect(judgeSkips(all)).toEqual(all);
  });

  test.each(['JavaScript', 'known: a fault', 'requires another deployment: version: 9.0 or later', undefined])(
    'fails a case that was skipped for another reason: %s',
    reason => {
      expect(judgeSkips([skipped(reason)])).toEqual([
        {
          file: 'a.json',
          name: 'a',
          outcome: 'failed',
          reason: `skipped for a reason that is not a missing feature: ${reason ?? 'no reason given'}`,
        },
      ]);
    },
  );
});

test('reportText counts skips and amendments by reason, and the share of applicable cases that pass', () => {
  const result = (outcome: Result['outcome'], more: Partial<Result> = {}): Result => ({
    file: 'f',
    name: 'n',
    outcome,
    ...more,
  });
  const passed = result('passed', { amended: 'an id' });
  const results = [passed, passed, result('passed'), result('skipped', { reason: 'known: a fault' })];
  expect(
    reportText([{ suite: 's', results: [...results, result('skipped', { reason: 'sharded' })] }]).split('\n'),
  ).toEqual([
    's: 3 passed, 0 failed, 2 skipped',
    'skipped 1: known: a fault',
    'skipped 1: sharded',
    'amended 2: an id',
    '3 of the 4 applicable cases pass: 75.0 %',
    '3 passed, 0 failed, 2 skipped',
  ]);
});
