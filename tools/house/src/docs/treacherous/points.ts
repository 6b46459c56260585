import { textOf } from '../repository.js';

/** A test: its package, its file in that package's `test` folder without `.test.ts`, and the beginning of its title or its group's. */
export type TestName = readonly [file: string, title: string];

/** Something of a server that is easily got wrong, and the tests that would notice. */
export interface Point {
  readonly number: number;
  readonly rule: string;
  readonly tests: readonly TestName[];
}

const testNameOf = (line: string): TestName => {
  const [, file, title] = /^(\S+): (.+)$/.exec(line) ?? [];
  if (title === undefined) throw new Error(`"${line}" is no file with the title of a test.`);
  return [file!, title];
};

/** The twenty treacherous points of the server's design, a paragraph each: `# 1 The rule`, and a line for each test. */
export const readPoints = (): Point[] =>
  textOf('tools/house/treacherous-points.txt')
    .trim()
    .split('\n\n')
    .map(paragraph => {
      const [head = '', ...tests] = paragraph.split('\n');
      const [, number, rule = ''] = /^# (\d+) (.+)$/.exec(head) ?? [];
      return { number: Number(number), rule, tests: tests.map(testNameOf) };
    });
