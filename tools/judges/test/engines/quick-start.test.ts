import { expect, test } from 'vitest';
import { differences, results } from '../../src/engines/quick-start.js';

const output = (ms: string, database: string, found: string): string =>
  `Tessera on something\n  films: 1,000 of 3,201  7,261/s\n  import films                  ${ms} ms   3,201 inserted\n  an error worth reading          1 ms   E11000 collection: ${database}.films ${found}\n\n  2 steps in 4.7 s`;

test('results are what each step found, without its time and the name of the database', () => {
  expect(results(output('1,214', 'tessera_quick_start_f447f6e8', 'x'))).toEqual([
    'import films: 3,201 inserted',
    'an error worth reading: E11000 collection: DATABASE.films x',
  ]);
});

test('two runs that found the same do not differ; others differ step by step', () => {
  const here = results(output('214', 'tessera_quick_start_f447f6e8', 'x'));
  expect(differences(here, results(output('9', 'tessera_quick_start_00000000', 'x')))).toEqual([]);
  expect(differences(here, results(output('9', 'tessera_quick_start_00000000', 'y')))).toEqual([
    'an error worth reading: E11000 collection: DATABASE.films x, but here an error worth reading: E11000 collection: DATABASE.films y',
  ]);
  expect(differences(here, [])).toHaveLength(2);
});
