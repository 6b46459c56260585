import { Fields } from '../fields.js';
import { parseAutocomplete } from './autocomplete.js';
import { parseCompound } from './compound.js';
import { parseEmbeddedDocument } from './embedded-document.js';
import { parseMoreLikeThis } from './more-like-this.js';
import { parseGeoWithin, parseNear } from './near.js';
import { parseRegexQuery, parseWildcardQuery } from './patterns.js';
import { parsePhrase } from './phrase.js';
import type { Query } from './query.js';
import { parseQueryString } from './query-string.js';
import { parseEquals, parseExists, parseIn, parseRange } from './scalar-queries.js';
import { withScore } from './score.js';
import type { Synonyms } from './synonyms.js';
import { parseText } from './text.js';

type Parser = (fields: Fields, synonyms: Synonyms) => Query;

const scored =
  (parse: Parser): Parser =>
  (fields, synonyms) =>
    withScore(parse(fields, synonyms), fields);

const isDismax = (fields: Fields): boolean => fields.optionalChild('score')?.has('dismax') === true;

const parsers: ReadonlyMap<string, Parser> = new Map<string, Parser>([
  ['autocomplete', scored(parseAutocomplete)],
  [
    'compound',
    (fields, synonyms) => {
      const query = parseCompound(fields, operator => parseOperator(operator, synonyms));
      return isDismax(fields) ? query : withScore(query, fields);
    },
  ],
  [
    'embeddedDocument',
    (fields, synonyms) => parseEmbeddedDocument(fields, operator => parseOperator(operator, synonyms)),
  ],
  ['equals', scored(parseEquals)],
  ['exists', scored(parseExists)],
  ['geoWithin', scored(parseGeoWithin)],
  ['in', scored(parseIn)],
  ['moreLikeThis', scored(parseMoreLikeThis)],
  ['near', scored(parseNear)],
  ['phrase', scored(parsePhrase)],
  ['queryString', scored(parseQueryString)],
  ['range', scored(parseRange)],
  ['regex', scored(parseRegexQuery)],
  ['text', scored(parseText)],
  ['wildcard', scored(parseWildcardQuery)],
]);

/** The operators that queries may use. */
export const operatorNames: readonly string[] = [...parsers.keys()];

/** Parses one operator among the fields of a document. @throws SearchError */
export const parseNamedOperator = (fields: Fields, name: string, synonyms: Synonyms): Query =>
  parsers.get(name)!(new Fields(fields.required(name), name), synonyms);

/** Parses a document with one operator. @throws SearchError */
export const parseOperator = (fields: Fields, synonyms: Synonyms): Query => {
  const names = Object.keys(fields.document);
  const [name] = names;
  if (name === undefined || names.length > 1)
    throw fields.problem(name ?? '', `must be the only operator of its document, which has ${names.length}`);
  if (!parsers.has(name)) throw fields.problem(name, `is not one of the operators [${operatorNames.join(', ')}]`);
  return parsers.get(name)!(fields.child(name), synonyms);
};
