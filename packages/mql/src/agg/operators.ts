import { fail } from '../errors.js';
import type { Collation } from '../value/compare.js';
import { arithmeticOperators } from './arithmetic.js';
import { arrayOperators } from './array.js';
import { bitwiseOperators } from './bitwise.js';
import { comparisonOperators } from './comparison.js';
import { conversionOperators } from './convert.js';
import { dateOperators } from './date.js';
import { metadataOf } from '../query/metadata.js';
import { double } from '../value/value.js';
import type { Operator, Operators } from './expression.js';
import { computed } from './expression.js';
import { gatheringOperators } from './gathering-operators.js';
import { hashedKeyOperators } from './hashed-key.js';
import { iterationOperators } from './iteration.js';
import { objectOperators } from './object.js';
import { regexOperators } from './regex.js';
import { scriptFunction } from './script-function.js';
import { setOperators } from './set.js';
import { stringOperators } from './string.js';
import { trigonometryOperators } from './trigonometry.js';

/** Metadata that only some queries have. mongod rejects other queries before their execution. */
const ofQueries: Readonly<Record<string, readonly ['textScore' | 'geoNearDistance' | 'geoNearPoint', shown: string]>> =
  {
    textScore: ['textScore', 'text score'],
    geoNearDistance: ['geoNearDistance', '$geoNear distance'],
    geoNearPoint: ['geoNearPoint', '$geoNear point'],
  };

/** Metadata that is missing where nothing provides it. */
const optional: ReadonlyMap<string, 'recordId' | 'indexKey' | 'sortKey' | undefined> = new Map([
  ['recordId', 'recordId'],
  ['indexKey', 'indexKey'],
  ['sortKey', 'sortKey'],
  ['randVal', undefined],
]);

/** Metadata of results of `$search` and `$vectorSearch`. A stage may lack some of them. */
const ofSearches = new Set(
  'searchScore searchHighlights searchScoreDetails searchSequenceToken vectorSearchScore score scoreDetails'.split(' '),
);

const meta: Operator = (spec, parser) => {
  if (typeof spec !== 'string') throw fail(17307, '$meta only supports string arguments');
  parser.metadata.add(spec);
  const unavailable = (shown: string): Error =>
    fail(40218, `query requires ${shown} metadata, but it is not available`);
  if (optional.has(spec)) {
    const name = optional.get(spec);
    return computed(({ root }) => (name === undefined ? undefined : metadataOf(root)?.[name]));
  }
  if (ofSearches.has(spec))
    return computed(({ root }) => {
      const search = metadataOf(root)?.search;
      if (search === undefined) throw unavailable(spec);
      return search.get(spec);
    });
  const known = ofQueries[spec];
  if (known === undefined) throw fail(17308, `Unsupported argument to $meta: ${spec}`);
  const [name, shown] = known;
  return computed(({ root }) => {
    const value = metadataOf(root)?.[name];
    if (value === undefined) throw unavailable(shown);
    return typeof value === 'number' && name !== 'geoNearPoint' ? double(value) : value;
  });
};

const createOperators = (collation: Collation | undefined): Operators =>
  new Map([
    ...arithmeticOperators,
    ...arrayOperators(collation),
    ...bitwiseOperators,
    ...comparisonOperators(collation),
    ...conversionOperators,
    ...dateOperators,
    ...gatheringOperators(collation),
    ...hashedKeyOperators,
    ...iterationOperators,
    ...objectOperators,
    ...regexOperators,
    ...setOperators(collation),
    ...stringOperators,
    ...trigonometryOperators,
    ['$function', scriptFunction],
    ['$meta', meta],
  ]);

const withoutCollation = createOperators(undefined);

/** Returns all expression operators by name. Strings are compared by the collation, if there is one. */
export const operatorsFor = (collation?: Collation): Operators =>
  collation === undefined ? withoutCollation : createOperators(collation);
