import { hasArrayOn } from '../paths.js';
import type { Rule } from '../rule.js';
import { bothDo, has, theyRefuse, weRefuse } from '../traits.js';
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

export const hintedIndexes: Rule = {
  name: 'hints of sparse and partial indexes',
  reason: 'a find by a sparse or partial index has what is in the index, and nothing else; it looks elsewhere too',
  holds: pair =>
    bothDo(pair) &&
    'hint' in pair.operation.command &&
    ('sparse' in (pair.operation.index ?? {}) || 'partialFilterExpression' in (pair.operation.index ?? {})),
};

export const firstByIndex: Rule = {
  name: 'one of several by an index',
  reason: 'of several documents that match, the one that stands first in the index that is used is written to',
  holds: pair =>
    bothDo(pair) &&
    pair.operation.index !== undefined &&
    has(
      [pair.operation.command['updates'] ?? null, pair.operation.command['deletes'] ?? null],
      (value, name) => (name === 'multi' && value === false) || (name === 'limit' && value === 1),
    ),
};
