import { failure } from './failure.js';
import type { ScriptValue } from './script-value.js';

interface Variable {
  value: ScriptValue;
  readonly isConstant: boolean;
}

/** The names of a function or a block, within those of what is around it. */
export class Variables {
  readonly #around: Variables | undefined;
  readonly #isFunction: boolean;
  #own: Map<string, Variable> | undefined;

  /** @param isFunction `var` is declared here, not further out */
  constructor(around: Variables | undefined, isFunction: boolean) {
    this.#around = around;
    this.#isFunction = isFunction;
  }

  declare(name: string, value: ScriptValue, isConstant = false): void {
    this.#own ??= new Map();
    this.#own.set(name, { value, isConstant });
  }

  /** `var`: of the function; a second one without a value leaves the first. */
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

  /** @throws CommandError 139 for a name that nobody declared */
  get(name: string): ScriptValue {
    const found = this.#find(name);
    if (found === undefined) throw failure('ReferenceError', `${name} is not defined`);
    return found.value;
  }

  /** A name that nobody declared becomes one of the whole program, as it does without strict mode. @throws CommandError 139 for a constant */
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
