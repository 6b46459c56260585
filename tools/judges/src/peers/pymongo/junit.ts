import type { TestResult } from '../peer.js';

interface Tag {
  readonly name: string;
  readonly closing: boolean;
  readonly attributes: ReadonlyMap<string, string>;
}

const tag = /<(\/?)([a-z]+)((?:\s+[\w:-]+="[^"]*")*)\s*\/?>/g;
const attribute = /([\w:-]+)="([^"]*)"/g;

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return named[name] ?? whole;
    return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex!, 16) : Number(decimal));
  });

/** Yields the tags of a document in order. Ignores the text between tags, which contains no `<` in XML. */
function* tagsOf(xml: string): Generator<Tag> {
  for (const [, slash, name = '', attributes = ''] of xml.matchAll(tag)) {
    const pairs = [...attributes.matchAll(attribute)].map(
      ([, key = '', value = '']) => [key, unescaped(value)] as const,
    );
    yield { name, closing: slash === '/', attributes: new Map(pairs) };
  }
}

const outcomes: Readonly<Record<string, TestResult['outcome']>> = {
  failure: 'failed',
  error: 'failed',
  skipped: 'skipped',
};

const firstLine = (text: string): string => text.trim().split('\n')[0] ?? '';

/**
 * Returns `test_cursor::TestCursor::test_where` for the class `test.test_cursor.TestCursor` and the test `test_where`.
 */
const idOf = ({ attributes }: Tag): string => {
  const inside = (attributes.get('classname') ?? '').split('.').filter(part => part !== '' && part !== 'test');
  return [...inside, attributes.get('name') ?? ''].join('::');
};

/** Returns the worse result. A report may list one test several times: its parts, its setup and its teardown. */
const worse = (one: TestResult | undefined, other: TestResult): TestResult => {
  const rank = { passed: 0, skipped: 1, failed: 2 };
  return one === undefined || rank[other.outcome] > rank[one.outcome] ? other : one;
};

/**
 * Parses a JUnit report (`pytest --junitxml`). Each test occurs once in the result.
 * @throws Error if the text is not a complete JUnit report
 */
export function readJunit(xml: string): readonly TestResult[] {
  if (!/<testsuite[\s>]/.test(xml) || !xml.includes('</testsuites>'))
    throw new Error('The file is not a complete JUnit report.');
  const results = new Map<string, TestResult>();
  let id: string | undefined;
  for (const one of tagsOf(xml)) {
    if (one.name === 'testcase') {
      id = one.closing ? undefined : idOf(one);
      if (id !== undefined) results.set(id, worse(results.get(id), { id, outcome: 'passed', reason: '' }));
      continue;
    }
    const outcome = outcomes[one.name];
    if (outcome === undefined || one.closing || id === undefined) continue;
    const reason = firstLine(one.attributes.get('message') ?? '');
    results.set(id, worse(results.get(id), { id, outcome, reason }));
  }
  return [...results.values()];
}
