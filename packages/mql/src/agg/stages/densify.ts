import { fail } from '../../errors.js';
import { compileAddition } from '../../project/tree.js';
import { createTreeBuilder } from '../../project/tree-builder.js';
import { parseSort } from '../../sort/sort.js';
import { sortDocs } from '../../sort/sort-docs.js';
import { compare } from '../../value/compare.js';
import { Doc } from '../../value/doc.js';
import { add, toExactLong } from '../../value/numbers.js';
import { lookup, lookupPlainly } from '../../value/path.js';
import type { NumberValue, Value } from '../../value/value.js';
import { DateValue, isArray, isDoc, isNullish, isNumber, typeName } from '../../value/value.js';
import { isDue } from '../../work/meter.js';
import type { Pause } from '../../work/pause.js';
import { pause } from '../../work/pause.js';
import type { Unit } from '../date-unit.js';
import { addToDate } from '../date-unit.js';
import { parseFieldPath } from '../field-path.js';
import { KeyMap } from '../key-map.js';
import type { StageContext, StageParser } from '../stage.js';
import { utc } from '../timezone.js';
import { parseUnit } from '../window/bounds.js';

type Place = NumberValue | DateValue;

/** The range of values for which documents are generated. */
type Range =
  /** From the least to the greatest value of all documents, or of the partition. */
  | { readonly kind: 'full' | 'partition' }
  /** From `low` to below `high`. */
  | { readonly kind: 'explicit'; readonly low: Place; readonly high: Place };

interface Densify {
  readonly field: readonly string[];
  readonly partitionBy: readonly (readonly string[])[];
  readonly step: NumberValue;
  readonly unit: Unit | undefined;
  readonly range: Range;
}

const maxMade = 500_000;

const field = (spec: Doc, where: string, name: string): Value => {
  const value = spec.get(name);
  if (value !== undefined) return value;
  throw fail('IDLFailedToParse', `BSON field '${where}.${name}' is missing but a required field`);
};

const requireType = (value: Value, where: string, expected: 'array' | 'object' | 'string'): void => {
  const type = typeName(value);
  if (type === expected) return;
  throw fail('TypeMismatch', `BSON field '${where}' is the wrong type '${type}', expected type '${expected}'`);
};

const requireKnown = (spec: Doc, where: string, known: readonly string[]): void => {
  for (const key of spec.keys()) {
    if (!known.includes(key)) throw fail('IDLUnknownField', `BSON field '${where}.${key}' is an unknown field.`);
  }
};

const readPair = (pair: readonly Value[], step: NumberValue, unit: Unit | undefined): Range => {
  const [low, high] = pair;
  if (low === undefined || high === undefined || pair.length !== 2) {
    throw fail(5733403, 'A bounding array in a range statement must have exactly two elements');
  }
  if (compare(low, high) > 0) {
    throw fail(5733402, 'A bounding array must be an ascending array of either two dates or two numbers');
  }
  if (isNumber(low)) {
    if (unit !== undefined) throw fail(5733409, 'Numeric bounds may not have unit parameter');
    if (!isNumber(high)) {
      throw fail(5733406, 'A bounding array must contain either both dates or both numeric types');
    }
    if (typeName(low) !== typeName(high) || typeName(low) !== typeName(step)) {
      throw fail(5876900, 'Upper bound, lower bound, and step must all have the same type');
    }
    return { kind: 'explicit', low, high };
  }
  if (!(low instanceof DateValue)) throw fail(5946800, 'Explicit bounds must be numeric or dates');
  if (!(high instanceof DateValue)) {
    throw fail(5733405, 'A bounding array must contain either both dates or both numeric types');
  }
  if (unit === undefined) throw fail(5733410, 'A bounding array of dates must specify a unit');
  return { kind: 'explicit', low, high };
};

const readBounds = (bounds: Value, step: NumberValue, unit: Unit | undefined): Range => {
  if (isArray(bounds)) return readPair(bounds, step, unit);
  if (typeof bounds !== 'string') {
    throw fail(
      5733404,
      "The bounds in a range statement must be the string 'full', 'partition', or an ascending array of two numbers or two dates",
    );
  }
  if (bounds === 'full' || bounds === 'partition') return { kind: bounds };
  throw fail(5946802, "Bounds string must either be 'full' or 'partition'");
};

const readRange = (spec: Doc): Pick<Densify, 'step' | 'unit' | 'range'> => {
  requireKnown(spec, '$densify.range', ['step', 'bounds', 'unit']);
  const step = field(spec, '$densify.range', 'step');
  const bounds = field(spec, '$densify.range', 'bounds');
  const unitText = spec.get('unit');
  if (!isNumber(step)) {
    throw fail(
      'TypeMismatch',
      `BSON field '$densify.range.step' is the wrong type '${typeName(step)}', expected types '[int, decimal, double, long]'`,
    );
  }
  if (compare(step, 0) <= 0) {
    throw fail(5733401, 'The step parameter in a range statement must be a strictly positive numeric value');
  }
  if (unitText === undefined) return { step, unit: undefined, range: readBounds(bounds, step, undefined) };
  requireType(unitText, '$densify.range.unit', 'string');
  if (toExactLong(step) === undefined) {
    throw fail(6586400, 'The step parameter in a range statement must be a whole number when densifying a date range');
  }
  const unit = parseUnit(unitText as string);
  return { step, unit, range: readBounds(bounds, step, unit) };
};

/** @throws CommandError 8993000, 9554500 if one of the paths contains the other */
const requireApart = (densified: string, partition: string): void => {
  if (`${partition}.`.startsWith(`${densified}.`)) {
    throw fail(8993000, "BSON field '$densify.partitionByFields' contains the field that is being densified");
  }
  if (densified.startsWith(`${partition}.`)) {
    throw fail(9554500, "The field that is being densified contains the BSON field '$densify.partitionByFields'");
  }
};

const parse = (spec: Value): Densify => {
  if (!isDoc(spec)) {
    throw fail('FailedToParse', `The $densify stage specification must be an object, found ${typeName(spec)}`);
  }
  requireKnown(spec, '$densify', ['field', 'partitionByFields', 'range']);
  const path = field(spec, '$densify', 'field');
  const range = field(spec, '$densify', 'range');
  const partitionFields = spec.get('partitionByFields') ?? [];
  requireType(path, '$densify.field', 'string');
  requireType(range, '$densify.range', 'object');
  requireType(partitionFields, '$densify.partitionByFields', 'array');
  const partitionBy = (partitionFields as readonly Value[]).map((name, i) => {
    requireType(name, `$densify.partitionByFields.${i}`, 'string');
    return parseFieldPath(name as string);
  });
  const densify = { ...readRange(range as Doc), field: parseFieldPath(path as string), partitionBy };
  for (const each of partitionBy) requireApart(densify.field.join('.'), each.join('.'));
  if (densify.range.kind === 'partition' && partitionBy.length === 0) {
    throw fail(
      5733408,
      "One cannot specify the bounds as 'partition' without specifying a non-empty array of partitionByFields. You may have meant to specify 'full' bounds.",
    );
  }
  return densify;
};

/** The documents of a partition. */
interface Group {
  /** The next value to generate. Undefined before the first one is known. */
  next: Place | undefined;
  /** The fields of generated documents other than the value. */
  readonly fields: Doc;
}

type Put = (doc: Doc, value: Value) => Doc;

const putting = (path: readonly string[]): Put => {
  const builder = createTreeBuilder<Value>();
  builder.put(path, value => value);
  return compileAddition(builder.tree);
};

const requireRoom = (fields: Doc, path: readonly string[]): void => {
  for (let i = 1; i < path.length; i++) {
    const value = lookupPlainly(fields, path.slice(0, i));
    if (isArray(value)) throw fail(5733307, '$densify cannot generate fields nested inside arrays');
    if (value !== undefined && !isDoc(value)) {
      throw fail(5733308, '$densify cannot overwrite non-object values with objects');
    }
  }
};

const densified = function* (
  docs: readonly Doc[],
  densify: Densify,
  { collation }: StageContext,
): Generator<Doc | Pause> {
  const { field: path, partitionBy, step, unit, range } = densify;
  const put = putting(path);
  const groups: Group[] = [];
  const byKey = new KeyMap<Group>(collation);
  let made = 0;

  const after = (place: Place): Place =>
    place instanceof DateValue ? new DateValue(addToDate(place.ms, unit!, toExactLong(step)!, utc)) : add(place, step);

  const placeOf = (value: Value): Place => {
    if (!isNumber(value) && !(value instanceof DateValue)) {
      throw fail(5733201, 'Densify field type must be numeric or a date');
    }
    if (isNumber(value) === (unit === undefined)) return value;
    throw fail(
      6053600,
      isNumber(value)
        ? 'Encountered numeric densify value in collection when step has a date unit.'
        : 'Encountered date densify value in collection when step does not have a date unit.',
    );
  };

  const groupOf = (doc: Doc): Group => {
    const parts = partitionBy.map(each => lookup(doc, each));
    return byKey.take(
      parts.map(part => (part === undefined ? [] : [part])),
      () => {
        const fields = partitionBy.reduce(
          (all, each, i) => (parts[i] === undefined ? all : putting(each)(all, parts[i])),
          Doc.EMPTY,
        );
        const group: Group = { next: undefined, fields };
        groups.push(group);
        return group;
      },
    );
  };

  /** Generates the missing values before the end. */
  const fill = function* (group: Group, end: Place): Generator<Doc | Pause> {
    for (; compare(group.next, end) < 0; group.next = after(group.next!)) {
      if (isDue()) yield pause;
      made += 1;
      if (made > maxMade) {
        throw fail(
          5897900,
          `Generated ${made} documents in $densify, which is over the limit of ${maxMade}. Increase the 'internalQueryMaxAllowedDensifyDocs' parameter to allow more generated documents`,
        );
      }
      requireRoom(group.fields, path);
      yield put(group.fields, group.next!);
    }
  };

  /**
   * Returns the first value to generate for the partition of a document, or undefined if the document is below the
   * range.
   */
  const begin = (place: Place, first: Place): Place | undefined => {
    switch (range.kind) {
      case 'partition':
        return place;
      case 'full':
        return first;
      case 'explicit':
        return compare(place, range.low) < 0 ? undefined : range.low;
    }
  };

  const endOf = (place: Place): Place =>
    range.kind === 'explicit' && compare(range.high, place) < 0 ? range.high : place;

  let first: Place | undefined;
  let greatest: Place | undefined;
  for (const doc of docs) {
    if (isDue()) yield pause;
    const value = lookupPlainly(doc, path);
    if (isNullish(value)) {
      yield doc;
      continue;
    }
    const place = placeOf(value);
    first ??= place;
    greatest = place;
    const group = groupOf(doc);
    group.next ??= begin(place, first);
    if (group.next !== undefined) yield* fill(group, endOf(place));
    yield doc;
    if (group.next !== undefined && compare(group.next, place) === 0) group.next = after(place);
  }

  switch (range.kind) {
    case 'partition':
      return;
    case 'explicit':
      if (groups.length === 0 && partitionBy.length === 0) groups.push({ next: undefined, fields: Doc.EMPTY });
      for (const group of groups) {
        group.next ??= range.low;
        yield* fill(group, range.high);
      }
      return;
    case 'full':
      for (const group of groups) {
        yield* fill(group, greatest!);
        // The greatest value is generated too, if a step ends there.
        if (compare(group.next, greatest) === 0) yield* fill(group, after(greatest!));
      }
  }
};

export const parseDensify: StageParser = (spec, context, name) => {
  const densify = parse(spec);
  const keys = densify.range.kind === 'full' ? [] : densify.partitionBy;
  const sort = parseSort(Doc.of([...keys, densify.field].map(path => [path.join('.'), 1])), {
    collation: context.collation,
  });
  return [
    {
      name,
      *run(input, { environment: { allowance } }) {
        yield* densified(yield* sortDocs(input, sort, { bound: allowance?.sort }), densify, context);
      },
    },
  ];
};
