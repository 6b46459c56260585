import type { Doc } from '../../value/doc.js';
import type { Value } from '../../value/value.js';
import { spend } from '../../work/meter.js';
import type { Evaluate } from '../expression.js';
import type { Scope } from '../scope.js';

/** The documents of a partition in order. */
export class Partition {
  readonly docs: readonly Doc[];
  readonly #scope: Scope;

  constructor(docs: readonly Doc[], scope: Scope) {
    this.docs = docs;
    this.#scope = scope;
  }

  /** Reads a value in the scope of a document. */
  at<T>(index: number, read: (scope: Scope) => T): T {
    spend(1);
    this.#scope.root = this.docs[index]!;
    return read(this.#scope);
  }

  /** Evaluates an expression for a document. */
  evaluate(index: number, evaluate: Evaluate): Value | undefined {
    return this.at(index, evaluate);
  }
}
