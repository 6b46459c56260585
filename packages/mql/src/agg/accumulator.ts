import type { Value } from '../value/value.js';
import type { Evaluate, Expression, Parser } from './expression.js';
import type { Scope } from './scope.js';

/** The state of an accumulator for one group. */
export interface Accumulator {
  /**
   * Adds the scope's document.
   * @throws CommandError if the accumulator's expression fails
   */
  add(scope: Scope): void;
  result(): Value | undefined;
}

/** A compiled accumulator of a stage. */
export interface Gathering {
  /** The expression of the limit, which can refer to the group's `_id`. */
  readonly n?: Expression;
  /**
   * Starts a new group. The scope's document is the group's `_id` if that is a document.
   * @throws CommandError if an argument is invalid
   */
  start(scope: Scope): Accumulator;
}

/** Compiles an accumulator's argument. */
export type AccumulatorParser = (spec: Value, parser: Parser, name: string) => Gathering;

/** An accumulator of one value per document. Stages call `add`, which evaluates the value. */
export abstract class ValueAccumulator implements Accumulator {
  readonly #input: Evaluate;

  constructor(input: Evaluate) {
    this.#input = input;
  }

  /** The approximate number of bytes that the accumulator holds. */
  protected held = 0;

  add(scope: Scope): void {
    const before = this.held;
    const value = this.#input(scope);
    this.take(value);
    if (this.held > before) scope.hold(this.held - before, 'An accumulator', value);
  }

  abstract take(value: Value | undefined): void;
  abstract result(): Value | undefined;
}

export type ValueAccumulatorClass = new (input: Evaluate) => ValueAccumulator;
