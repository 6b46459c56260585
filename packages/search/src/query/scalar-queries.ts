import type { Fields } from '../fields.js';
import type { Level, Stored } from '../index/level.js';
import type { Scalar, ScalarKind } from '../values.js';
import { compareScalars, scalarOf } from '../values.js';
import type { Hits, Query } from './query.js';
import { constantly, noMarks } from './query.js';

type Test = (value: Scalar) => boolean;

/** Returns the units that have a value of a kind which passes the test. */
const unitsWith = (
  level: Level,
  path: string,
  kind: ScalarKind,
  testFor: (normalize: ((text: string) => string) | undefined) => Test,
): readonly number[] => {
  const found = level.scalars(path).get(kind);
  if (found === undefined) return [];
  const test = testFor(found.normalize);
  return [...found.column.entries()]
    .filter(([, values]) => values.some(({ value }) => test(value)))
    .map(([unit]) => unit);
};

const normalized = (value: Scalar, normalize: ((text: string) => string) | undefined): Scalar =>
  normalize === undefined ? value : { kind: value.kind, value: normalize(value.value as string) };

const isSame = (a: Scalar, b: Scalar): boolean => compareScalars(a, b) === 0;

const equal =
  (wanted: Scalar) =>
  (normalize: ((text: string) => string) | undefined): Test => {
    const other = normalized(wanted, normalize);
    return value => isSame(value, other);
  };

const readValue = (value: unknown, kinds: readonly ScalarKind[], problem: (text: string) => Error): Scalar => {
  const scalar = value === null ? scalarOf(null) : scalarOf(value);
  if (scalar === undefined || !kinds.includes(scalar.kind)) throw problem(`must be of type [${kinds.join(', ')}]`);
  return scalar;
};

const comparable: readonly ScalarKind[] = ['boolean', 'date', 'number', 'objectId', 'string', 'uuid'];

/** Parses `equals`. @throws SearchError */
export const parseEquals = (fields: Fields): Query => {
  fields.allow('path', 'value', 'score', 'doesNotAffect');
  const path = fields.string('path');
  if (!Object.hasOwn(fields.document, 'value')) throw fields.problem('value', 'is required');
  const wanted = readValue(fields.document['value'], [...comparable, 'null'], text => fields.problem('value', text));
  return {
    run: level => constantly(unitsWith(level, path, wanted.kind, equal(wanted))),
    marks: noMarks,
  };
};

/** Parses `in`. @throws SearchError */
export const parseIn = (fields: Fields): Query => {
  fields.allow('path', 'value', 'score', 'doesNotAffect');
  const paths = fields.strings('path');
  const given = fields.required('value');
  const values = (Array.isArray(given) ? given : [given]).map(value =>
    readValue(value, comparable, text => fields.problem('value', text)),
  );
  if (values.length === 0) throw fields.problem('value', 'cannot be empty');
  if (values.some(({ kind }) => kind !== values[0]!.kind))
    throw fields.problem('value', 'must have values of one type only');
  return {
    run: level =>
      constantly(paths.flatMap(path => values.flatMap(value => [...unitsWith(level, path, value.kind, equal(value))]))),
    marks: noMarks,
  };
};

/** Parses `exists`. @throws SearchError */
export const parseExists = (fields: Fields): Query => {
  fields.allow('path', 'score');
  const path = fields.string('path');
  return { run: level => constantly(level.present(path)), marks: noMarks };
};

const rangeKinds: readonly ScalarKind[] = ['date', 'number', 'objectId', 'string', 'uuid'];

interface Bound {
  readonly value: Scalar;
  readonly inclusive: boolean;
}

const boundOf = (fields: Fields, exclusive: string, inclusive: string): Bound | undefined => {
  if (fields.has(exclusive) && fields.has(inclusive))
    throw fields.problem(
      exclusive,
      `and "${inclusive}" exclude each other: at most one of [${exclusive}, ${inclusive}] may be present`,
    );
  const name = fields.has(exclusive) ? exclusive : inclusive;
  if (!fields.has(name)) return undefined;
  const value = readValue(fields.get(name), rangeKinds, text => fields.problem(name, text));
  return { value, inclusive: name === inclusive };
};

/** Parses `range`. @throws SearchError */
export const parseRange = (fields: Fields): Query => {
  fields.allow('path', 'gt', 'gte', 'lt', 'lte', 'score', 'doesNotAffect');
  const paths = fields.strings('path');
  const from = boundOf(fields, 'gt', 'gte');
  const to = boundOf(fields, 'lt', 'lte');
  const { kind } = from?.value ?? to?.value ?? {};
  if (kind === undefined) throw fields.problem('path', 'needs bounds: must specify at least one of [lt, lte, gt, gte]');
  if (from !== undefined && to !== undefined) {
    if (from.value.kind !== to.value.kind) throw fields.problem('path', 'has bounds of different types');
    const order = compareScalars(from.value, to.value);
    if (order > 0 || (order === 0 && !(from.inclusive && to.inclusive)))
      throw fields.problem('path', 'has a lower bound that is not below the upper bound');
  }
  const testFor = (normalize: ((text: string) => string) | undefined): Test => {
    const lower = from && { ...from, value: normalized(from.value, normalize) };
    const upper = to && { ...to, value: normalized(to.value, normalize) };
    return value => {
      const above = lower === undefined ? 1 : compareScalars(value, lower.value);
      const below = upper === undefined ? -1 : compareScalars(value, upper.value);
      return (above > 0 || (above === 0 && lower!.inclusive)) && (below < 0 || (below === 0 && upper!.inclusive));
    };
  };
  return {
    run: level => constantly(paths.flatMap(path => [...unitsWith(level, path, kind, testFor)])),
    marks: noMarks,
  };
};

/** Scores the only value of a field by its distance. Values of arrays are not searched. */
export const scoredByDistance = <T>(
  entries: Iterable<[number, readonly Stored<T>[]]>,
  pivot: number,
  distance: (value: T) => number,
): Hits => {
  const hits: Hits = new Map();
  for (const [unit, values] of entries)
    if (values.length === 1 && !values[0]!.inArray) hits.set(unit, pivot / (pivot + distance(values[0]!.value)));
  return hits;
};
