import { maxDepth } from '../value/bson.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { Double, double, isArray, isDoc, SymbolValue, UNDEFINED, UndefinedValue } from '../value/value.js';
import type { Budget } from './budget.js';
import { failure } from './failure.js';
import { Foreign, Namespace, ScriptArray, ScriptFunction, ScriptObject } from './script-value.js';
import type { ScriptValue } from './script-value.js';

/** Converts a BSON value to a script value. An int32 or a double becomes a number. */
export const fromBson = (value: Value): ScriptValue => {
  switch (typeof value) {
    case 'number':
    case 'string':
    case 'boolean':
      return value;
    case 'bigint':
      return new Foreign(value);
    default:
      if (value === null) return null;
      if (isArray(value)) return new ScriptArray(value.map(fromBson), value);
      if (isDoc(value)) return new ScriptObject(value, fromBson);
      if (value instanceof Double) return value.value;
      if (value instanceof SymbolValue) return value.value;
      return value instanceof UndefinedValue ? undefined : new Foreign(value);
  }
};

const written = (value: ScriptValue, origin: Value | undefined, budget: Budget, depth: number): Value => {
  budget.spend();
  if (depth > maxDepth) throw failure('InternalError', `an object is nested more than ${maxDepth} levels deep`);
  if (typeof value === 'number') return value === origin ? value : double(value);
  if (value === undefined) return UNDEFINED;
  if (value instanceof Foreign) return value.value;
  if (value instanceof ScriptFunction || value instanceof Namespace)
    throw failure('TypeError', 'a function cannot be converted to BSON');
  if (value instanceof ScriptArray) {
    return value.items.map((item, i) => written(item, value.origin[i], budget, depth + 1));
  }
  if (value instanceof ScriptObject) {
    if (value.isUntouched) return value.origin;
    const entries = [...value.fields];
    if (entries.some(([name]) => name.includes('\0')))
      throw failure('TypeError', 'a field name contains a NUL character');
    return Doc.of(entries.map(([name, item]) => [name, written(item, value.origin.get(name), budget, depth + 1)]));
  }
  return value;
};

/**
 * Converts a script value to BSON. Numbers become doubles, unless they are unchanged int32 values of the input.
 * @throws CommandError 139 for functions and cyclic objects
 */
export const toBson = (value: ScriptValue, budget: Budget): Value => written(value, undefined, budget, 0);
