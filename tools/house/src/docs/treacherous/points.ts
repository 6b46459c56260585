import { textOf } from '../repository.js';

/**
 * A test: the package and the file in its `test` folder without `.test.ts`, and the beginning of the title of the test
 * or its group.
 */
export type TestName = readonly [file: string, title: string];

/** Behavior of a server that is easy to get wrong, and the tests that check it. */
export interface Point {
  readonly number: number;
  readonly rule: string;
  readonly tests: readonly TestName[];
}

const testNameOf = (line: string): TestName => {
  const [, file, title] = /^(\S+): (.+)$/.exec(line) ?? [];
  if (title === undefined) throw new Error(`"${line}" must be a file and the title of a test.`);
  return [file!, title];
};

/** Reads the treacherous points. Each is a paragraph: `# 1 The rule`, then a line for each test. */
export const readPoints = (): Point[] =>
  textOf('tools/house/treacherous-points.txt')
    .trim()
    .split('\n\n')
    .map(paragraph => {
      const [head = '', ...tests] = paragraph.split('\n');
      const [, number, rule = ''] = /^# (\d+) (.+)$/.exec(head) ?? [];
      return { number: Number(number), rule, tests: tests.map(testNameOf) };
    });
