import { deepest } from '../decode/deepest.js';
import { defaults, type Settings } from '../options.js';
import type { KeyTree } from './key-tree.js';
import { Refusal } from './refusal.js';
import { slab, use } from './slab.js';

/** Whether a document is being written at this moment: its getters and `toBSON` are user code that may come back here. */
export let writing = false;
/** How the document is written that is being written. */
export let settings: Settings = defaults;
/** The keys of its collection; undefined if its members need more than to be written in their order. */
export let tree: KeyTree | undefined;

/** How many documents are waiting for such user code to end. */
export let waiting = 0;

let depth = 0;
/** The objects that lead to where we are, kept only where it is suspiciously deep. */
let path: Set<object> | undefined;

const suspicious = 128;

export const setSettings = (next: Settings): void => {
  settings = next;
};

/** Steps into an object. @throws Refusal if we are in it already. */
export const enter = (object: object): void => {
  if (++depth > suspicious) enterDeep(object);
};

const enterDeep = (object: object): void => {
  path ??= new Set();
  if (path.has(object)) throw new Refusal('it contains itself');
  if (depth > deepest) throw new Refusal(`it nests more than ${String(deepest)} levels deep`);
  path.add(object);
};

export const leave = (object: object): void => {
  if (depth-- > suspicious) path!.delete(object);
};

interface Patched {
  readonly toBSON?: unknown;
}

/** Whether somebody has changed what every object or every primitive value has: then everything is asked. */
const isPatched = (): boolean => {
  for (const _ in nothingOwn) return true;
  return (
    (String.prototype as Patched).toBSON !== undefined ||
    (Number.prototype as Patched).toBSON !== undefined ||
    (Boolean.prototype as Patched).toBSON !== undefined ||
    (BigInt.prototype as Patched).toBSON !== undefined
  );
};

const nothingOwn = {};

/** Starts a document. */
export const start = (next: Settings, keys: KeyTree): void => {
  writing = true;
  settings = next;
  tree = next.checkKeys || next.serializeFunctions || isPatched() ? undefined : keys;
  depth = 0;
  path = undefined;
};

export const stop = (): void => {
  writing = false;
};

/** Runs something that writes while a document is being written, and puts everything back in its place. */
export const aside = <T>(run: () => T): T => {
  const outer = slab;
  const before = { settings, tree, depth, path };
  writing = false;
  waiting++;
  try {
    return run();
  } finally {
    waiting--;
    use(outer);
    writing = true;
    ({ settings, tree, depth, path } = before);
  }
};
