import { markdownTable } from '../../page.js';
import type { Point, TestName } from './points.js';

const fileOf = ([file]: TestName): string => `packages/${file.replace('/', '/test/')}.test.ts`;

/** Returns whether a test file has a test or group whose title begins with the given text. */
const hasTitle = (text: string, title: string): boolean =>
  ['test(', 'describe(', 'check(', ')('].some(call =>
    ["'", '"', '`'].some(quote => text.includes(`${call}${quote}${title.replaceAll(quote, `\\${quote}`)}`)),
  ) || text.includes(`\n    '${title}`);

/**
 * Returns a sentence for each listed test that does not exist, and for each point without tests. `textOf` reads a file
 * of the repository.
 */
export function missingTests(points: readonly Point[], textOf: (path: string) => string): string[] {
  return points.flatMap(({ number, tests }) => {
    if (tests.length === 0) return [`Point ${number} has no test.`];
    return tests
      .filter(test => !hasTitle(textOf(fileOf(test)), test[1]))
      .map(test => `Point ${number}: ${fileOf(test)} has no test "${test[1]}".`);
  });
}

const linkTo = (test: TestName): string => `[${test[0]}](../${fileOf(test)}): \`${test[1].replaceAll('`', "'")}\``;

/** Returns the page that lists the tests of each point. */
export const treacherousPage = (points: readonly Point[]): string =>
  [
    '# The treacherous points of the server',
    'This page lists behavior of MongoDB that a compatible server easily gets wrong, and the tests that check it. `npm run docs` writes it from `tools/house/treacherous-points.txt`, and a test checks that every test exists. `npm run vitest -- packages/server/` runs the tests of one package; a file name after it selects the tests of one file.',
    markdownTable(
      ['', 'point', 'tests: file and beginning of the title'],
      points.map(({ number, rule, tests }) => [number, rule, tests.map(linkTo).join('<br>')]),
    ),
  ].join('\n\n') + '\n';
