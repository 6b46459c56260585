import { fail } from '../../errors.js';
import type { GeoIndexes, Nearness, Place } from '../../query/geo/near.js';
import {
  isCenter,
  measureFor,
  missingCollection,
  nearCondition,
  nearestIn,
  nearPlace,
  requireNearIndex,
} from '../../query/geo/near.js';
import { noteMetadata } from '../../query/metadata.js';
import { isTruthy } from '../../query/truth.js';
import { Doc } from '../../value/doc.js';
import { toDouble } from '../../value/numbers.js';
import { show } from '../../value/show.js';
import { putPlainly, splitPath } from '../../value/path.js';
import type { Value } from '../../value/value.js';
import { double, isArray, isDoc, isNumber, typeName } from '../../value/value.js';
import { isDue } from '../../work/meter.js';
import type { Paced, Pause } from '../../work/pause.js';
import { pause } from '../../work/pause.js';
import { parseFieldPath } from '../field-path.js';
import type { Expression } from '../expression.js';
import { constant } from '../expression.js';
import { Scope } from '../scope.js';
import type { Frame, StageContext, StageParser } from '../stage.js';
import { scopeOf } from '../stage.js';
import { compileFilter } from './flow.js';

/** Returns a distance that is not negative. @throws CommandError 2, 14 */
const distanceIn = (value: Value | undefined, name: string, standard: number): number => {
  if (value === undefined) return standard;
  if (!isNumber(value)) throw fail('TypeMismatch', `$geoNear requires ${name} to evaluate to a number`);
  if (!(toDouble(value) >= 0)) throw fail('BadValue', `${name} must be nonnegative`);
  return toDouble(value);
};

/** The options that may be expressions of constants and variables, and the errors for other expressions. */
const ofVariables = { near: 5860402, minDistance: 7555701, maxDistance: 7555702 } as const;

/** Compiles an option. @throws CommandError if its value depends on a document */
const optionIn = (spec: Doc, name: keyof typeof ofVariables, { parser, place }: StageContext): Expression => {
  const value = spec.get(name);
  if (value === undefined || typeof nearPlace(value) !== 'string') return constant(value);
  const option = parser.operand(value);
  // In $lookup, variables have other values for each document of the outer pipeline.
  if (option.kind !== 'constant' && place === 'command')
    throw fail(ofVariables[name], `$geoNear requires that '${name}' be constant`);
  return option;
};

/**
 * Returns the field to search: the named one, or that of the only geospatial index.
 * @throws CommandError 2, 27
 */
const keyOf = (spec: Doc, indexes: GeoIndexes): string => {
  const key = spec.get('key') as string | undefined;
  const [only, ...others] = indexes.keys();
  if (key === undefined && only === undefined)
    throw fail('IndexNotFound', '$geoNear requires a 2d or 2dsphere index, but none were found');
  if (key === undefined && others.length > 0)
    throw fail(
      'IndexNotFound',
      "There is more than one 2dsphere index; unsure which to use for $geoNear: name it in 'key'",
    );
  return key ?? only!;
};

/** Options of earlier versions. */
const gone: readonly (readonly [name: string, code: number, instead: string])[] = [
  ['collation', 40227, 'Specify the collation in the command.'],
  ['limit', 50858, 'Use a $limit stage instead.'],
  ['num', 50857, 'Use a $limit stage instead.'],
  ['start', 50856, 'Use a $skip stage instead.'],
];

const checkPath = (value: Value, name: string, code: number): void => {
  if (typeof value !== 'string') throw fail(code, `$geoNear requires that the '${name}' option is a String`);
  parseFieldPath(value);
};

/** Options that may have any value here. The place and its distances are checked when they are evaluated. */
const unchecked: ReadonlySet<string> = new Set(['near', 'minDistance', 'maxDistance', 'spherical', 'uniqueDocs']);

type Check = (value: Value, name: string) => void;

/** The checks of the other options. */
const checks: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['distanceField', (value, name) => checkPath(value, name, 16606)],
  ['includeLocs', (value, name) => checkPath(value, name, 16607)],
  ['distanceMultiplier', (value, name) => void distanceIn(value, name, 1)],
  [
    'query',
    value => {
      if (!isDoc(value)) throw fail('TypeMismatch', 'query must be an object');
    },
  ],
  [
    'key',
    value => {
      if (typeof value !== 'string')
        throw fail(
          'TypeMismatch',
          `$geoNear parameter 'key' must be of type string but found type: ${typeName(value)}`,
        );
      if (value === '') throw fail('BadValue', "$geoNear parameter 'key' cannot be the empty string");
      parseFieldPath(value);
    },
  ],
]);

/** @throws CommandError 2, 14, 16606, 16607, 40227, 50856, 50857, 50858, 5860400 */
const checkOptions = (spec: Doc): void => {
  const old = gone.find(([name]) => spec.has(name));
  if (old !== undefined) throw fail(old[1], `$geoNear does not accept the '${old[0]}' parameter. ${old[2]}`);
  if (!spec.has('near')) throw fail(5860400, "$geoNear requires a 'near' argument");
  for (const [name, value] of spec.entries()) {
    const check = checks.get(name);
    if (check === undefined && !unchecked.has(name)) throw fail('BadValue', `Unknown argument to $geoNear: ${name}`);
    check?.(value, name);
  }
};

/** Checks the options that a time series accepts. @throws CommandError 5860206, 5860207, 5860208 */
const checkSeriesOptions = (spec: Doc, { isMeasured }: GeoIndexes): void => {
  if (isMeasured === undefined) return;
  const [key, query] = [spec.get('key'), spec.get('query')];
  if (key === undefined) throw fail(5860206, "Must specify 'key' option for $geoNear on a time-series collection");
  if (isDoc(query) && query.size > 0)
    throw fail(5860207, "Must not specify 'query' for $geoNear on a time-series collection; use $match instead");
  if (typeof key === 'string' && isMeasured(key) && spec.has('includeLocs'))
    throw fail(5860208, "$geoNear 'includeLocs' is not supported on time-series metrics");
};

/** Returns a function that evaluates the place and the distances, and whether they are the same for all documents. */
const compileNearness = (
  spec: Doc,
  key: string,
  context: StageContext,
): { readonly isFixed: boolean; readonly at: (scope: Scope) => Nearness } => {
  const spherical = isTruthy(spec.get('spherical'));
  const near = optionIn(spec, 'near', context);
  const least = optionIn(spec, 'minDistance', context);
  const most = optionIn(spec, 'maxDistance', context);
  const at = (scope: Scope): Nearness => {
    const value = near.evaluate(scope);
    if (!isDoc(value) && !isArray(value))
      throw fail(5860401, '$geoNear requires near argument to be a GeoJSON object or a legacy point(array)');
    const found = nearPlace(value);
    if (typeof found === 'string')
      throw fail('BadValue', `invalid point provided to geo near query: ${show(value)}: ${found}`);
    const { place } = found;
    if (!isCenter(place, spherical)) throw fail('BadValue', 'Legacy point is out of bounds for spherical query');
    requireNearIndex(context.geo ?? new Map(), key, place, spherical);
    return {
      ...measureFor(place, spherical),
      least: distanceIn(least.evaluate(scope), 'minDistance', 0),
      most: distanceIn(most.evaluate(scope), 'maxDistance', found.most ?? Number.POSITIVE_INFINITY),
    };
  };
  return { isFixed: [near, least, most].every(({ kind }) => kind === 'constant'), at };
};

const writer = (path: string | undefined): ((doc: Doc, value: Value) => Doc) => {
  if (path === undefined) return doc => doc;
  const parts = parseFieldPath(path);
  return (doc, value) => putPlainly(doc, parts, value);
};

/** The scope of options that do not depend on variables. */
const nowhere = new Scope(Doc.EMPTY, [], { nowMs: undefined, random: () => 0 });

interface Found {
  readonly doc: Doc;
  readonly place: Place;
}

/**
 * Compiles `$geoNear`, which returns documents by distance, nearest first.
 * @throws CommandError 2, 14, 26, 27, 291, 10065, 16606, 16607, 40227, 50856–50858, 5860400, 5860206–5860208, 5860401, 5860402, 7555701, 7555702
 */
export const parseGeoNear: StageParser = (spec, context, name) => {
  if (!isDoc(spec)) throw fail(10065, `invalid parameter: expected an object ($geoNear)`);
  checkOptions(spec);
  if (context.geo === missingCollection)
    throw fail('NamespaceNotFound', '$geoNear requires a collection, but it does not exist');
  checkSeriesOptions(spec, context.geo ?? new Map());
  const key = keyOf(spec, context.geo ?? new Map());
  const { isFixed, at } = compileNearness(spec, key, context);
  const passes = compileFilter((spec.get('query') as Doc | undefined) ?? Doc.EMPTY, context);
  const fixed = isFixed ? at(nowhere) : undefined;
  const multiplier = distanceIn(spec.get('distanceMultiplier'), 'distanceMultiplier', 1);
  const withDistance = writer(spec.get('distanceField') as string | undefined);
  const withPlace = writer(spec.get('includeLocs') as string | undefined);
  const parts = splitPath(key);
  const present = (doc: Doc, place: Place): Doc => {
    const result = withPlace(withDistance(doc, double(place.distance * multiplier)), place.value);
    noteMetadata(result, { geoNearDistance: place.distance, geoNearPoint: place.value });
    return result;
  };
  const found = function* (input: Paced<Doc>, frame: Frame): Generator<Found | Pause> {
    const scope = scopeOf(frame);
    const near = fixed ?? at(scope);
    for (const doc of input) {
      const place = doc === pause ? undefined : nearestIn(doc, parts, near);
      if (doc === pause) yield pause;
      else if (place !== undefined && passes(doc, scope)) yield { doc, place };
    }
  };
  const inOrder = function* (input: Paced<Doc>, frame: Frame): Generator<Doc | Pause> {
    for (const one of found(input, frame)) yield one === pause ? pause : present(one.doc, one.place);
  };
  return [
    {
      name,
      leads: true,
      ...(fixed === undefined ? {} : { nearest: { condition: nearCondition(key, fixed), inOrder } }),
      *run(input, frame) {
        const all: Found[] = [];
        for (const one of found(input, frame)) {
          if (one === pause) yield pause;
          else all.push(one);
        }
        all.sort((a, b) => a.place.distance - b.place.distance);
        for (const { doc, place } of all) {
          if (isDue()) yield pause;
          yield present(doc, place);
        }
      },
    },
  ];
};
