import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { groups, groupsOf } from '../mutation/groups.mjs';
import { table } from '../mutation/table.mjs';

const root = join(import.meta.dirname, '..', '..');

test('what is mutated is there, and so are the tests that judge it', () => {
  const missing = groups.flatMap(({ package: of, mutate, tests }) => [
    ...mutate.filter(file => !file.includes('*') && !existsSync(join(root, file))),
    ...tests.filter(
      name => /^[\w-]+$/.test(name) && !existsSync(join(root, 'packages', of, 'test', `${name}.test.ts`)),
    ),
  ]);
  expect(missing).toEqual([]);
});

test('a group is named by itself or by its package, a file by its path; nothing named is everything', () => {
  const named = (...args: readonly string[]) => groupsOf(args).map(({ name }) => name);
  expect(named()).toEqual(['reducer', 'selection', 'pool', 'retry', 'session']);
  expect([named('topology'), named('pool'), named('selection')]).toEqual([
    ['reducer', 'selection'],
    ['pool'],
    ['selection'],
  ]);
  expect(groupsOf(['packages/topology/src/choose.ts', 'packages/pool/src/pool.ts'])).toEqual([
    { ...groups[1], name: 'files of selection', mutate: ['packages/topology/src/choose.ts'] },
    { ...groups[2], name: 'files of pool', mutate: ['packages/pool/src/pool.ts'] },
  ]);
  const files = ['packages/uri/src/grammar.ts', './packages/uri/src/srv.ts'];
  expect(groupsOf([...files, 'packages/wire/src/wire.ts'])).toEqual([
    {
      ...{ name: 'files of uri', package: 'uri', tests: ['*'] },
      mutate: ['packages/uri/src/grammar.ts', 'packages/uri/src/srv.ts'],
    },
    { ...{ name: 'files of wire', package: 'wire', tests: ['*'] }, mutate: ['packages/wire/src/wire.ts'] },
  ]);
});

test('what is neither is refused, with the groups there are', () => {
  for (const odd of ['fly', 'packages/retry/src/fly.ts', 'scripts/tally.mjs'])
    expect(() => groupsOf([odd])).toThrow(
      `${odd} is neither a group (reducer, selection, pool, retry, session) nor a file packages/*/src/*.ts of this repository.`,
    );
});

test('the table: what was noticed of what could be judged, for each group and each of its files', () => {
  const mutants = (file: string, ...statuses: readonly string[]) =>
    statuses.map(status => ({ fileName: `packages/pool/src/${file}`, status }));
  const pool = [
    ...mutants('b.ts', 'Killed', 'Timeout', 'Survived', 'Ignored', 'CompileError'),
    ...mutants('a.ts', 'NoCoverage'),
  ];
  expect(table([{ name: 'pool', mutants: pool }])).toEqual({
    text: [
      'pool     50.0 %     2 noticed    2 not',
      '  a.ts    0.0 %     0 noticed    1 not',
      '  b.ts   66.7 %     2 noticed    1 not',
    ].join('\n'),
    least: 50,
  });
});
