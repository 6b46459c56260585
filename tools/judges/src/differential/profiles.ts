import type { EngineName } from '../outside/engines.js';
import { secantusdb } from './reference.js';
import type { Profile } from './rule.js';
import type { Tree } from './tree.js';
import { isObject, typeOf } from './tree.js';

/**
 * The engine whose differences are judged by rules. Of the engines it implements the most, installs the fastest, and is the one
 * that `npm test` uses.
 */
export const reference: EngineName = 'secantusdb';

/** Whether it is a number whose text is one of these. */
const isNumber = (value: Tree, ...texts: readonly Tree[]): boolean =>
  isObject(value) && texts.includes(value['$numberDouble'] ?? value['$numberDecimal'] ?? null);

const isBinary = (value: Tree, ...subtypes: readonly Tree[]): boolean =>
  isObject(value) && isObject(value['$binary']) && subtypes.includes(value['$binary']['subType'] ?? null);

/** An engine of which no more is known than the values that it cannot hold: its differences are not judged. */
const unjudged = (name: EngineName, cannotHold: Profile['cannotHold']): Profile => ({
  name,
  lacks: new Set(),
  omissions: [],
  cannotHold,
  codes: false,
  rules: [],
});

/** What is known of each engine. */
export const profiles: Readonly<Record<EngineName, Profile>> = {
  secantusdb,
  'mongo-java-server': unjudged(
    'mongo-java-server',
    value =>
      ['symbol', 'undefined', 'dbPointer'].includes(typeOf(value)) ||
      (isObject(value) && '$scope' in value) ||
      isNumber(value, 'NaN') ||
      isBinary(value, '05', '80'),
  ),
  ferretdb: unjudged(
    'ferretdb',
    (value, inArray) =>
      ['numberDecimal', 'code', 'symbol', 'undefined', 'dbPointer', 'minKey', 'maxKey'].includes(typeOf(value)) ||
      (inArray && Array.isArray(value)) ||
      isNumber(value, 'NaN', 'Infinity', '-Infinity', '-0.0'),
  ),
};
