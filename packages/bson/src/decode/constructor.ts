import type { Document } from '@tessera/contracts';
import { generate } from '../generation.js';
import type { Constructor } from './learned.js';

/** As the name of a member of an object literal. `__proto__` has another meaning there. */
export const memberName = (key: string): string => (key === '__proto__' ? '["__proto__"]' : JSON.stringify(key));

/**
 * A constructor of documents with these keys. One literal gives all of them one hidden class at once, where setting one
 * member after the other costs ten times as much and ends in a hash table at about twenty.
 */
export const generateConstructor = (keys: readonly string[]): Constructor | undefined => {
  const members = keys.map((key, i) => `${memberName(key)}:v[i+${String(i)}]`);
  return generate(['v', 'i'], `return{${members.join(',')}}`) as Constructor | undefined;
};

/** The same without code generation. */
export const assemble = (keys: readonly string[], values: readonly unknown[], from: number): Document => {
  const document: Document = {};
  for (let i = 0; i < keys.length; i++) setMember(document, keys[i]!, values[from + i]);
  return document;
};

/** Sets a member whatever its name is: `__proto__` becomes a member like any other. */
export const setMember = (document: Document, key: string, value: unknown): void => {
  if (key === '__proto__') {
    Object.defineProperty(document, key, { value, writable: true, enumerable: true, configurable: true });
  } else document[key] = value;
};
