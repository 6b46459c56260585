import type { Document } from '@tessera/contracts';
import { generate } from '../generation.js';
import type { Constructor } from './learned.js';

/** Makes a document that is to get certain keys, in a certain order, and has none of them yet. */
export type Blank = new () => Document;

/** How many lists of keys are remembered. About as many bytes each as its keys have, and a hidden class. */
const mostBlanks = 1024;
const blanks = new Map<string, Blank>();

/** An assignment to one of the others does something else than to set a member. */
const isAssignable = (key: string): boolean => !(key in Object.prototype);

/** Code that assigns to a member. */
const set = (document: string, key: string, value: string): string => `${document}[${JSON.stringify(key)}]=${value};`;

const memberName = (key: string): string => (key === '__proto__' ? '["__proto__"]' : JSON.stringify(key));

/**
 * The blank of these keys, the same one for all who have them: their documents are of one hidden class. It has room for
 * exactly them, as the engine counts the assignments in it, though they are never made.
 */
export const blankOf = (keys: readonly string[]): Blank | undefined => {
  const list = JSON.stringify(keys);
  const known = blanks.get(list);
  if (known !== undefined) return known;
  if (blanks.size >= mostBlanks) blanks.clear();
  const room = keys.map(key => set('this', key, 'v')).join('');
  const code = `function Document(v){if(v!==undefined){${room}}}Document.prototype=Object.prototype;return Document`;
  const blank = generate([], code)?.() as Blank | undefined;
  if (blank !== undefined) blanks.set(list, blank);
  return blank;
};

/**
 * Code that returns the document with these keys, given the code of each value and of their blank. Not a literal: where
 * many documents of one outlive a collection of garbage, the engine makes all further ones old at birth, and whatever
 * those refer to lives until old garbage is collected: reading document by document then takes twice as long.
 */
export const returning = (keys: readonly string[], value: (i: number) => string, blank: string): string =>
  keys.every(isAssignable)
    ? `const d=new ${blank}();${keys.map((key, i) => set('d', key, value(i))).join('')}return d;`
    : `return{${keys.map((key, i) => `${memberName(key)}:${value(i)}`).join(',')}};`;

/** A constructor of documents with these keys; setting members whose names are not in the code costs ten times as much. */
export const generateConstructor = (keys: readonly string[]): Constructor | undefined => {
  const code = `return function(v,i){${returning(keys, i => `v[i+${String(i)}]`, 'm')}}`;
  return generate(['m'], code)?.(blankOf(keys)) as Constructor | undefined;
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
