import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { fromBson, toBson } from './bson.js';
import { Budget } from './budget.js';
import { closureOf } from './evaluate.js';
import { globals } from './members.js';
import type { Naps } from './naps.js';
import { isTruthy } from './operators.js';
import { parseScript } from './parse.js';
import { ScriptFunction, ScriptObject } from './script-value.js';
import type { ScriptValue } from './script-value.js';
import { Variables } from './variables.js';

/** What a program may call and read besides what every program knows. */
export interface Surroundings {
  /** Constants by name: the command's `scope`. */
  readonly scope?: Doc | undefined;
  /** The function `emit` is there, and calls this. */
  readonly emit?: ((given: readonly Value[]) => void) | undefined;
  /** Where time goes that a program sleeps. */
  readonly naps: Naps;
}

interface Input {
  /** What `this` is. */
  readonly self: Value;
  /** What is also there by the name `obj`, as `$where` has it. */
  readonly asObj?: boolean;
  readonly given?: readonly Value[];
}

/** A program, ready to be run again and again; each run begins anew. */
export interface Script {
  /** @throws CommandError 139 for what goes wrong */
  value(input: Input): Value;
  /** Whether its result counts as true. @throws CommandError 139 for what goes wrong */
  isTrue(input: Input): boolean;
}

const nothing = ScriptObject.of([]);

const emitOf = (emit: NonNullable<Surroundings['emit']>): ScriptFunction =>
  new ScriptFunction('emit', (_self, given, budget) => {
    emit(given.map(value => toBson(value, budget)));
    return undefined;
  });

/**
 * Compiles a program of the subset of JavaScript that this server understands (see `understood`). It is interpreted: the host's
 * engine never sees it, and it reaches nothing but what it is given.
 * @throws CommandError 139 for what is no program, or none that is understood
 */
export const compileScript = (code: string, { scope, emit, naps }: Surroundings): Script => {
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

  const budget = (): Budget => new Budget(duration => naps.sleep(duration));
  return {
    value: input => {
      const limits = budget();
      return toBson(run(input, limits), limits);
    },
    isTrue: input => isTruthy(run(input, budget())),
  };
};
