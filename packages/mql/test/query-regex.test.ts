import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileRegex } from '../src/query/regex.js';
import { parseQuery } from '../src/query/parse.js';
import { translatePattern } from '../src/query/pcre.js';
import { createSearcher } from '../src/query/regex/match.js';
import { createPcreSearcher } from '../src/query/regex/pcre-match.js';
import { parsePcre } from '../src/query/regex/pcre-parse.js';
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

/** Features that JavaScript lacks, or that it defines differently. */
const ownCases: readonly Case[] = [
  ['^(a)?\\1b$', '', ['aab'], ['b', 'ab']],
  ['^(?:(a)|b)*\\1$', '', ['aba', 'aa'], ['ab', 'b']],
  ['a(?i)b', '', ['ab', 'aB'], ['Ab', 'AB']],
  ['(?i:a)b', '', ['Ab'], ['aB']],
  ['^(a(?i)b|c)d$', '', ['aBd', 'Cd'], ['Abd', 'cD']],
  ['(?i)a(?-i)b', '', ['Ab'], ['AB']],
  ['(?-i:a)b', 'i', ['aB'], ['Ab']],
  ['(?i)^(é)[à-ö]\\1$', '', ['ÉÀé'], ['ÉxÉ']],
  ['^(?^:a.)b', 'is', ['axB'], ['Axb', 'a\nb']],
  ['^(?x: a b )c d', '', ['abc d'], ['a bcd']],
  ['^(?U)(a+)(a*)$', '', ['aaa'], ['b']],
  ['^\\((?:[^()]|(?R))*\\)$', '', [], ['(a(b)c)']],
  ['^(\\((?:[^()]++|(?1))*\\))$', '', ['(a(b)c)', '()'], ['(a(b)c', '(a))']],
  ['^(?<p>\\[(?:[^][]|(?&p))*\\])$', '', ['[a[b]]'], ['[a[b]']],
  ['^(?P<p>a(?P>p)?b)$', '', ['aabb', 'ab'], ['aab']],
  ['^((.)(?1)\\2|.?)$', '', ['abcba', 'abba', 'a'], ['abca']],
  ['^(?+1)(a|b)\\1$', '', ['abb', 'baa'], ['aab']],
  ['^(a|b)(?-1)\\1$', '', ['aba', 'bab'], ['aab']],
  ["^(?<x>a|b)\\g<x>\\g'1'$", '', ['aba'], ['abc']],
  ['^(a)?(?(1)b|c)$', '', ['ab', 'c'], ['ac', 'b']],
  ['^(?<x>a)?(?(<x>)b|c)$', '', ['ab', 'c'], ['ac']],
  ["^(?<x>a)?(?('x')b)c$", '', ['abc', 'c'], ['ac']],
  ['^(?(?=a)ab|cd)$', '', ['ab', 'cd'], ['ad']],
  ['^(?(?<!x)a|b)', '', ['a'], ['b']],
  ['^(?(DEFINE)(?<n>\\d+))(?&n)\\.(?&n)$', '', ['1.25'], ['1.']],
  ['^(a(?(R)b|c)(?1)?)$', '', ['ac', 'acab'], ['ab']],
  ['(?|(a)|(b))\\1', '', ['aa', 'bb'], ['ab']],
  ['^(?|(?<x>a)|(?<x>b))(c)\\2\\k<x>$', '', ['acca', 'bccb'], ['accb']],
  ['a\\Kb', '', ['ab'], ['b']],
  ['\\Ga', '', ['ab'], ['ba']],
  ['^\\X$', '', ['e\u0301', '👨‍👩‍👧', '\r\n'], ['ab']],
  ['^\\R\\n', '', ['\n\n'], ['\r\n']],
  ['^(?>a|ab)c$', '', ['ac'], ['abc']],
  ['^(?:a|ab)++c$', '', ['ac', 'aac'], ['abc']],
  ['a+(*COMMIT)b', '', ['aab'], ['aacaab']],
  ['a+(*PRUNE)b', '', ['aacaab'], ['aac']],
  ['aaa(*SKIP)b|a', '', ['aaab', 'aaaca'], ['aaac']],
  ['^(?:a(*THEN)b|ac)$', '', ['ab', 'ac'], ['a']],
  ['(a(*ACCEPT)b)c', '', ['a'], ['bc']],
  ['^(?!a(*COMMIT)b)ac|cd', '', ['ac'], ['ab']],
  ['^\\N{U+e9}$', '', ['é'], ['e']],
  ['^a{,2}$', '', ['a{,2}'], ['aa']],
  ['(?C1)a(?#x)+', '', ['aa'], ['b']],
  ['^(?=(a+))a*b\\1$', '', [], ['aaab']],
  ['(?=(a+))a*b\\1', '', ['aaaba'], ['aaab']],
];

describe('matches features that only PCRE has', () => {
  test.each(ownCases)('/%s/%s', (pattern, options, matches, rejects) => {
    const regex = compileRegex(pattern, options);
    expect(matches.filter(s => !regex.test(s))).toEqual([]);
    expect(rejects.filter(s => regex.test(s))).toEqual([]);
  });

  test.each(cases.filter(([pattern]) => !/^\(\*/.test(pattern)))(
    'and all other features with the same results: /%s/%s',
    (pattern, options, matches, rejects) => {
      const search = createPcreSearcher(parsePcre(pattern, options));
      expect(matches.filter(s => search(s, 0) === undefined)).toEqual([]);
      expect(rejects.filter(s => search(s, 0) !== undefined)).toEqual([]);
    },
  );

  test.each([
    ['ab\\Kc', 'xabc', 'c', 3, []],
    ['(?:(a)|b)*', 'ab', 'ab', 0, ['a']],
    ['(?|(a)|(b))(c)', 'bc', 'bc', 0, ['b', 'c']],
    ['(a)(?1)(b)?', 'aab', 'aab', 0, ['a', 'b']],
    ['(?=(a+))a', 'baa', 'a', 1, ['aa']],
    ['(*ACCEPT)a', 'b', '', 0, []],
  ])('/%s/ finds in %j the text %j at %i', (pattern, text, found, index, captures) => {
    const match = compileRegex(pattern).find(text)!;
    expect([match.text, match.index]).toEqual([found, index]);
    expect(captures.map((_, i) => match.groups.get(`g${i + 1}`))).toEqual(captures);
  });

  test.each([
    ['^(?:(a)|a)*\\1$', `${'a'.repeat(40)}b`, 'match limit exceeded'],
    ['^(a+)+(?i)$', `${'a'.repeat(40)}b`, 'match limit exceeded'],
    ['^(a|(?1)b)$', 'c', 'nested recursion at the same subject position'],
    ['^((?i)ab|c)*$', 'ab'.repeat(100_000), 'match limit exceeded'],
  ])('/%s/ ends with 51156', (pattern, text, result) => {
    expect(refusal(() => compileRegex(pattern).test(text))).toBe(
      `51156 Location51156: Error occurred while executing the regular expression. Result code: ${result}`,
    );
  });

  test('random patterns have the same results as in JavaScript', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '(?:ab|a)',
      '(?=a)',
      '(?!b)',
      '\\b',
      '(?<=a)',
      '(a|b)',
      '(?>a+)',
    );
    const piece = fc
      .tuple(atom, fc.constantFrom('', '*', '+', '?', '*?', '{1,2}', '++'))
      .map(([what, times]) => (/^\(\?[=!<]|^\\b/.test(what) ? what : what + times));
    const pattern = fc.array(piece, { minLength: 1, maxLength: 5 }).map(pieces => pieces.join(''));
    fc.assert(
      fc.property(pattern, fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 9 }), (source, text) => {
        const found = createPcreSearcher(parsePcre(source, ''))(text, 0);
        const { source: native, flags } = translatePattern(source, '');
        const match = new RegExp(native, flags).exec(text);
        expect(found && [found.index, found.text]).toEqual(match === null ? undefined : [match.index, match[0]]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('rejects invalid patterns, with 51091', () => {
  test.each([
    ['a\\Cb', 'using \\C is disabled in this server'],
    ['a(*SKIP:x)b', '(*SKIP) with a name is only supported at the start of a pattern by this server'],
    ['a(*FOO)b', '(*VERB) not recognized or malformed'],
    ['(?1)', 'reference to non-existent subpattern'],
    ['(?&x)', 'reference to non-existent subpattern'],
    ['(?(1)a|b)', 'reference to non-existent subpattern'],
    ['(a)(?(1)a|b|c)', 'conditional subpattern contains more than two branches'],
    ['(?Zi)a', 'unrecognized character after (? or (?-'],
    ['(a', 'missing closing parenthesis'],
    ['a)', 'unmatched closing parenthesis'],
    ['a{3,1}', 'numbers out of order in {} quantifier'],
    ['a{65536}', 'number too big in {} quantifier'],
    ['a'.repeat(32_765), 'regular expression is too large'],
    ['\\y', 'unrecognized character follows \\'],
    ['(a)\\2', 'reference to non-existent subpattern'],
    ['\\k<x>', 'reference to non-existent subpattern'],
    ['[[:foo:]]', 'unknown POSIX class name'],
    ['*a', 'quantifier does not follow a repeatable item'],
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
