import { writeBinary, writeClass } from './classes.js';
import { Refusal } from './refusal.js';
import { bytes, capacity, grow, numbers } from './slab.js';
import { enter, leave, settings } from './state.js';
import { writeCString, writeString } from './text.js';

/** What {@link writeValue} answers where there is nothing to write: a function, or undefined that is to be left out. */
export const nothing = -1;

const minInt64 = -(2n ** 63n);
const maxInt64 = 2n ** 63n - 1n;

interface WithToBSON {
  readonly toBSON?: unknown;
}

/** What the value says it wants to be written as. */
const asked = (value: unknown): unknown =>
  value !== null && value !== undefined && typeof (value as WithToBSON).toBSON === 'function'
    ? (value as { toBSON(): unknown }).toBSON()
    : value;

/** A value of any kind; its type goes to `typeAt`. Answers where it ends, or {@link nothing}. There is room for 32 bytes. */
export const writeValue = (given: unknown, typeAt: number, at: number): number => {
  const value = asked(given);
  switch (typeof value) {
    case 'string':
      bytes[typeAt] = 2;
      return writeString(value, at);
    case 'number':
      if ((value | 0) === value && !Object.is(value, -0)) {
        bytes[typeAt] = 16;
        numbers.setInt32(at, value, true);
        return at + 4;
      }
      bytes[typeAt] = 1;
      numbers.setFloat64(at, value, true);
      return at + 8;
    case 'boolean':
      bytes[typeAt] = 8;
      bytes[at] = value ? 1 : 0;
      return at + 1;
    case 'object':
      if (value !== null) return writeObject(value, typeAt, at);
      bytes[typeAt] = 10;
      return at;
    case 'bigint':
      if (value < minInt64 || value > maxInt64) throw new Refusal('it is a bigint of more than 64 bits');
      bytes[typeAt] = 18;
      numbers.setBigInt64(at, value, true);
      return at + 8;
    case 'undefined':
      if (settings.ignoreUndefined) return nothing;
      bytes[typeAt] = 10;
      return at;
    case 'function':
      if (!settings.serializeFunctions) return nothing;
      bytes[typeAt] = 13;
      return writeString(String(value), at);
    case 'symbol':
      throw new Refusal('a Symbol has no meaning outside of this process');
  }
};

const tagOf = (value: object): string => Object.prototype.toString.call(value);

const isPlain = (value: object): boolean => {
  const prototype = Object.getPrototypeOf(value) as unknown;
  return prototype === Object.prototype || prototype === null;
};

const writeObject = (value: object, typeAt: number, at: number): number => {
  const type = (value as { _bsontype?: unknown })._bsontype;
  if (type !== undefined && type !== null) {
    // A document from outside must not become a value by a key of its own: values are instances of some class.
    if (isPlain(value)) throw new Refusal('it has a key "_bsontype", which marks values of the package bson');
    return writeClass(value, typeAt, at);
  }
  if (Array.isArray(value)) {
    bytes[typeAt] = 4;
    return writeArray(value, at);
  }
  if (value instanceof Uint8Array) {
    bytes[typeAt] = 5;
    return writeBinary(value, 0, at);
  }
  if (value instanceof Date || tagOf(value) === '[object Date]') {
    bytes[typeAt] = 9;
    return writeDate(value as Date, at);
  }
  if (value instanceof RegExp || tagOf(value) === '[object RegExp]') {
    bytes[typeAt] = 11;
    return writeRegExp(value as RegExp, at);
  }
  if (tagOf(value) === '[object Uint8Array]') {
    bytes[typeAt] = 5;
    return writeBinary(value as Uint8Array, 0, at);
  }
  bytes[typeAt] = 3;
  return writeDocument(value, at);
};

export const writeDate = (value: Date, at: number): number => {
  const time = value.getTime();
  if (time !== time) throw new Refusal('it is an invalid Date');
  const high = Math.floor(time / 4294967296);
  numbers.setInt32(at, time - high * 4294967296, true);
  numbers.setInt32(at + 4, high, true);
  return at + 8;
};

/** The order of the options is that of npm `bson`, not the alphabetical one: a server compares stored patterns by it. */
export const writeRegExp = (value: RegExp, at: number): number => {
  const options = (value.ignoreCase ? 'i' : '') + (value.global ? 's' : '') + (value.multiline ? 'm' : '');
  return writeCString(options, writeCString(value.source, at, 'its pattern'), 'its options');
};

export const writeArray = (items: readonly unknown[], start: number): number => {
  enter(items);
  let at = start + 4;
  let index = 0;
  try {
    for (; index < items.length; index++) {
      if (at + 96 > capacity) grow(at + 96);
      const valueAt = writeCString(String(index), at + 1, 'a key');
      const end = writeValue(items[index], at, valueAt);
      if (end !== nothing) at = end;
      else if (typeof items[index] !== 'function') {
        bytes[at] = 10; // undefined holds its place in an array
        at = valueAt;
      }
    }
  } catch (error) {
    throw error instanceof Refusal ? error.under(String(index)) : error;
  }
  leave(items);
  return finish(start, at);
};

const finish = (start: number, at: number): number => {
  if (at + 96 > capacity) grow(at + 96);
  bytes[at] = 0;
  numbers.setInt32(start, at + 1 - start, true);
  return at + 1;
};

const checkKey = (key: string): void => {
  if (key === '$db' || key === '$ref' || key === '$id' || key === '$clusterTime') return;
  if (key.charCodeAt(0) === 36) throw new Refusal('its key starts with "$", and checkKeys is set');
  if (key.includes('.')) throw new Refusal('its key contains ".", and checkKeys is set');
};

/** One element; nothing is written for {@link nothing}. Makes the room. */
export const writeElement = (key: string, value: unknown, at: number): number => {
  if (settings.checkKeys) checkKey(key);
  const end = writeValue(value, at, writeKey(key, at));
  return end === nothing ? at : end;
};

/** Room for an element with that key, and the key. Answers where its value goes. */
export const writeKey = (key: string, at: number): number => {
  if (at + key.length * 3 + 128 > capacity) grow(at + key.length * 3 + 128);
  return writeCString(key, at + 1, 'its key');
};

/** Any object, member by member. `without` names a key that is left out. Makes the room. */
export const writeDocument = (given: object, start: number, without?: string): number => {
  if (start + 96 > capacity) grow(start + 96);
  enter(given);
  let at = start + 4;
  let key = '';
  try {
    if (given instanceof Map || tagOf(given) === '[object Map]') {
      for (const [name, value] of given as Map<unknown, unknown>) {
        if (typeof name !== 'string') throw new Refusal('it is a Map with a key that is not a string');
        key = name;
        if (key !== without) at = writeElement(key, value, at);
        key = '';
      }
    } else {
      const object = asked(given) as Record<string, unknown> | null;
      if (typeof object !== 'object' || object === null) throw new Refusal('its toBSON did not answer an object');
      for (const name of Object.keys(object)) {
        key = name;
        if (key !== without) at = writeElement(key, object[key], at);
      }
    }
  } catch (error) {
    throw error instanceof Refusal && key !== '' ? error.under(key) : error;
  }
  leave(given);
  return finish(start, at);
};
