import { failure } from './failure.js';
import type { ScriptValue } from './script-value.js';

interface Variable {
  value: ScriptValue;
  readonly isConstant: boolean;
}

/** The variables of a function or a block, with those of its surroundings. */
export class Variables {
  readonly #around: Variables | undefined;
  readonly #isFunction: boolean;
  #own: Map<string, Variable> | undefined;

  /** @param isFunction whether `var` is declared in this scope rather than in an outer one */
  constructor(around: Variables | undefined, isFunction: boolean) {
    this.#around = around;
    this.#isFunction = isFunction;
  }

  declare(name: string, value: ScriptValue, isConstant = false): void {
    this.#own ??= new Map();
    this.#own.set(name, { value, isConstant });
  }

  /** Declares a `var` in the function's scope. A repeated declaration without a value keeps the existing value. */
  declareVar(name: string, value: ScriptValue, hasValue: boolean): void {
    if (!this.#isFunction && this.#around !== undefined) {
      this.#around.declareVar(name, value, hasValue);
      return;
    }
    if (hasValue || this.#own?.has(name) !== true) this.declare(name, value);
  }

  #find(name: string): Variable | undefined {
    let variables: Variables | undefined = this;
    while (variables !== undefined) {
      const found = variables.#own?.get(name);
      if (found !== undefined) return found;
      variables = variables.#around;
    }
    return undefined;
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  /** @throws CommandError 139 for a name that is not declared */
  get(name: string): ScriptValue {
    const found = this.#find(name);
    if (found === undefined) throw failure('ReferenceError', `${name} is not defined`);
    return found.value;
  }

  /**
   * Sets a variable. A name that is not declared becomes a global, as in sloppy mode.
   * @throws CommandError 139 for a constant
   */
  set(name: string, value: ScriptValue): void {
    const found = this.#find(name);
    if (found?.isConstant === true) throw failure('TypeError', `invalid assignment to const "${name}"`);
    if (found === undefined) this.#outermost().declare(name, value);
    else found.value = value;
  }

  #outermost(): Variables {
    return this.#around === undefined ? this : this.#around.#outermost();
  }
}
