import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileRegex } from '../src/query/regex.js';
import { parseQuery } from '../src/query/parse.js';
import { translatePattern } from '../src/query/pcre.js';
import { createSearcher } from '../src/query/regex/match.js';
import { parsePattern } from '../src/query/regex/syntax.js';
import { d, refusal } from './shorthand.js';

type Case = readonly [pattern: string, options: string, matches: readonly string[], rejects: readonly string[]];

const cases: readonly Case[] = [
  ['', '', ['', 'x'], []],
  ['b', '', ['abc'], ['xyz']],
  ['^b', '', ['bc'], ['ab', 'a\nb']],
  ['b$', '', ['ab', 'ab\n'], ['ba', 'b\na', 'b\n\n', 'b\r']],
  ['^b', 'm', ['a\nb', 'b'], ['a\rb', 'ab']],
  ['b$', 'm', ['b\na', 'b'], ['b\ra', 'ba']],
  ['^$', '', ['', '\n'], ['a\n\nb']],
  ['^$', 'm', ['', 'a\n\nb'], ['a', 'a\n']],
  ['^$', 's', [''], ['😀x', 'x😀']],
  ['^$', 'm', ['😀\n\nx'], ['😀x', 'x😀']],
  ['^\\z', '', [''], ['😀x']],
  ['a.b', '', ['axb', 'a\rb', 'a\u2028b'], ['a\nb']],
  ['a.b', 's', ['a\nb'], ['ab']],
  ['ABC', 'i', ['xabcx'], ['ab']],
  ['É', 'i', ['é'], ['e']],
  ['a b # note\n c', 'x', ['abc'], ['a b c']],
  ['a\\ b[ ]c', 'x', ['a b c'], ['abc']],
  ['\\A\\d+\\z', '', ['123'], ['123\n', 'a1']],
  ['\\d+\\Z', '', ['123\n'], ['123\n\n']],
  ['\\d', '', ['5'], ['٣']],
  ['\\w', '', ['_'], ['é', '-']],
  ['^\\s$', '', [' ', '\t', '\v', '\r'], ['\u00a0', '\u2003']],
  ['^\\S$', '', ['\u00a0', 'x'], [' ']],
  ['^[^\\s]$', '', ['\u00a0', 'x'], [' ']],
  ['^[\\S]$', '', ['\u00a0'], [' ']],
  ['^\\h\\H$', '', ['\u00a0x', ' x'], ['xx', '\nx']],
  ['^\\R$', '', ['\r\n', '\n', '\u2028'], ['x', '\n\r']],
  ['^\\N$', '', ['x', '\r'], ['\n']],
  ['\\bfoo\\b', '', ['a foo b'], ['food']],
  ['\\Bfoo', '', ['xfoo'], ['foo']],
  ['\\Qa.b*\\E+', '', ['a.b**'], ['axb']],
  ['a{2}', '', ['aa'], ['a']],
  ['^a{2,}$', '', ['aaa'], ['a']],
  ['^a{2,3}?$', '', ['aaa'], ['aaaa']],
  ['a{x}', '', ['a{x}'], ['ax']],
  ['{', '', ['{'], ['x']],
  ['}]', '', ['}]'], [']}']],
  ['a|b', '', ['b'], ['c']],
  ['^(?:a|b)+$', '', ['abab'], ['abc']],
  ['^(a)(b)\\2\\1$', '', ['abba'], ['abab']],
  ['^(?<x>a)\\k<x>$', '', ['aa'], ['ab']],
  ["^(?P<x>a)(?P=x)\\g{1}\\g1\\k{x}\\k'x'$", '', ['aaaaaa'], ['aa']],
  ['^(a)\\g{-1}$', '', ['aa'], ['a']],
  ['^a(?=b)', '', ['ab'], ['ac']],
  ['^a(?!b)', '', ['ac'], ['ab']],
  ['(?<=a)b', '', ['ab'], ['cb']],
  ['(?<!a)b', '', ['cb'], ['ab']],
  ['^(?>a+)b', '', ['aab'], ['aac']],
  ['^(?>a+)a', '', [], ['aaa']],
  ['^a++a', '', [], ['aaa']],
  ['^(a++)b\\1$', '', ['aabaa'], ['aaba']],
  ['^[a-z]*+1$', '', ['abc1'], ['abc']],
  ['(?i)abc', '', ['ABC'], ['AB']],
  ['(?is)a.b', '', ['A\nB'], ['AB']],
  ['a(?s).b', '', ['a\nb'], ['ab']],
  ['^(?:a(?s).)b.c', '', ['a\nbxc'], ['a\nb\nc']],
  ['(?s:a.)b.', '', ['a\nbx'], ['a\nb\n']],
  ['(?m)^b(?-m)$', '', ['a\nb'], ['a\nb\nc']],
  ['a(?#comment)b', '', ['ab'], ['a']],
  ['[]a]', '', [']', 'a'], ['b']],
  ['^[^]a]$', '', ['b'], [']', 'a']],
  ['[a-c]', '', ['b'], ['d', '-']],
  ['^[a\\-c]$', '', ['-', 'a'], ['b']],
  ['^[-a]$', '', ['-', 'a'], ['b']],
  ['^[a-]$', '', ['-', 'a'], ['b']],
  ['^[\\d-x]$', '', ['5', '-', 'x'], ['y']],
  ['^[a-\\d]$', '', ['a', '-', '7'], ['b']],
  ['^[[:alpha:]_]$', '', ['x', '_'], ['1', 'é']],
  ['^[^[:digit:]]$', '', ['x'], ['1']],
  ['^[[:^space:]]$', '', ['x'], [' ']],
  ['^[[:punct:]]$', '', ['!', '~'], ['a']],
  ['^[()|&&~~]$', '', ['(', '|', '&', '~'], ['a']],
  ['^[\\b]$', '', ['\b'], ['b']],
  ['\\x41\\x{1F600}', '', ['A😀'], ['A']],
  ['\\101\\o{102}', '', ['AB'], ['A']],
  ['\\t\\n\\r\\f\\e\\a\\cA', '', ['\t\n\r\f\x1b\x07\x01'], ['t']],
  ['^\\p{Lu}\\P{Lu}\\pN$', '', ['Éa1'], ['ea1']],
  ['^\\p{Greek}\\p{^Greek}$', '', ['αa'], ['aα']],
  ['^.$', '', ['😀', 'é'], ['ab']],
  ['^😀{2}$', '', ['😀😀'], ['😀']],
  ['^[😀]$', '', ['😀'], ['\ud83d']],
  ['\\/\\-\\_\\@\\ ', '', ['/-_@ '], ['/']],
  ['^#\\#$', '', ['##'], ['#']],
  ['(*UTF8)é', '', ['é'], ['e']],
];

describe('translates PCRE patterns', () => {
  test.each(cases)('/%s/%s', (pattern, options, matches, rejects) => {
    const regex = compileRegex(pattern, options);
    expect(matches.filter(s => !regex.test(s))).toEqual([]);
    expect(rejects.filter(s => regex.test(s))).toEqual([]);
  });
});

describe('the backtracking search replaces a JavaScript search that may not terminate', () => {
  /** Returns the match and the groups of both engines. */
  const bothFind = (pattern: string, options: string, text: string) => {
    const { source, flags } = translatePattern(pattern, options);
    const native = new RegExp(source, flags).exec(text);
    const found = createSearcher(parsePattern(source, flags), flags.includes('i'))(text, 0);
    const groups = Object.entries(native?.groups ?? {}).filter(([, part]) => part !== undefined);
    return {
      native: native === null ? undefined : { index: native.index, text: native[0], groups: groups.sort() },
      ours: found && { index: found.index, text: found.text, groups: [...found.groups].sort() },
    };
  };

  test.each(cases)('/%s/%s has the same result', (pattern, options, matches, rejects) => {
    for (const text of [...matches, ...rejects]) {
      const { native, ours } = bothFind(pattern, options, text);
      expect(ours).toEqual(native);
    }
  });

  test('random patterns have the same results', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      '\\w',
      '(a)',
      '(a|b)',
      '(?:ab|a)',
      '(?=a)',
      '(?!b)',
      '\\b',
      '(?<=a)',
    );
    const piece = fc.tuple(atom, fc.constantFrom('', '', '*', '+', '?', '*?', '+?', '{1,2}', '{2}', '{0,2}?')).map(
      // Zero-width assertions are not repeated.
      ([what, times]) => (/^\(\?[=!<]|^\\b/.test(what) ? what : what + times),
    );
    const flat = fc.array(piece, { minLength: 1, maxLength: 4 }).map(pieces => pieces.join(''));
    const grouped = fc
      .tuple(flat, fc.constantFrom('', '*', '+', '?', '{2}'), flat)
      .map(([a, times, b]) => `(${a})${times}${b}`);
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 });
    fc.assert(
      fc.property(fc.oneof(flat, grouped), text, (pattern, subject) => {
        const { native, ours } = bothFind(pattern, '', subject);
        expect(ours).toEqual(native);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['(a+)+$', `${'a'.repeat(40)}b`],
    ['^(a|a)*$', `${'a'.repeat(40)}b`],
    ['(x+x+)+y', 'x'.repeat(2_000)],
    ['(?=(a+)+c)a', 'a'.repeat(60)],
    ['(a?){25}a{25}b', 'a'.repeat(49)],
  ])('/%s/ exceeds the match limit', (pattern, text) => {
    expect(refusal(() => compileRegex(pattern).test(text))).toBe(
      '51156 Location51156: Error occurred while executing the regular expression. Result code: match limit exceeded',
    );
  });

  test('finds a match in a long text if few attempts are needed', () => {
    const long = `${'ab '.repeat(100_000)}needle`;
    expect(compileRegex('(a|b)+ .*needle').test(long)).toBe(true);
    expect(compileRegex('.*needle$').test(long)).toBe(true);
    expect(compileRegex('.*nothing').test(long)).toBe(false);
    expect(compileRegex('needle').test(long)).toBe(true);
  });
});

describe('rejects patterns that JavaScript does not support, with 51091', () => {
  test.each([
    ['a(?i)b', 'case-insensitivity for a part of the pattern is not supported by this server'],
    ['(?i:a)b', 'case-insensitivity for a part of the pattern is not supported by this server'],
    ['(?R)', 'groups that begin with (?R are not supported by this server'],
    ['(?(1)a|b)', 'groups that begin with (?( are not supported by this server'],
    ['(?|a|b)', 'groups that begin with (?| are not supported by this server'],
    ['a\\Kb', '\\K is not supported by this server'],
    ['a(*SKIP)b', 'verbs like (*SKIP) are only supported at the start of a pattern by this server'],
    ['(a(*ACCEPT))b', 'verbs like (*SKIP) are only supported at the start of a pattern by this server'],
    ['a'.repeat(32_765), 'regular expression is too large'],
    ['\\y', 'unrecognized character follows \\'],
    ['(a)\\2', 'reference to non-existent subpattern'],
    ['\\k<x>', 'reference to non-existent subpattern'],
    ['[[:foo:]]', 'unknown POSIX class name'],
    ['a**', 'quantifier does not follow a repeatable item'],
  ])('/%s/', (pattern, reason) => {
    expect(refusal(() => compileRegex(pattern))).toBe(`51091 Location51091: Regular expression is invalid: ${reason}`);
  });
});

test.each([
  ['(*UCP)^\\w\\b', 'é ', true],
  ['(*UCP)a\\B', 'aé', true],
  ['(*UCP)\\s\\S', '\u2003a', true],
  ['(*UTF8)(*UCP)^[\\W\\D]$', 'é', true],
  ['(*COMMIT)(*SKIP:x)b', 'ab', true],
  ['a(*FAIL)|b(*ACCEPT)c|d', 'b', true],
  ['a(*F)|b(*ACCEPT)c|d', 'ac', false],
  ['^\\P{Xwd}$', '_', false],
])('applies the verbs and properties of PCRE in /%s/ to %j', (pattern, text, matches) => {
  expect(compileRegex(pattern).test(text)).toBe(matches);
});

test('finds text without special characters anywhere', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.string(), (needle, before, after) => {
      const escaped = needle.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
      expect(compileRegex(escaped).test(before + needle + after)).toBe(true);
      expect(compileRegex(`\\A${escaped}\\z`).test(needle)).toBe(true);
    }),
  );
});

test('a compiled expression is stateless', () => {
  const matcher = parseQuery(d({ a: /x/ }));
  expect([1, 2, 3].map(() => matcher.matches(d({ a: 'xx' })))).toEqual([true, true, true]);
});
