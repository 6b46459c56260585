import type { Settings } from '../options.js';
import { defaults } from '../options.js';
import { deepest } from '../decode/deepest.js';
import { inUse, use } from './slab.js';
import { Refusal } from './refusal.js';

/** Whether a document is being written at this moment: its getters and `toBSON` are user code that may come back here. */
export let writing = false;
/** How the document is written that is being written. */
export let settings: Settings = defaults;

let depth = 0;
/** The objects that lead to where we are, kept only where it is suspiciously deep. */
let path: Set<object> | undefined;

const suspicious = 128;

export const setSettings = (next: Settings): void => {
  settings = next;
};

/** Steps into an object. @throws Refusal if we are in it already. */
export const enter = (object: object): void => {
  if (++depth <= suspicious) return;
  path ??= new Set();
  if (path.has(object)) throw new Refusal('it contains itself');
  if (depth > deepest) throw new Refusal(`it nests more than ${String(deepest)} levels deep`);
  path.add(object);
};

export const leave = (object: object): void => {
  if (depth-- > suspicious) path!.delete(object);
};

/** Starts a document. */
export const start = (next: Settings): void => {
  writing = true;
  settings = next;
  depth = 0;
  path = undefined;
};

export const stop = (): void => {
  writing = false;
};

/** Runs something that writes while a document is being written, and puts everything back in its place. */
export const aside = <T>(run: () => T): T => {
  const [slab, origin] = inUse();
  const before = { settings, depth, path };
  writing = false;
  try {
    return run();
  } finally {
    use(slab, origin);
    writing = true;
    ({ settings, depth, path } = before);
  }
};
