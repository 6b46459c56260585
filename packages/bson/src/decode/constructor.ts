import type { Document } from '@tessera/contracts';
import { generate } from '../generation.js';
import type { Constructor } from './learned.js';

/** Creates an empty document that has room for certain keys in a certain order. */
export type Blank = new () => Document;

/** Limits how many lists of keys are cached. Each entry takes about as many bytes as its keys, plus a hidden class. */
const mostBlanks = 1024;
const blanks = new Map<string, Blank>();

/** Whether an assignment sets an own member. Keys such as `__proto__` trigger inherited behavior instead. */
const isAssignable = (key: string): boolean => !(key in Object.prototype);

/** Returns code that assigns to a member. */
const set = (document: string, key: string, value: string): string => `${document}[${JSON.stringify(key)}]=${value};`;

const memberName = (key: string): string => (key === '__proto__' ? '["__proto__"]' : JSON.stringify(key));

/**
 * Returns the constructor for documents with these keys. All documents with the same keys share it, so they share one
 * hidden class. The engine reserves room by counting the assignments in the constructor, although they never run.
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
 * Returns code that builds a document from these keys, given the code of each value and of the empty document. An
 * object literal would be slower: once many documents of one literal survive a garbage collection, the engine allocates
 * all later ones in the old generation. Everything they refer to then lives until an old-generation collection, which
 * doubles the time of reading document by document.
 */
export const returning = (keys: readonly string[], value: (i: number) => string, blank: string): string =>
  keys.every(isAssignable)
    ? `const d=new ${blank}();${keys.map((key, i) => set('d', key, value(i))).join('')}return d;`
    : `return{${keys.map((key, i) => `${memberName(key)}:${value(i)}`).join(',')}};`;

/**
 * Generates a constructor of documents with these keys. Setting members whose names are not in the code is ten times as
 * slow.
 */
export const generateConstructor = (keys: readonly string[]): Constructor | undefined => {
  const code = `return function(v,i){${returning(keys, i => `v[i+${String(i)}]`, 'm')}}`;
  return generate(['m'], code)?.(blankOf(keys)) as Constructor | undefined;
};

/** Builds a document from keys and values without code generation. */
export const assemble = (keys: readonly string[], values: readonly unknown[], from: number): Document => {
  const document: Document = {};
  for (let i = 0; i < keys.length; i++) setMember(document, keys[i]!, values[from + i]);
  return document;
};

/** Sets a member with any name. `__proto__` becomes an ordinary member. */
export const setMember = (document: Document, key: string, value: unknown): void => {
  if (key === '__proto__') {
    Object.defineProperty(document, key, { value, writable: true, enumerable: true, configurable: true });
  } else document[key] = value;
};
