/** The analysis of texts for text indexes. It is large, so it is loaded with the first text index. */
import type { TextAnalysis } from '@tessera/contracts';
import type { Doc } from '@tessera/mql/engine';
import { isDoc } from '@tessera/mql/engine';
import type { Loading } from './loading.js';
import { loaded } from './loading.js';

let analysis: TextAnalysis | undefined;

/** Returns the analysis of texts, or undefined before it is loaded. */
export const textAnalysis = (): TextAnalysis | undefined => analysis;

/** Whether the specification of an index is that of a text index whose languages must still be loaded. */
export const needsLanguages = (spec: Doc): boolean => {
  const key = spec.get('key');
  return analysis === undefined && isDoc(key) && key.entries().some(([, value]) => value === 'text');
};

/** Loads the languages of text indexes. */
export const loadLanguages = async (host: Loading): Promise<void> => {
  const { createTextAnalysis } = await loaded(host, import('@tessera/text'));
  analysis = createTextAnalysis();
};
