import { hasArrayOn } from '../paths.js';
import type { Rule } from '../rule.js';
import { theyRefuse, weRefuse } from '../traits.js';
import type { Fields } from '../tree.js';

export const parallelArrays: Rule = {
  name: 'an index through parallel arrays',
  reason: 'an index takes no two arrays of a document, also if one of them is empty',
  holds: pair => weRefuse(pair, 171, /cannot index parallel arrays/),
};

export const keysOfArrays: Rule = {
  name: 'keys of arrays in unique indexes',
  reason: 'an empty array is indexed as undefined, and an element that cannot have the field as null',
  holds: pair =>
    pair.operation.index?.['unique'] === true &&
    (weRefuse(pair, 11000) || theyRefuse(pair, 11000)) &&
    Object.keys(pair.operation.index['key'] as Fields).some(path => hasArrayOn(pair, path)),
};
