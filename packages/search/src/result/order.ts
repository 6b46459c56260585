import { invalid } from '../error.js';
import { Fields } from '../fields.js';
import type { Level } from '../index/level.js';
import type { Scalar, ScalarKind } from '../values.js';
import { compareScalars, isDocument } from '../values.js';

/** A unit of a result. */
export interface Ranked {
  readonly unit: number;
  readonly score: number;
}

type Order = (level: Level) => (a: Ranked, b: Ranked) => number;

const kinds: readonly ScalarKind[] = ['null', 'number', 'string', 'objectId', 'uuid', 'boolean', 'date'];

/** Returns the value by which a unit is sorted: of an array, its least or its greatest. */
const sortValue = (level: Level, path: string, unit: number, direction: number): Scalar | undefined => {
  const columns = level.scalars(path);
  const values = kinds.flatMap(kind => columns.get(kind)?.column.of(unit) ?? []).map(({ value }) => value);
  return values.toSorted((a, b) => direction * compareScalars(a, b))[0];
};

const byField =
  (path: string, direction: number, missing: number): Order =>
  level =>
  (a, b) => {
    const [first, second] = [sortValue(level, path, a.unit, direction), sortValue(level, path, b.unit, direction)];
    if (first !== undefined && second !== undefined) return direction * compareScalars(first, second);
    if (first === second) return 0;
    return direction * (first === undefined ? missing : -missing);
  };

const directionOf = (fields: Fields, name: string): number => {
  const direction = fields.number(name);
  if (direction !== 1 && direction !== -1) throw fields.problem(name, 'must be 1 or -1');
  return direction;
};

const byScore =
  (direction: number): Order =>
  () =>
  (a, b) =>
    direction * (b.score - a.score);

const orderOf = (fields: Fields, name: string): Order => {
  if (!isDocument(fields.get(name))) return byField(name, directionOf(fields, name), -1);
  const options = fields.child(name);
  if (options.has('$meta')) {
    options.allow('$meta', 'order').oneOf('$meta', ['searchScore']);
    return byScore(options.has('order') ? -directionOf(options, 'order') : 1);
  }
  options.allow('order', 'noData');
  const missing = options.oneOf('noData', ['lowest', 'highest'], 'lowest') === 'lowest' ? -1 : 1;
  return byField(name, directionOf(options, 'order'), missing);
};

/** Parses `sort`. Without it, the highest scores come first. @throws SearchError */
export const readOrder = (fields: Fields): Order => {
  const sort = fields.optionalChild('sort');
  if (sort === undefined) return byScore(1);
  const orders = Object.keys(sort.document).map(name => orderOf(new Fields(sort.document, 'sort'), name));
  if (orders.length === 0) throw invalid('"sort" must name at least one field.');
  return level => {
    const compares = orders.map(order => order(level));
    return (a, b) => {
      for (const compare of compares) {
        const order = compare(a, b);
        if (order !== 0) return order;
      }
      return 0;
    };
  };
};
