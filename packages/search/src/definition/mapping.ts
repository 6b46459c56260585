import type { Analyzers } from '../analysis/analyzers.js';
import { normalizerNamed } from '../analysis/analyzers.js';
import { foldDiacritics } from '../analysis/filters.js';
import { gramsOf } from '../analysis/grams.js';
import type { Analyzer } from '../analysis/token.js';
import { Fields } from '../fields.js';
import type { ScalarKind } from '../values.js';

/** How the strings of a field are analyzed. */
export interface TextRule {
  readonly type: 'string';
  readonly analyzer: Analyzer;
  readonly searchAnalyzer: Analyzer;
  /** Longer strings are not indexed. */
  readonly ignoreAbove: number;
  /** The alternate analyzers by name. */
  readonly multi: ReadonlyMap<string, Omit<TextRule, 'multi' | 'type'>>;
}

export interface AutocompleteRule {
  readonly type: 'autocomplete';
  readonly analyzer: Analyzer;
  readonly searchAnalyzer: Analyzer;
}

/** Values that are stored as they are. Strings are normalized. */
export interface ScalarRule {
  readonly type: 'scalar';
  readonly kind: ScalarKind;
  readonly normalize: ((text: string) => string) | undefined;
}

export interface GeoRule {
  readonly type: 'geo';
}

export interface DocumentRule {
  readonly type: 'document' | 'embeddedDocuments';
  readonly mapping: Mapping;
}

export type Rule = AutocompleteRule | DocumentRule | GeoRule | ScalarRule | TextRule;

/** The rules for the fields of a document. */
export interface Mapping {
  readonly fields: ReadonlyMap<string, readonly Rule[]>;
  /** The rules for all other fields, by the kinds of their values; undefined: the others are not indexed. */
  readonly dynamic: readonly Rule[] | undefined;
}

/** The analyzers that fields use unless they name others. */
interface Context {
  readonly analyzers: Analyzers;
  readonly analyzer: Analyzer;
  readonly searchAnalyzer: Analyzer | undefined;
  /** The rules of the type sets by name. */
  readonly typeSets: ReadonlyMap<string, readonly Rule[]>;
}

const scalar = (kind: ScalarKind, normalize?: (text: string) => string): ScalarRule => ({
  type: 'scalar',
  kind,
  normalize,
});

const everySize = { from: 1, to: 1_000_000 };

const analyzersOf = (
  fields: Fields,
  { analyzers, analyzer, searchAnalyzer }: Context,
): Pick<TextRule, 'analyzer' | 'searchAnalyzer'> => {
  const own = fields.optionalString('analyzer');
  const ownForSearch = fields.optionalString('searchAnalyzer');
  const chosen = own === undefined ? analyzer : analyzers.named(own);
  const forSearch = own === undefined ? (searchAnalyzer ?? chosen) : chosen;
  return { analyzer: chosen, searchAnalyzer: ownForSearch === undefined ? forSearch : analyzers.named(ownForSearch) };
};

const textOptions = ['analyzer', 'searchAnalyzer', 'indexOptions', 'store', 'ignoreAbove', 'norms', 'similarity'];

const textRule = (fields: Fields, context: Context): Omit<TextRule, 'multi' | 'type'> => {
  fields.oneOf('indexOptions', ['docs', 'freqs', 'positions', 'offsets'], 'offsets');
  fields.oneOf('norms', ['include', 'omit'], 'include');
  fields.boolean('store', true);
  return {
    ...analyzersOf(fields, context),
    ignoreAbove: fields.optionalInteger('ignoreAbove', everySize, Number.POSITIVE_INFINITY),
  };
};

const string = (fields: Fields, context: Context): TextRule => {
  fields.allow('type', 'multi', ...textOptions);
  const multi = new Map<string, Omit<TextRule, 'multi' | 'type'>>();
  const alternates = fields.optionalChild('multi');
  for (const name of Object.keys(alternates?.document ?? {}))
    multi.set(name, textRule(alternates!.child(name).allow('type', ...textOptions), context));
  return { type: 'string', ...textRule(fields, context), multi };
};

const sides = { edgeGram: 'left', rightEdgeGram: 'right', nGram: 'any' } as const;

const cut = (term: string, max: number, side: 'any' | 'left' | 'right'): string => {
  const chars = [...term];
  if (chars.length <= max) return term;
  return (side === 'right' ? chars.slice(-max) : chars.slice(0, max)).join('');
};

const autocomplete = (fields: Fields, context: Context): AutocompleteRule => {
  fields.allow('type', 'analyzer', 'maxGrams', 'minGrams', 'tokenization', 'foldDiacritics', 'similarity');
  const name = fields.optionalString('analyzer');
  const words = name === undefined ? context.analyzer : context.analyzers.named(name);
  const side = sides[fields.oneOf('tokenization', ['edgeGram', 'rightEdgeGram', 'nGram'], 'edgeGram')];
  const min = fields.optionalInteger('minGrams', { from: 1, to: 1000 }, 2);
  const max = fields.optionalInteger('maxGrams', { from: min, to: 1000 }, 15);
  const fold = fields.boolean('foldDiacritics', true) ? foldDiacritics : (term: string) => term;
  const normal = (term: string): string => fold(term.toLowerCase());
  return {
    type: 'autocomplete',
    analyzer: {
      ...words,
      analyze: text =>
        words
          .analyze(text)
          .flatMap(token => gramsOf(normal(token.term), { min, max, side }).map(({ term }) => ({ ...token, term }))),
    },
    searchAnalyzer: {
      ...words,
      analyze: text => words.analyze(text).map(token => ({ ...token, term: cut(normal(token.term), max, side) })),
    },
  };
};

const representations = (fields: Fields): void => {
  fields.oneOf('representation', ['double', 'int64'], 'double');
  fields.boolean('indexIntegers', true);
  fields.boolean('indexDoubles', true);
};

const number = (fields: Fields): ScalarRule => {
  fields.allow('type', 'representation', 'indexIntegers', 'indexDoubles');
  representations(fields);
  return scalar('number');
};

const plain =
  (kind: ScalarKind) =>
  (fields: Fields): ScalarRule => {
    fields.allow('type');
    return scalar(kind);
  };

const token = (fields: Fields): ScalarRule => {
  fields.allow('type', 'normalizer');
  return scalar('string', normalizerNamed(fields.oneOf('normalizer', ['lowercase', 'none'], 'none')));
};

const documents =
  (type: DocumentRule['type']) =>
  (fields: Fields, context: Context): DocumentRule => {
    fields.allow('type', 'dynamic', 'fields', 'storedSource');
    return { type, mapping: mappingOf(fields, context) };
  };

const geo = (fields: Fields): GeoRule => {
  fields.allow('type', 'indexShapes');
  fields.boolean('indexShapes', false);
  return { type: 'geo' };
};

type Maker = (fields: Fields, context: Context) => Rule;

/** The field types of definitions. */
const makers: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ['autocomplete', autocomplete],
  ['boolean', plain('boolean')],
  ['date', plain('date')],
  ['dateFacet', plain('date')],
  ['document', documents('document')],
  ['embeddedDocuments', documents('embeddedDocuments')],
  ['geo', geo],
  ['number', number],
  ['numberFacet', number],
  ['objectId', plain('objectId')],
  ['string', string],
  ['stringFacet', plain('string')],
  ['token', token],
  ['uuid', plain('uuid')],
]);

const ruleOf = (fields: Fields, context: Context): Rule =>
  makers.get(fields.oneOf('type', [...makers.keys()]))!(fields, context);

const defaultRules = ({ analyzer, searchAnalyzer }: Context): readonly Rule[] => [
  { type: 'string', analyzer, searchAnalyzer: searchAnalyzer ?? analyzer, ignoreAbove: Infinity, multi: new Map() },
  ...(['boolean', 'date', 'number', 'objectId', 'uuid'] as const).map(kind => scalar(kind)),
];

const dynamicRules = (fields: Fields, context: Context): readonly Rule[] | undefined => {
  const dynamic = fields.get('dynamic') ?? false;
  if (typeof dynamic === 'boolean') return dynamic ? defaultRules(context) : undefined;
  const set = fields.child('dynamic').allow('typeSet');
  const rules = context.typeSets.get(set.string('typeSet'));
  if (rules === undefined) throw set.problem('typeSet', 'is not the name of a type set in "typeSets"');
  return rules;
};

/** @throws SearchError */
const mappingOf = (given: Fields, context: Context): Mapping => {
  const fields = new Map<string, readonly Rule[]>();
  const named = given.optionalChild('fields');
  for (const name of Object.keys(named?.document ?? {}))
    fields.set(
      name,
      named!.children(name).map(each => ruleOf(each, context)),
    );
  return { fields, dynamic: dynamicRules(given, context) };
};

/** Reads `mappings` and what it refers to. @throws SearchError */
export const readMapping = (definition: Fields, analyzers: Analyzers): Mapping => {
  const forSearch = definition.optionalString('searchAnalyzer');
  const name = definition.optionalString('analyzer') ?? 'lucene.standard';
  const searchAnalyzer = forSearch === undefined ? undefined : analyzers.named(forSearch);
  const typeSets = new Map<string, readonly Rule[]>();
  const context: Context = { analyzers, analyzer: analyzers.named(name), searchAnalyzer, typeSets };
  for (const set of definition.children('typeSets')) {
    set.allow('name', 'types');
    typeSets.set(
      set.string('name'),
      set.children('types').map(each => ruleOf(each, context)),
    );
  }
  return mappingOf(definition.child('mappings').allow('dynamic', 'fields'), context);
};
