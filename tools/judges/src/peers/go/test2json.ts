import type { TestResult } from '../peer.js';

/** A line of `go tool test2json`. */
interface Event {
  readonly Action: string;
  readonly Test?: string;
  readonly Output?: string;
}

const outcomes: Readonly<Record<string, TestResult['outcome']>> = { pass: 'passed', fail: 'failed', skip: 'skipped' };

const noise = /^\s*(?:===|---|Error Trace:|Test:|Messages:|\S+\.go:\d+:\s*$)/;

/** Returns the last line of a test's output that describes the failure. */
const reasonOf = (output: readonly string[]): string => {
  const relevant = output.filter(line => line.trim() !== '' && !noise.test(line));
  const error = relevant.find(line => /Error:|panic:|expected|unexpected|error/i.test(line)) ?? relevant.at(-1) ?? '';
  return error.trim().slice(0, 500);
};

/**
 * Parses the results of Go's test runner. A test with subtests counts only if it failed and none of its subtests did,
 * so every assertion counts once.
 * @param file the prefix of the test ids
 * @throws Error if the runner ended before its tests
 */
export function readTest2json(file: string, text: string): readonly TestResult[] {
  const outputs = new Map<string, string[]>();
  const ended = new Map<string, TestResult['outcome']>();
  let isOver = false;
  for (const line of text.split('\n').filter(each => each.startsWith('{'))) {
    const { Action: action, Test: test, Output: output } = JSON.parse(line) as Event;
    const outcome = outcomes[action];
    if (test === undefined) isOver ||= outcome !== undefined;
    else if (outcome !== undefined) ended.set(test, outcome);
    else if (action === 'run') outputs.set(test, []);
    else if (action === 'output') outputs.get(test)?.push(output ?? '');
  }
  if (!isOver) throw new Error('The test runner did not finish.');
  const isFailedBelow = new Set<string>();
  const isParent = new Set<string>();
  for (const [test, outcome] of ended) {
    for (let at = test.lastIndexOf('/'); at > 0; at = test.lastIndexOf('/', at - 1)) {
      isParent.add(test.slice(0, at));
      if (outcome === 'failed') isFailedBelow.add(test.slice(0, at));
    }
  }
  const unfinished = [...outputs.keys()].filter(test => !ended.has(test));
  return [
    ...[...ended]
      .filter(([test, outcome]) => !isParent.has(test) || (outcome === 'failed' && !isFailedBelow.has(test)))
      .map(([test, outcome]) => ({
        id: `${file}::${test}`,
        outcome,
        reason: outcome === 'passed' ? '' : reasonOf(outputs.get(test) ?? []),
      })),
    ...unfinished
      .filter(test => !unfinished.some(other => other.startsWith(`${test}/`)))
      .map(test => ({ id: `${file}::${test}`, outcome: 'failed' as const, reason: 'the test did not finish' })),
  ];
}
