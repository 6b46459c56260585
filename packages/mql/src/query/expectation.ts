import type { Doc } from '../value/doc.js';
import { splitPath } from '../value/path.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc } from '../value/value.js';
import { spend } from '../work/meter.js';
import type { Condition, PredicateOperator, Test } from './condition.js';
import { all, not } from './condition.js';
import type { Extent } from './geo/extent.js';
import type { AtEnd } from './walk.js';
import { createWalk, NOTHING } from './walk.js';

/** A predicate without its path. `below` is appended to the path. */
export interface Implication {
  readonly below?: string;
  readonly op: PredicateOperator;
  readonly value: Value;
  readonly exact: boolean;
  readonly extent?: Extent;
}

/** The requirements that operators place on the values at a path, before the path is known. */
export type Expectation =
  | {
      readonly kind: 'value';
      readonly test: Test;
      readonly atEnd: AtEnd;
      readonly implies: readonly Implication[];
      /** Returns the index of the element that made an array pass. */
      readonly positionIn?: (value: Value | undefined) => number | undefined;
    }
  | { readonly kind: 'all'; readonly of: readonly Expectation[] }
  | { readonly kind: 'not'; readonly of: Expectation; readonly implies?: readonly Implication[] };

/** Creates an expectation that tests the elements of arrays as well as other values. */
export const expect = (
  test: Test,
  ...implies: readonly Implication[]
): Extract<Expectation, { readonly kind: 'value' }> => ({
  kind: 'value',
  test,
  atEnd: 'elements',
  implies,
});

const predicatesAt = (path: string, implies: readonly Implication[]): Condition['predicates'] =>
  implies.map(({ below, op, value, exact, extent }) => ({
    path: below === undefined ? path : `${path}.${below}`,
    op,
    value,
    exact,
    ...(extent === undefined ? {} : { extent }),
  }));

/** Returns the value at a path whose numbers are positions in arrays. */
const reach = (doc: Doc, parts: readonly string[]): Value | undefined => {
  let value: Value | undefined = doc;
  for (const part of parts) value = isDoc(value) ? value.get(part) : isArray(value) ? value[Number(part)] : undefined;
  return value;
};

const valueAt = (path: string, { test, atEnd, implies, positionIn }: Expectation & { kind: 'value' }): Condition => {
  const walk = createWalk(path, test, atEnd);
  return {
    matches: walk.any,
    position: doc => {
      const position = walk.find(doc);
      if (position >= 0) return position;
      return positionIn === undefined || position === NOTHING ? undefined : positionIn(reach(doc, splitPath(path)));
    },
    predicates: predicatesAt(path, implies),
    complete: implies.length === 1 && implies[0]!.exact,
  };
};

/** Creates the condition that the values at a path meet an expectation. */
export const at = (path: string, expectation: Expectation): Condition => {
  switch (expectation.kind) {
    case 'value':
      return valueAt(path, expectation);
    case 'all':
      return all(expectation.of.map(part => at(path, part)));
    case 'not': {
      const implies = expectation.implies ?? [];
      return { ...not(at(path, expectation.of)), predicates: predicatesAt(path, implies) };
    }
  }
};

/** Returns a test of a single value. If the value is an array, its elements are not tested. */
export const ofOne = (expectation: Expectation): Test => {
  switch (expectation.kind) {
    case 'value':
      return expectation.test;
    case 'not': {
      const test = ofOne(expectation.of);
      return value => !test(value);
    }
    case 'all': {
      const tests = expectation.of.map(ofOne);
      if (tests.length === 1) return tests[0]!;
      return value => {
        spend(tests.length >>> 1);
        for (const test of tests) if (!test(value)) return false;
        return true;
      };
    }
  }
};

/**
 * Returns the predicates that hold for an array with an element that meets the expectation. An `$elemMatch` on the
 * elements has none, because an index does not reach into arrays within arrays.
 */
export const elementImplications = (expectation: Expectation): readonly Implication[] => {
  switch (expectation.kind) {
    case 'value':
      return expectation.positionIn === undefined
        ? expectation.implies.map(implication => ({ ...implication, exact: false }))
        : [];
    case 'all':
      return expectation.of.flatMap(elementImplications);
    case 'not':
      return [];
  }
};
