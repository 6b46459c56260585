/**
 * The stemmer of English words. Rule: Snowball's "The English (Porter2) stemming algorithm", whose names the regions and
 * steps have.
 */

const vowel = '[aeiouy]';
const consonant = '[^aeiouy]';

const exceptions: ReadonlyMap<string, string> = new Map(
  `skis:ski skies:sky dying:die lying:lie tying:tie idly:idl gently:gentl ugly:ugli early:earli only:onli singly:singl sky:sky
  news:news howe:howe atlas:atlas cosmos:cosmos bias:bias andes:andes`
    .split(/\s+/)
    .map(pair => pair.split(':') as [string, string]),
);

/** Words that step 1a leaves final. */
const finalWords: ReadonlySet<string> = new Set(
  'inning outing canning herring earring proceed exceed succeed'.split(' '),
);

const region = new RegExp(`${vowel}${consonant}`);

/** Returns the start of the region after the first consonant that follows a vowel. */
const after = (word: string, from: number): number => {
  const found = region.exec(word.slice(from));
  return found === null ? word.length : from + found.index + 2;
};

const startOfR1 = (word: string): number => /^(?:gener|commun|arsen)/.exec(word)?.[0].length ?? after(word, 0);

const endsShort = (word: string): boolean =>
  new RegExp(`(?:${consonant}${vowel}[^aeiouywxY]|^${vowel}${consonant})$`).test(word);

const hasVowel = (word: string): boolean => /[aeiouy]/.test(word);

/** A suffix, its replacement, and the end that the rest of the word must have. */
type Rule = readonly [suffix: string, replacement: string, preceding?: RegExp];

const rulesOf = (text: string): readonly Rule[] =>
  text
    .split(/\s+/)
    .map(pair => pair.split(':') as unknown as Rule)
    .sort(([a], [b]) => b.length - a.length);

const step2: readonly Rule[] = [
  ...rulesOf(
    `tional:tion enci:ence anci:ance abli:able entli:ent izer:ize ization:ize ational:ate ation:ate ator:ate alism:al aliti:al
    alli:al fulness:ful ousli:ous ousness:ous iveness:ive iviti:ive biliti:ble bli:ble fulli:ful lessli:less`,
  ),
  ['ogi', 'og', /l$/],
  ['li', '', /[cdeghkmnrt]$/],
];

const step3 = rulesOf('tional:tion ational:ate alize:al icate:ic iciti:ic ical:ic ful: ness: ative:');

const step4: readonly Rule[] = [
  ...rulesOf('al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ism: ate: iti: ous: ive: ize:'),
  ['ion', '', /[st]$/],
];

/** Replaces the longest suffix of the rules, if it is in the region that starts at `from`. */
const replaced = (word: string, rules: readonly Rule[], from: number): string => {
  const rule = rules.find(([suffix]) => word.endsWith(suffix));
  if (rule === undefined) return word;
  const [suffix, replacement, preceding] = rule;
  const rest = word.slice(0, -suffix.length);
  return rest.length >= from && preceding?.test(rest) !== false ? rest + replacement : word;
};

const step1a = (word: string): string => {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (/ie[ds]$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1);
  if (/(?:us|ss)$/.test(word) || !word.endsWith('s')) return word;
  return hasVowel(word.slice(0, -2)) ? word.slice(0, -1) : word;
};

const step1b = (word: string, r1: number): string => {
  const eed = /eed(?:ly)?$/.exec(word);
  if (eed !== null) return eed.index >= r1 ? `${word.slice(0, eed.index)}ee` : word;
  const found = /(?:ed|ing)(?:ly)?$/.exec(word);
  const rest = found === null ? '' : word.slice(0, found.index);
  if (!hasVowel(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(rest)) return rest.slice(0, -1);
  return r1 >= rest.length && endsShort(rest) ? `${rest}e` : rest;
};

const step5 = (word: string, r1: number, r2: number): string => {
  const rest = word.slice(0, -1);
  if (word.endsWith('e')) return rest.length >= r2 || (rest.length >= r1 && !endsShort(rest)) ? rest : word;
  return word.endsWith('ll') && rest.length >= r2 ? rest : word;
};

/** Returns the stem of a word. Capital letters are consonants, as in the algorithm, which expects lowercase words. */
export const englishStem = (given: string): string => {
  if (given.length < 3) return given;
  const exception = exceptions.get(given);
  if (exception !== undefined) return exception;
  const bare = given.replace(/^'/, '');
  // A Y is a consonant.
  let word = bare.replace(/^y|(?<=[aeiouy])y/g, 'Y');
  const isMarked = word !== bare;
  const r1 = startOfR1(word);
  const r2 = after(word, r1);
  word = step1a(word.replace(/(?:'s'|'s|')$/, ''));
  if (finalWords.has(word)) return word;
  word = step1b(word, r1).replace(/(?<=.[^aeiouy])[yY]$/, 'i');
  word = replaced(word, step2, r1);
  const isAtive = word.endsWith('ative') && word.length - 5 < r2;
  if (!isAtive) word = replaced(word, step3, r1);
  word = replaced(word, step4, r2);
  word = step5(word, r1, r2);
  return isMarked ? word.replaceAll('Y', 'y') : word;
};
