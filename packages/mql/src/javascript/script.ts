import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { fromBson, toBson } from './bson.js';
import { Budget } from './budget.js';
import { closureOf } from './evaluate.js';
import { globals } from './members.js';
import type { ScriptSleep } from './script-sleep.js';
import { isTruthy } from './operators.js';
import { parseScript } from './parse.js';
import { ScriptFunction, ScriptObject } from './script-value.js';
import type { ScriptValue } from './script-value.js';
import { Variables } from './variables.js';

/** Names that are available in a script in addition to the globals. */
export interface Surroundings {
  /** Constants by name: the command's `scope`. */
  readonly scope?: Doc | undefined;
  /** Called by the script's function `emit`. If undefined, `emit` is not defined. */
  readonly emit?: ((given: readonly Value[]) => void) | undefined;
  /** Receives the time for which the script sleeps. */
  readonly scriptSleep: ScriptSleep;
}

interface Input {
  /** The value of `this`. */
  readonly self: Value;
  /** Whether the value of `this` is also available as `obj`, for `$where`. */
  readonly asObj?: boolean;
  readonly given?: readonly Value[];
}

/** A compiled script. Each run starts from the same state. */
export interface Script {
  /**
   * Runs the script and returns its result.
   * @throws CommandError 139 if the script fails
   */
  value(input: Input): Value;
  /**
   * Runs the script and returns whether its result counts as true.
   * @throws CommandError 139 if the script fails
   */
  isTrue(input: Input): boolean;
}

const nothing = ScriptObject.of([]);

const emitOf = (emit: NonNullable<Surroundings['emit']>): ScriptFunction =>
  new ScriptFunction('emit', (_self, given, budget) => {
    emit(given.map(value => toBson(value, budget)));
    return undefined;
  });

/**
 * Compiles a script in the supported subset of JavaScript (see `supportedJavaScript`). The script is interpreted. The
 * host's engine never evaluates it, and it can only use the values that it receives.
 * @throws CommandError 139 for an invalid or unsupported script
 */
export const compileScript = (code: string, { scope, emit, scriptSleep }: Surroundings): Script => {
  const program = parseScript(code);
  const known: (readonly [string, ScriptValue])[] = [...globals];
  if (emit !== undefined) known.push(['emit', emitOf(emit)]);

  const run = ({ self, asObj = false, given = [] }: Input, budget: Budget): ScriptValue => {
    const variables = new Variables(undefined, true);
    for (const [name, value] of known) variables.declare(name, value);
    for (const [name, value] of scope ?? []) variables.declare(name, fromBson(value));
    const it = fromBson(self);
    if (asObj) variables.declare('obj', it);
    const { call } = closureOf(program, { variables, self: nothing });
    return call(it, given.map(fromBson), budget);
  };

  const budget = (): Budget => new Budget(duration => scriptSleep.sleep(duration));
  return {
    value: input => {
      const limits = budget();
      return toBson(run(input, limits), limits);
    },
    isTrue: input => isTruthy(run(input, budget())),
  };
};
