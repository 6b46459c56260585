import { footprint } from '../work/footprint.js';
import type { Collation } from '../value/compare.js';
import { compare, hashKey } from '../value/compare.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { Double, isNullish, isNumber } from '../value/value.js';
import type { ValueAccumulatorClass } from './accumulator.js';
import { ValueAccumulator } from './accumulator.js';
import { mergeInto } from './object.js';
import { Spread, Summation } from './summation.js';
import { Decimal } from '../value/decimal.js';
import type { Scope } from './scope.js';

type Maybe = Value | undefined;

/** `$sum`, which ignores values that are not numbers. */
export class Sum extends ValueAccumulator {
  readonly #sum = new Summation();

  take(value: Maybe): void {
    if (isNumber(value)) this.#sum.add(value);
  }

  result(): Value {
    return this.#sum.result();
  }
}

/** `$avg`, which is null if there are no numbers. */
export class Average extends ValueAccumulator {
  readonly #sum = new Summation();
  #count = 0;

  take(value: Maybe): void {
    if (!isNumber(value)) return;
    this.#sum.add(value);
    this.#count += 1;
  }

  result(): Value {
    if (this.#count === 0) return null;
    if (this.#sum.hasDecimals) return this.#sum.asDecimal.divide(Decimal.fromBigInt(BigInt(this.#count)));
    return new Double(this.#sum.asDouble / this.#count);
  }
}

abstract class Deviation extends ValueAccumulator {
  protected readonly spread: Spread = new Spread();

  take(value: Maybe): void {
    if (isNumber(value)) this.spread.add(value);
  }
}

export class PopulationDeviation extends Deviation {
  result(): Value {
    return this.spread.deviation(false);
  }
}

export class SampleDeviation extends Deviation {
  result(): Value {
    return this.spread.deviation(true);
  }
}

export class First extends ValueAccumulator {
  #value: Maybe;
  #taken = false;

  /** Evaluates only the first value. */
  override add(scope: Scope): void {
    if (!this.#taken) super.add(scope);
  }

  override take(value: Maybe): void {
    if (this.#taken) return;
    this.#taken = true;
    this.#value = value;
  }

  result(): Maybe {
    return this.#value;
  }
}

export class Last extends ValueAccumulator {
  #value: Maybe;

  take(value: Maybe): void {
    this.#value = value;
  }

  result(): Maybe {
    return this.#value;
  }
}

export class Push extends ValueAccumulator {
  readonly #values: Value[] = [];

  take(value: Maybe): void {
    if (value === undefined) return;
    this.#values.push(value);
    this.held += footprint(value);
  }

  result(): Value {
    return this.#values;
  }
}

export class MergeObjects extends ValueAccumulator {
  readonly #fields = new Map<string, Value>();

  take(value: Maybe): void {
    mergeInto(this.#fields, value);
  }

  result(): Value {
    return Doc.of(this.#fields);
  }
}

/** Concatenates arrays. */
export class ConcatArrays extends ValueAccumulator {
  readonly #values: Value[] = [];
  readonly #check: (value: Value) => readonly Value[];

  constructor(input: ConstructorParameters<ValueAccumulatorClass>[0], check: (value: Value) => readonly Value[]) {
    super(input);
    this.#check = check;
  }

  take(value: Maybe): void {
    if (value === undefined) return;
    for (const item of this.#check(value)) this.#values.push(item);
    this.held += footprint(value);
  }

  result(): Value {
    return this.#values;
  }
}

/** Creates an accumulator of the least or the greatest value. Null and missing values are ignored. */
export const extreme = (sign: 1 | -1, collation: Collation | undefined): ValueAccumulatorClass =>
  class Extreme extends ValueAccumulator {
    #best: Maybe;

    take(value: Maybe): void {
      if (isNullish(value)) return;
      if (this.#best === undefined || compare(value, this.#best, collation) * sign > 0) this.#best = value;
    }

    result(): Value {
      return this.#best ?? null;
    }
  };

/** Creates an accumulator of distinct values, which keeps the first of several equal values. */
export const distinctValues = (collation: Collation | undefined): ValueAccumulatorClass =>
  class DistinctValues extends ValueAccumulator {
    readonly #values = new Map<string, Value>();

    take(value: Maybe): void {
      if (value === undefined) return;
      const key = hashKey(value, collation);
      if (this.#values.has(key)) return;
      this.#values.set(key, value);
      this.held += 64 + key.length + footprint(value);
    }

    result(): Value {
      return [...this.#values.values()];
    }
  };
