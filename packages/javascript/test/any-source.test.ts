import { deserialize, serialize } from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JavaScript, JavaScriptError } from '../src/index.js';
import { loadJavaScript } from '../src/index.js';

/** Runs a source in a realm of its own. Returns `value`, or the name and message of its error. */
const outcomeOf = (javaScript: JavaScript, source: string): string => {
  try {
    const realm = javaScript.open({ functions: { main: source }, iterations: 1_000_000 });
    try {
      deserialize(realm.call('main', serialize({ a: 2, list: [3, 4] })));
      return 'value';
    } finally {
      realm.close();
    }
  } catch (error) {
    const { name, message } = error as JavaScriptError;
    return `${name}: ${message}`;
  }
};

test('any source ends with a value or with the error of a script', async () => {
  const javaScript = await loadJavaScript();
  const words = [
    'function',
    'f',
    '(',
    ')',
    '{',
    '}',
    '[',
    ']',
    '=>',
    'x',
    'this',
    '.',
    'return',
    'if',
    'for',
    ';',
    ',',
  ];
  const more = [
    'let',
    'var',
    '=',
    '+',
    '**',
    '1',
    '1e9',
    '"s"',
    '`',
    '/',
    '/*',
    '//',
    '\n',
    ' ',
    'new',
    'class',
    '...',
  ];
  const source = fc.array(fc.constantFrom(...words, ...more), { maxLength: 40 }).map(chosen => chosen.join(' '));
  fc.assert(
    fc.property(fc.oneof(source, fc.string({ maxLength: 60, unit: 'binary' })), code => {
      expect(outcomeOf(javaScript, code)).toMatch(/^(?:value$|\w+Error: |uncaught exception: )/);
    }),
    { numRuns: 100 },
  );
  expect([javaScript.realms, javaScript.isBroken]).toEqual([0, false]);
}, 60_000);
