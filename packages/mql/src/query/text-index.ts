import type { TextAnalysis, TextAnalyzer } from '@tessera/contracts';
import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc } from '../value/value.js';

/** The parts of a text index that a search uses. */
export interface TextIndex {
  readonly analysis: TextAnalysis;
  /** 1, 2 or 3. Versions before 3 distinguish diacritics. */
  readonly version: number;
  /** The weights of the paths, sorted by path. */
  readonly weights: readonly (readonly [path: string, weight: number])[];
  /** Whether the index covers all fields. */
  readonly isWhole: boolean;
  readonly language: string;
  /** The field that overrides the language of a document. */
  readonly override: string;
  /** The paths before the text. A search must have an equality condition on each. */
  readonly prefix: readonly string[];
  /** The first paths of the collection's other indexes. A search within `$or` needs them. */
  readonly leads: ReadonlySet<string>;
  /** Whether the index is hidden, so that no plan uses it. */
  readonly isHidden: boolean;
}

const languages: ReadonlySet<string> = new Set(
  `none da danish nl dutch en english fi finnish fr french de german hu hungarian it italian nb norwegian pt portuguese ro romanian ru
  russian es spanish sv swedish tr turkish`.split(/\s+/),
);

/** Returns whether the name is a supported text search language. Case is ignored. */
export const isTextLanguage = (name: string): boolean => languages.has(name.toLowerCase());

/** Returns the analyzer of a language that the index supports. */
export const analyzerOf = ({ analysis, version }: TextIndex, language: string): TextAnalyzer =>
  analysis.analyzer(language.toLowerCase(), version);

/** Receives one text that the index covers. */
export type TextVisitor = (text: string, weight: number, analyzer: TextAnalyzer) => void;

/** A document or an array, and its place in the indexed document. */
interface Frame {
  readonly path: string;
  readonly isArray: boolean;
  readonly analyzer: TextAnalyzer;
}

/** Returns the language of a document's texts. @throws CommandError 17261, 17262 */
const analyzerIn = (doc: Doc, index: TextIndex, outer: TextAnalyzer): TextAnalyzer => {
  const own = doc.get(index.override);
  if (own === undefined) return outer;
  if (index.version === 1) return typeof own === 'string' && own !== '' ? analyzerOf(index, own) : outer;
  if (typeof own !== 'string') throw fail(17261, 'found language override field in document with non-string type');
  if (!isTextLanguage(own)) throw fail(17262, `language override unsupported: ${own}`);
  return analyzerOf(index, own);
};

/** Names that a text index ignores. */
const isIgnored = (name: string): boolean => name.startsWith('$') || name.includes('.');

const visitEntry = (name: string, value: Value, frame: Frame, index: TextIndex, visit: TextVisitor): void => {
  const { isWhole, weights } = index;
  if (!frame.isArray && (isIgnored(name) || (isWhole && name === index.override))) return;
  const path = frame.path === '' ? name : frame.isArray ? frame.path : `${frame.path}.${name}`;
  // The first of the sorted weights at or after the path is that of the path, or of a field within it.
  const least = isDoc(value) ? `${path}.` : path;
  const found = weights.find(([weighed]) => weighed >= least);
  const isExact = found?.[0] === path;
  if (!isWhole && !isExact && found?.[0].startsWith(`${path}.`) !== true) return;
  if (typeof value === 'string') {
    if (isExact || isWhole) visit(value, isExact ? found[1] : 1, frame.analyzer);
  } else if (isDoc(value)) {
    visitDoc(value, { path, isArray: false, analyzer: frame.analyzer }, index, visit);
  } else if (isArray(value) && (isWhole || !frame.isArray)) {
    const inner: Frame = { path, isArray: true, analyzer: frame.analyzer };
    for (const [i, item] of value.entries()) visitEntry(String(i), item, inner, index, visit);
  }
};

const visitDoc = (doc: Doc, { path, analyzer }: Frame, index: TextIndex, visit: TextVisitor): void => {
  const frame: Frame = { path, isArray: false, analyzer: analyzerIn(doc, index, analyzer) };
  for (const [name, value] of doc) visitEntry(name, value, frame, index, visit);
};

/**
 * Visits each text that the index covers, in the order of the document. mongod: FTSElementIterator.
 * @throws CommandError 17261, 17262 for a language override that is not a supported language
 */
export const visitTexts = (doc: Doc, index: TextIndex, visit: TextVisitor): void => {
  visitDoc(doc, { path: '', isArray: false, analyzer: analyzerOf(index, index.language) }, index, visit);
};
