import { deepest } from '../decode/deepest.js';
import { defaults, type Settings } from '../options.js';
import type { KeyTree } from './key-tree.js';
import { Refusal } from './refusal.js';
import { slab, use } from './slab.js';

/**
 * Whether a document is being written. Its getters and `toBSON` methods are user code that may call the codec again.
 */
export let writing = false;
/** The options of the document that is being written. */
export let settings: Settings = defaults;
/** The learned keys of its collection. Undefined if an option or a patched prototype requires the slower path. */
export let tree: KeyTree | undefined;

/** How many documents are interrupted by user code that writes other documents. */
export let waiting = 0;

let depth = 0;
/** The objects on the path to the current one, tracked only when nesting is unusually deep. */
let path: Set<object> | undefined;

const suspicious = 128;

export const setSettings = (next: Settings): void => {
  settings = next;
};

/** Enters an object. @throws Refusal if the path already contains it. */
export const enter = (object: object): void => {
  if (++depth > suspicious) enterDeep(object);
};

const enterDeep = (object: object): void => {
  path ??= new Set();
  if (path.has(object)) throw new Refusal('it contains itself', object);
  if (depth > deepest) throw new Refusal(`it is nested more than ${String(deepest)} levels deep`);
  path.add(object);
};

export const leave = (object: object): void => {
  if (depth-- > suspicious) path!.delete(object);
};

interface Patched {
  readonly toBSON?: unknown;
}

/**
 * Whether `Object.prototype` or the prototype of a primitive was changed. Then no shortcut is safe and `toBSON` is
 * looked up on every value.
 */
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

/** Starts writing a document. */
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

/** Runs a function that writes while another document is being written, and restores the state afterwards. */
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
