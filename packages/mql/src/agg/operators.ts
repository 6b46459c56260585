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
import { setOperators } from './set.js';
import { stringOperators } from './string.js';
import { trigonometryOperators } from './trigonometry.js';

const noJavaScript: Operator = () => {
  throw fail(31264, 'Cannot run server-side javascript without the javascript engine enabled');
};

const metadata = ['textScore', 'geoNearDistance'] as const;

/** mongod checks before execution whether the metadata exists; this operator checks when it reads the metadata. */
const meta: Operator = spec => {
  if (typeof spec !== 'string') throw fail(17307, '$meta only supports string arguments');
  const unavailable = fail(40218, `query requires ${spec} metadata, but it is not available`);
  const name = metadata.find(one => one === spec);
  if (name === undefined) throw unavailable;
  return computed(({ root }) => {
    const value = metadataOf(root)?.[name];
    if (value === undefined) throw unavailable;
    return double(value);
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
    ['$function', noJavaScript],
    ['$meta', meta],
  ]);

const withoutCollation = createOperators(undefined);

/** Returns all expression operators by name. Strings are compared by the collation, if there is one. */
export const operatorsFor = (collation?: Collation): Operators =>
  collation === undefined ? withoutCollation : createOperators(collation);
