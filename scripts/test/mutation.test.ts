import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readArguments } from '../mutation/arguments.mjs';
import { equality, readEqual, staleIn } from '../mutation/equal.mjs';
import { changedLines, changedOf, mutantsIn, onOneLine, sampleOf } from '../mutation/mutants.mjs';
import type { Mutant } from '../mutation/mutants.mjs';
import { pageOf, readMeasured } from '../mutation/page.mjs';
import { countOf, intervalOf, scoreOf, table } from '../mutation/score.mjs';
import { filesOf, tiles, wantedBy } from '../mutation/tiles.mjs';

const root = join(import.meta.dirname, '..', '..');
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

describe('wantedBy', () => {
  const named = (...args: readonly string[]) => wantedBy(args).map(({ tile, files }) => [tile.name, files]);

  test('returns every source file of every tile without arguments', () => {
    expect(wantedBy([]).map(({ tile, files }) => [tile, files])).toEqual(tiles.map(tile => [tile, filesOf(tile.name)]));
    expect(tiles.filter(({ name }) => filesOf(name).length === 0)).toEqual([]);
  });

  test('finds the slow tests of every tile', () => {
    const slow = tiles.flatMap(tile => tile.slow);
    expect(slow.filter(file => !existsSync(join(root, file)))).toEqual([]);
  });

  test('accepts tiles by name and files by path', () => {
    expect(named('uri', './packages/pool/src/pool.ts', 'packages/uri/src/srv.ts')).toEqual([
      ['pool', ['packages/pool/src/pool.ts']],
      ['uri', filesOf('uri')],
    ]);
  });

  test.each(['fly', 'packages/retry/src/fly.ts', 'packages/server/src/index.ts', 'scripts/tally.mjs'])(
    'rejects %s, which is neither a tile nor a source file',
    odd => {
      expect(() => wantedBy([odd])).toThrow(`"${odd}" is neither a tile (bson, wire, `);
    },
  );

  test('readArguments parses defaults, samples and revisions', () => {
    const defaults = { names: [], seed: 1, write: false };
    expect(readArguments([])).toEqual(defaults);
    expect(readArguments(['uri', '--sample', '60', '--seed', '7', '--write'])).toEqual({
      ...{ names: ['uri'], sample: 60, seed: 7, write: true },
    });
    expect(readArguments(['--changed'])).toEqual({ ...defaults, changed: 'HEAD' });
    expect(readArguments(['--changed', 'main'])).toEqual({ ...defaults, changed: 'main' });
  });

  test.each([
    [['--sample', '0'], '--sample must be a whole number from 1, not "0".'],
    [['--seed', 'x'], '--seed must be a whole number from 0, not "x".'],
    [['--sample', '5', '--changed'], 'Use only one of them'],
    [['--changed', 'main', '--write'], '--write needs'],
    [['packages/uri/src/srv.ts', '--write'], '--write needs'],
    [['--fast'], "Unknown option '--fast'"],
  ])('rejects %j', (args, sentence) => {
    expect(() => readArguments(args)).toThrow(sentence);
  });
});

describe('mutants', () => {
  const source = [
    'export const sign = (x: number): number => {',
    '  if (x > 0) return 1;',
    '  return -1;',
    '};',
    '',
  ].join('\n');

  test('a mutant has the source text of its place with the changed part marked, and its replacement', async () => {
    const mutants = await mutantsIn('a.ts', source);
    expect(mutants.map(({ first, last, place, replacement }) => [first, last, place, replacement])).toContainEqual([
      ...[2, 2, 'if (⟦x > 0⟧) return 1;', 'x >= 0'],
    ]);
    expect(mutants[0]).toMatchObject({
      ...{ first: 1, last: 4, replacement: '{}' },
      place: 'export const sign = (x: number): number => ⟦{ if (x > 0) return 1; return -1; }⟧;',
    });
    expect(new Set(mutants.map(({ key }) => key)).size).toBe(mutants.length);
  });

  test('shortens long texts in the middle', async () => {
    const [first] = await mutantsIn('a.ts', `export const f = () => {\n${'  void 0;\n'.repeat(50)}};\n`);
    expect(first!.place).toMatch(/^export const f = \(\) => ⟦\{ .{78} … .{15}⟧;$/);
  });

  test('the same seed gives the same sample, and a smaller sample is part of a larger one', async () => {
    const mutants = await mutantsIn('a.ts', source);
    const keys = (count: number, seed: number) => sampleOf(mutants, count, seed).map(({ key }) => key);
    expect(keys(4, 1)).toEqual(keys(4, 1));
    expect(keys(4, 1).slice(0, 2)).toEqual(keys(2, 1));
    expect(keys(4, 1)).not.toEqual(keys(4, 2));
    expect(keys(1000, 1).sort()).toEqual(mutants.map(({ key }) => key).sort());
  });

  test('changedOf returns the mutants that begin on changed lines', async () => {
    const diff = [
      '--- a/a.ts',
      '+++ b/a.ts',
      '@@ -1,0 +2 @@ export',
      '@@ -9,2 +8,0 @@',
      '+++ b/b.ts',
      '@@ -1 +1,3 @@',
    ].join('\n');
    const changed = changedLines(diff);
    expect([...changed]).toEqual([
      ['a.ts', [{ first: 2, last: 2 }]],
      ['b.ts', [{ first: 1, last: 3 }]],
    ]);
    const chosen = changedOf(await mutantsIn('a.ts', source), changed);
    expect(new Set(chosen.map(({ first }) => first))).toEqual(new Set([2]));
  });
});

describe('equal mutants', () => {
  test('every entry names a place that occurs in its file, and a reason', async () => {
    const wrong = (await readEqual()).flatMap(({ file, reason, mutants }) => {
      const source = onOneLine(textOf(file));
      const missing = mutants.filter(
        ([place]) => !place.split(' … ').every(part => source.includes(part.replace(/[⟦⟧]/g, ''))),
      );
      return [...(reason.length > 20 ? [] : [`${file}: no reason`]), ...missing.map(([place]) => `${file}: ${place}`)];
    });
    expect(wrong).toEqual([]);
  });

  test('staleIn reports an entry that is not a mutant of its file', async () => {
    const lists = [
      {
        file: 'a.ts',
        reason: 'because',
        mutants: [
          ['f(⟦1 + 2⟧);', '1 - 2'],
          ['f(⟦1 + 3⟧);', '1 - 3'],
        ] as const,
      },
      { file: 'b.ts', reason: 'because', mutants: [['x', 'y']] as const },
    ];
    const mutants = await mutantsIn('a.ts', 'f(1 + 2);\n');
    expect(staleIn(lists, mutants)).toEqual(['a.ts: no mutant matches f(⟦1 + 3⟧); → 1 - 3']);
    expect(mutants.map(equality(lists))).toEqual([true]);
  });
});

describe('scores', () => {
  const mutant = (place: string): Mutant => ({ file: 'a.ts', key: place, first: 1, last: 1, place, replacement: '' });
  const verdicts = [
    { mutant: mutant('a'), isKilled: true },
    { mutant: mutant('b'), isKilled: false },
    { mutant: mutant('c'), isKilled: false },
    { mutant: mutant('d'), isKilled: true },
  ];

  test('equal mutants do not count, and a killed mutant is not equal', () => {
    expect(countOf(verdicts, ({ place }) => 'cd'.includes(place))).toEqual({
      ...{ judged: 4, killed: 1, survivors: [mutant('b')], equal: 2, wronglyEqual: [mutant('d')] },
    });
  });

  test('computes the score, and its confidence interval for a sample', () => {
    expect([scoreOf({ killed: 9, survived: 1 }), scoreOf({ killed: 0, survived: 0 })]).toEqual([90, 100]);
    // Wilson's intervals, from published tables.
    expect(intervalOf({ killed: 9, survived: 1 }).map(Math.round)).toEqual([60, 98]);
    expect(intervalOf({ killed: 20, survived: 0 }).map(Math.round)).toEqual([84, 100]);
    expect(intervalOf({ killed: 0, survived: 0 })).toEqual([0, 100]);
  });

  const whole = { mutants: 12, judged: 12, killed: 9, survived: 1, equal: 2 };

  test('the table has a line for each tile', () => {
    const counts = [
      ['uri', { ...whole, mutants: 500, seed: 1 }],
      ['wire', whole],
    ] as const;
    expect(table(counts)).toBe(
      [
        'uri          90.0 %     9 killed    1 survived    2 equal  of 500 mutants  (sample, 60–98 %)',
        'wire         90.0 %     9 killed    1 survived    2 equal  of 12 mutants  (all judged)',
      ].join('\n'),
    );
  });

  test('docs/mutation.md is up to date with the last results', async () => {
    const plain = (page: string): string[] => page.split('\n').map(line => line.replace(/[ -]+/g, ' '));
    const names = tiles.map(({ name }) => name);
    const page = pageOf(names, readMeasured(), await readEqual());
    expect(plain(textOf('docs/mutation.md'))).toEqual(plain(page));
    expect(pageOf(['uri', 'wire'], { uri: { ...whole, date: '2026-01-02' } }, [])).toContain(
      [
        '| uri | 12 | 12 | 9 | 1 | 2 | **90.0 %** | all judged | 2026-01-02 |',
        '| wire | | | | | | not measured | |',
      ].join('\n'),
    );
  });
});
