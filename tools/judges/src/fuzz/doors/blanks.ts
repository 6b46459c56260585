/** Values that exist only on the running server. Requests are drawn with blanks, which are filled before sending. */
import { Long } from 'bson';
import type { Document } from 'bson';

const names = [
  'secretUuid',
  'victimCursor',
  'victimOp',
  'victimSession',
  'victimUid',
  'ownCursor',
  'ownSession',
] as const;

export type BlankName = (typeof names)[number];

export class Blank {
  readonly name: BlankName;

  constructor(name: BlankName) {
    this.name = name;
  }
}

export type World = Readonly<Record<BlankName, unknown>>;

const isPlain = (value: object): boolean => [Object.prototype, null].includes(Object.getPrototypeOf(value) as null);

/** Returns the value with its blanks filled. A blank without a value becomes zero. */
export const fill = (value: unknown, world: Partial<World>): unknown => {
  if (value instanceof Blank) return world[value.name] ?? Long.ZERO;
  if (Array.isArray(value)) return value.map(each => fill(each, world));
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value as Document).map(([key, each]) => [key, fill(each, world)]));
};
