/** The kind of text that contains a sentence. Each kind has its own rules. */
export type Place = 'page' | 'comment' | 'title' | 'message' | 'error';

/** A pattern that sentences must not match. */
interface Rule {
  readonly pattern: RegExp;
  readonly advice: string;
  /** The kinds of text that the rule is for. Default: all. */
  readonly places?: readonly Place[];
}

const prose: readonly Place[] = ['page', 'comment', 'title'];

/** Matches the beginning of a clause: of the sentence, or after a colon, a semicolon or a bracket. */
const begin = String.raw`(?:^|[:;(] )`;

const rules: readonly Rule[] = [
  { pattern: new RegExp(`${begin}(?:who|whoever|whom|whatever)\\b`, 'i'), advice: 'begin with a noun', places: prose },
  { pattern: new RegExp(`${begin}what\\b(?!.*\\?$)`, 'i'), advice: 'begin with a noun', places: prose },
  { pattern: /^(?:of|so)\b/i, advice: 'begin with a subject', places: prose },
  { pattern: /\bwhoever\b|\bwhatever\b|\b(?:no|any|some)body\b/i, advice: 'name the caller, server or user' },
  { pattern: /\b(?:one|ones|those|that) (?:who|whose|that|which)\b/i, advice: 'use a noun', places: prose },
  { pattern: /\b(?:told|untold|retold|tells?|telling)\b/i, advice: 'write returns, reports, sends or sets' },
  { pattern: /\b(?:is|are|was|were|be|been|being|gets?) asked\b/i, advice: 'write sends, calls or reads' },
  {
    pattern: /\b(?:don't|doesn't|do|does|did|can|must|to|already|never|still|always) (?:not )?knows?\b/i,
    advice: 'code does not know',
    places: ['comment', 'title'],
  },
  {
    pattern:
      /\b(?:anew|ever later|household|in the midst|need be|as can be|need not|lies? idle|lay idle|says? of|said of|is there for)\b/i,
    advice: 'write plain English',
  },
];

/** The limit for pages and comments. Titles and messages contain values, so they have no limit. */
const maxWords = 30;

const words = (sentence: string): number => sentence.split(/\s+/).filter(word => /\w/.test(word)).length;

/** Returns the reasons why a sentence should be rewritten, or an empty list. */
export function complaintsOf(sentence: string, place: Place): readonly string[] {
  const found = rules
    .filter(({ pattern, places }) => (places?.includes(place) ?? true) && pattern.test(sentence))
    .map(({ pattern, advice }) => `"${pattern.exec(sentence)![0].replace(/^[:;(] /, '')}": ${advice}`);
  if (place === 'page' || place === 'comment') {
    const count = words(sentence);
    if (count > maxWords) found.push(`${count} words: split it`);
  }
  if (place === 'error' && !/^(?:[^a-z]|\$?\{)/.test(sentence))
    found.push('an error message begins with a capital letter');
  if (place === 'error' && !/(?:[.!?)]|\b(?:X|Quote|Code))$/.test(sentence))
    found.push('an error message ends with a full stop');
  return found;
}
