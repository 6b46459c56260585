import { lookupPlainly, splitPath } from '../value/path.js';
import type { Value } from '../value/value.js';
import { spend } from '../work/meter.js';
import type { Condition, PredicateOperator, Test } from './condition.js';
import { all, not } from './condition.js';
import type { AtEnd } from './walk.js';
import { createWalk, NOTHING } from './walk.js';

/** A predicate whose path is still open: `below` is appended to it. */
export interface Implication {
  readonly below?: string;
  readonly op: PredicateOperator;
  readonly value: Value;
  readonly exact: boolean;
}

/** What operators ask of the values at a path, before the path is known. */
export type Expectation =
  | {
      readonly kind: 'value';
      readonly test: Test;
      readonly atEnd: AtEnd;
      readonly implies: readonly Implication[];
      /** Of an array that passes: at which position. */
      readonly positionIn?: (value: Value | undefined) => number | undefined;
    }
  | { readonly kind: 'all'; readonly of: readonly Expectation[] }
  | { readonly kind: 'not'; readonly of: Expectation; readonly implies?: readonly Implication[] };

/** Of the elements of arrays as of other values. */
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
  implies.map(({ below, op, value, exact }) => ({
    path: below === undefined ? path : `${path}.${below}`,
    op,
    value,
    exact,
  }));

const valueAt = (path: string, { test, atEnd, implies, positionIn }: Expectation & { kind: 'value' }): Condition => {
  const walk = createWalk(path, test, atEnd);
  return {
    matches: walk.any,
    position: doc => {
      const position = walk.find(doc);
      if (position >= 0) return position;
      return positionIn === undefined || position === NOTHING
        ? undefined
        : positionIn(lookupPlainly(doc, splitPath(path)));
    },
    predicates: predicatesAt(path, implies),
    complete: implies.length === 1 && implies[0]!.exact,
  };
};

/** The expectation of what is at that path of documents. */
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

/** The expectation of one value itself; if that is an array, its elements do not count. */
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

/** All that is known of a value that meets the expectation. */
export const implicationsOf = (expectation: Expectation): readonly Implication[] => {
  switch (expectation.kind) {
    case 'value':
      return expectation.implies;
    case 'all':
      return expectation.of.flatMap(implicationsOf);
    case 'not':
      return expectation.implies ?? [];
  }
};
