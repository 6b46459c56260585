import type { Value } from '../value/value.js';
import type { Evaluate, Parser } from './expression.js';
import type { Scope } from './scope.js';

/** What is gathered over the documents of one group. */
export interface Accumulator {
  /** Takes what the scope's document has for it. @throws CommandError */
  add(scope: Scope): void;
  result(): Value | undefined;
}

/** An accumulator of a stage, parsed. */
export interface Gathering {
  /** For a new group; the scope's document is the group's `_id`, if that is a document. @throws CommandError */
  start(scope: Scope): Accumulator;
}

/** Reads an accumulator's argument. */
export type AccumulatorParser = (spec: Value, parser: Parser, name: string) => Gathering;

/** Of one value at a time; a stage asks `add` to evaluate it. */
export abstract class ValueAccumulator implements Accumulator {
  readonly #input: Evaluate;

  constructor(input: Evaluate) {
    this.#input = input;
  }

  /** About how many bytes it holds. */
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
