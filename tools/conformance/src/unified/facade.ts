/** What users import: looked up by its official name, so that a case which needs what is not there says so. */
import * as exported from '@tessera/mongodb';
import { RunnerError } from './names.js';

type Method = (...given: unknown[]) => unknown;

/** @throws RunnerError if the object has no such method */
export const call = (target: object, name: string, ...given: readonly unknown[]): unknown => {
  const method: unknown = Reflect.get(target, name);
  if (typeof method !== 'function') throw new RunnerError(`the facade has no ${target.constructor.name}.${name}`);
  return (method as Method).apply(target, [...given]);
};

/** A property that must be there. @throws RunnerError if it is not */
export const property = (target: object, name: string): unknown => {
  if (!(name in target)) throw new RunnerError(`the facade has no ${target.constructor.name}.${name}`);
  return Reflect.get(target, name);
};

/** An instance of an exported class. @throws RunnerError if there is no such class */
export const construct = (name: string, ...given: readonly unknown[]): object => {
  const known: Readonly<Record<string, unknown>> = exported;
  const made = known[name];
  if (typeof made !== 'function') throw new RunnerError(`the facade has no ${name}`);
  return Reflect.construct(made, [...given]) as object;
};

/** Whether the error is of the exported class, or of one derived from it. */
export const isA = (error: unknown, name: string): boolean => {
  const known: Readonly<Record<string, unknown>> = exported;
  const made = known[name];
  return typeof made === 'function' && error instanceof made;
};
