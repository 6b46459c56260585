/** Accesses the driver's public API by name, so that a missing method or class fails the case with a clear message. */
import * as exported from '@tessera/mongodb';
import { RunnerError } from './names.js';

type Method = (...given: unknown[]) => unknown;

/** Calls a method. @throws RunnerError if the object has no such method */
export const call = (target: object, name: string, ...given: readonly unknown[]): unknown => {
  const method: unknown = Reflect.get(target, name);
  if (typeof method !== 'function') throw new RunnerError(`The driver has no ${target.constructor.name}.${name}.`);
  return (method as Method).apply(target, [...given]);
};

/** Reads a property. @throws RunnerError if the object has no such property */
export const property = (target: object, name: string): unknown => {
  if (!(name in target)) throw new RunnerError(`The driver has no ${target.constructor.name}.${name}.`);
  return Reflect.get(target, name);
};

/** Constructs an instance of an exported class. @throws RunnerError if there is no such class */
export const construct = (name: string, ...given: readonly unknown[]): object => {
  const known: Readonly<Record<string, unknown>> = exported;
  const made = known[name];
  if (typeof made !== 'function') throw new RunnerError(`The driver does not export ${name}.`);
  return Reflect.construct(made, [...given]) as object;
};

/** Returns whether the error is an instance of the exported class. */
export const isA = (error: unknown, name: string): boolean => {
  const known: Readonly<Record<string, unknown>> = exported;
  const made = known[name];
  return typeof made === 'function' && error instanceof made;
};
