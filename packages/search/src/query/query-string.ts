import { invalid } from '../error.js';
import type { Fields } from '../fields.js';
import type { Level } from '../index/level.js';
import type { TextField } from '../index/text-field.js';
import { combined, marksOfTerms, termScores, termsOf } from './text.js';
import { parseWildcard } from './pattern-syntax.js';
import { termMatcher, unitsWithTerm } from './patterns.js';
import { phraseOf, phraseScores } from './phrase-scores.js';
import type { Hits, Query } from './query.js';
import { addScores, constantly } from './query.js';

type Word = { readonly kind: '(' | ')' | 'AND' | 'NOT' | 'OR' } | { readonly kind: 'clause'; readonly query: Query };

const at = (path: string, level: Level, scores: (field: TextField) => Hits): Hits => {
  const field = level.texts.get(path);
  return field === undefined ? new Map() : scores(field);
};

const phrase = (path: string, text: string, slop: number): Query => ({
  run: level => at(path, level, field => phraseScores(field, phraseOf(field, text), slop)),
  marks: field => marksOfTerms(termsOf(field, text)),
});

const range = (path: string, from: string, to: string, isOpen: boolean): Query => ({
  run: level =>
    at(path, level, field => {
      const [lower, upper] = [from, to].map(bound =>
        bound === '*' ? undefined : field.searchAnalyzer.normalize(bound),
      );
      return unitsWithTerm(
        field,
        term =>
          (lower === undefined || term > lower || (!isOpen && term === lower)) &&
          (upper === undefined || term < upper || (!isOpen && term === upper)),
      );
    }),
  marks: () => [],
});

const wildcard = (path: string, text: string, name: string): Query => {
  const testFor = (field: TextField): ((term: string) => boolean) =>
    termMatcher(name, field.searchAnalyzer.normalize(text), parseWildcard);
  return {
    run: level => at(path, level, field => unitsWithTerm(field, testFor(field))),
    marks: field => [testFor(field)],
  };
};

const word = (path: string, text: string, maxEdits: number): Query => {
  const fuzzy = maxEdits === 0 ? undefined : { maxEdits, prefixLength: 0, maxExpansions: 50 };
  return {
    run: level =>
      at(path, level, field =>
        combined(
          termsOf(field, text).map(term => termScores(field, term, fuzzy)),
          false,
        ),
      ),
    marks: field => marksOfTerms(termsOf(field, text), fuzzy),
  };
};

const tokens =
  /\s*(?:(?<paren>[()])|(?<operator>AND|OR|NOT|&&|\|\||!)(?=[\s(]|$)|(?:(?<path>[\w.]+):)?(?:"(?<phrase>[^"]*)"(?:~(?<slop>\d+))?|(?<open>[[{])(?<from>\S+) TO (?<to>[^\s\]}]+)[\]}]|(?<group>\()|(?<word>(?:\\.|[^\s()"[\]{}~])+)(?:~(?<edits>\d*))?))\s*/suy;

const operators: Readonly<Record<string, 'AND' | 'NOT' | 'OR'>> = { '&&': 'AND', '||': 'OR', '!': 'NOT' };

/** Splits a query into operators and clauses. A path before a parenthesis applies to all clauses within it. */
const wordsOf = (text: string, defaultPath: string, name: string): readonly Word[] => {
  const words: Word[] = [];
  const paths = [defaultPath];
  tokens.lastIndex = 0;
  while (tokens.lastIndex < text.length) {
    const start = tokens.lastIndex;
    const groups = tokens.exec(text)?.groups;
    if (groups === undefined)
      throw invalid(`"${name}" is not a valid query: unexpected "${text[start]!}" at character ${start}.`);
    const { paren, operator, group, from, to } = groups;
    const path = groups['path'] ?? paths.at(-1)!;
    if (paren === '(' || group !== undefined) {
      paths.push(path);
      words.push({ kind: '(' });
    } else if (paren === ')') {
      paths.pop();
      words.push({ kind: ')' });
    } else if (operator !== undefined) words.push({ kind: operators[operator] ?? (operator as 'AND') });
    else words.push({ kind: 'clause', query: clauseOf(path, groups, from, to, name) });
  }
  return words;
};

const clauseOf = (
  path: string,
  groups: Readonly<Record<string, string | undefined>>,
  from: string | undefined,
  to: string | undefined,
  name: string,
): Query => {
  if (groups['phrase'] !== undefined) return phrase(path, groups['phrase'], Number(groups['slop'] ?? 0));
  if (from !== undefined && to !== undefined) return range(path, from, to, groups['open'] === '{');
  const text = groups['word']!;
  if (/(?<!\\)[*?]/.test(text)) return wildcard(path, text, name);
  const edits = groups['edits'];
  const plain = text.replace(/\\(.)/gsu, '$1');
  return word(path, plain, edits === undefined ? 0 : edits === '' ? 2 : Math.min(2, Number(edits)));
};

const and = (a: Query, b: Query): Query => ({
  run: level => combined([a.run(level), b.run(level)], true),
  marks: field => [...a.marks(field), ...b.marks(field)],
});

const or = (a: Query, b: Query): Query => ({
  run: level => {
    const hits = a.run(level);
    addScores(hits, b.run(level));
    return hits;
  },
  marks: field => [...a.marks(field), ...b.marks(field)],
});

const not = (query: Query): Query => ({
  run: level => {
    const excluded = query.run(level);
    return constantly(
      [...level.units].filter(unit => !excluded.has(unit)),
      0,
    );
  },
  marks: () => [],
});

/** Parses `queryString`. @throws SearchError */
export const parseQueryString = (fields: Fields): Query => {
  fields.allow('defaultPath', 'query', 'score');
  const name = `${fields.path}.query`;
  const words = wordsOf(fields.string('query'), fields.string('defaultPath'), name);
  let next = 0;
  const fail = (): Error => invalid(`"${name}" is not a valid query: an operator or a parenthesis has no operand.`);
  const single = (): Query => {
    const found = words[next++];
    if (found?.kind === 'clause') return found.query;
    if (found?.kind === 'NOT') return not(single());
    if (found?.kind !== '(') throw fail();
    const query = alternatives();
    if (words[next++]?.kind !== ')') throw fail();
    return query;
  };
  const conjunction = (): Query => {
    let query = single();
    for (;;) {
      const kind = words[next]?.kind;
      if (kind === 'AND') next++;
      else if (kind !== 'NOT') return query;
      query = and(query, single());
    }
  };
  const alternatives = (): Query => {
    let query = conjunction();
    for (;;) {
      const kind = words[next]?.kind;
      if (kind === undefined || kind === ')') return query;
      if (kind === 'OR') next++;
      query = or(query, conjunction());
    }
  };
  const query = alternatives();
  if (next < words.length) throw fail();
  return query;
};
