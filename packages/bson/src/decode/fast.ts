import type { Document } from '@tessera/contracts';
import { defaults } from '../options.js';
import { Binary, Code, Long, MaxKey, MinKey, objectIdAt, Timestamp, UUID } from '../values.js';
import { assemble, generateConstructor, setMember } from './constructor.js';
import { damaged } from './damaged.js';
import { asDBRef, stillDBRef, type DBRefState } from './db-ref.js';
import { deepest } from './deepest.js';
import { keyEnd, readCachedKey } from './key-cache.js';
import { Place, type KeyNode, type Learned } from './learned.js';
import { bytes, contentOf, memoryEnd, numbers } from './memory.js';
import { PlainDecoder } from './plain.js';
import { generateStraightLines, type Readers } from './straight-line.js';
import { readText } from './text.js';

/*
 * The decoder of documents under the default options. Its state is in module variables and its options are constants,
 * because the same code as a class is half as fast. It performs only the checks that keep it inside the document and
 * reject invalid BSON. It throws `damaged` for everything else. Positions are absolute offsets. It never calls user
 * code.
 */

/** The end of the outermost document. */
let limit = 0;
let depth = 0;
let learned: Learned;
/** The values of the documents that are being read, in order of reading, and how many there are. */
const stack: unknown[] = new Array<unknown>(1024).fill(undefined);
let top = 0;
/** The end of the last value that {@link value} read. */
let end = 0;

const rare = new PlainDecoder(defaults);

/**
 * How many documents with the same keys are read before a constructor and a straight-line function are generated, and
 * how many of each are generated at most.
 */
const constructorAfter = 4;
const straightAfter = 32;
const mostConstructors = 256;
const mostStraightLines = 64;
/**
 * How many kinds of documents have straight-line functions at one place, and the number of net misses after which they
 * are dropped.
 */
const mostEnds = 32;
const mostMisses = 64;
const firstRest = 256;

/** Releases stack entries and clears them, so that the stack keeps no value alive. */
const release = (from: number, count: number): void => {
  top = from;
  for (let i = from; i < from + count; i++) stack[i] = undefined;
};

/** Clears what was read of a document that the fast decoder gave up on. */
export const drop = (): void => {
  stack.fill(undefined);
};

/** Starts reading the document or array between two offsets. Returns the place where such documents are learned. */
const begin = (start: number, stop: number, from: Learned): Place | undefined => {
  const v = numbers;
  const size = v.getInt32(start, true);
  if (size !== stop - start || size < 5 || stop > memoryEnd || bytes[stop - 1] !== 0) throw damaged;
  limit = stop;
  depth = 0;
  top = 0;
  learned = from;
  return from.top(size > 8 ? Math.imul(v.getInt32(start + 4, true), 0x9e3779b1) >>> 26 : 0);
};

/**
 * Reads the document between two offsets. @throws anything if the bytes are not a document, or have a type that only
 * the plain decoder reads.
 */
export const readFast = (start: number, stop: number, from: Learned): Document =>
  object(start, stop - start, begin(start, stop, from));

/**
 * Reads the array between two offsets. @throws anything if the bytes are not an array, or have a type that only the
 * plain decoder reads.
 */
export const readFastArray = (start: number, stop: number, from: Learned): unknown[] =>
  array(start, stop - start, begin(start, stop, from));

/** Whether the bytes at this offset are the node's key. */
const matches = (node: KeyNode, p: number): boolean => {
  const v = numbers;
  const { words, mask } = node;
  const last = (words.length - 1) << 2;
  if (p + last + 4 > memoryEnd) return false;
  if (last === 0) return ((v.getInt32(p, true) ^ node.first) & mask) === 0;
  if (v.getInt32(p, true) !== node.first) return false;
  for (let at = 4; at < last; at += 4) if (v.getInt32(p + at, true) !== words[at >> 2]) return false;
  return ((v.getInt32(p + last, true) ^ words[last >> 2]!) & mask) === 0;
};

const int64 = (low: number, high: number): number | Long =>
  high < 0x200000 && high >= -0x200000
    ? high * 4294967296 + (low >>> 0)
    : high === 0x200000 && low === 0
      ? 9007199254740992
      : new Long(low, high);

/** Reads the document of this size that starts here. Without a place, it is read without learning. */
const object = (start: number, size: number, place: Place | undefined): Document => {
  if (++depth > deepest) throw damaged;
  const b = bytes;
  const v = numbers;
  const last = start + size - 1;
  let p = start + 4;
  if (place === undefined) return unlearned(p, last, {}, undefined, undefined);
  if (place.straight !== undefined) {
    const document = tryStraightLines(place, p, last);
    if (document !== undefined) {
      depth--;
      return document;
    }
  }
  const base = top;
  let q = base;
  let node = place.root;
  let guess = node.next;
  let type = b[p++]!;
  while (type !== 0) {
    let found: KeyNode | undefined = guess;
    if (found !== undefined && matches(found, p)) p += found.size;
    else {
      found = learned.follow(node, readCachedKey(p, limit));
      if (found === undefined) return open(p - 1, last, node, place, base);
      p = keyEnd + 1;
    }
    node = found;
    guess = node.next;
    if (node.type !== type) node.type = node.type === 0 ? type : -1;
    let x: unknown;
    switch (type) {
      case 2: {
        // string
        const length = v.getInt32(p, true);
        p += 4;
        if (length <= 0 || length > limit - p || b[p + length - 1] !== 0) throw damaged;
        x = readText(p, length - 1);
        p += length;
        break;
      }
      case 16: // int32
        x = v.getInt32(p, true);
        p += 4;
        break;
      case 1: // double
        x = v.getFloat64(p, true);
        p += 8;
        break;
      case 10: // null
        x = null;
        break;
      case 8: {
        // boolean
        const byte = b[p++]!;
        if (byte > 1) throw damaged;
        x = byte === 1;
        break;
      }
      case 18: // int64
        x = int64(v.getInt32(p, true), v.getInt32(p + 4, true));
        p += 8;
        break;
      case 7: // ObjectId
        if (p + 12 > limit) throw damaged;
        x = objectIdAt(b, p);
        p += 12;
        break;
      case 9: // date
        x = new Date(v.getInt32(p + 4, true) * 4294967296 + v.getUint32(p, true));
        p += 8;
        break;
      case 3: {
        // document
        const length = v.getInt32(p, true);
        if (length < 5 || length > limit - p) throw damaged;
        top = q;
        x = object(p, length, (node.place ??= new Place(true)));
        p += length;
        break;
      }
      case 4: {
        // array
        const length = v.getInt32(p, true);
        if (length < 5 || length > limit - p) throw damaged;
        top = q;
        x = array(p, length, (node.place ??= new Place(true)));
        p += length;
        break;
      }
      default:
        top = q;
        x = seldom(type, p, (node.place ??= new Place(true)));
        p = end;
    }
    stack[q++] = x;
    if (p > last) throw damaged;
    type = b[p++]!;
  }
  if (p - 1 !== last) throw damaged;
  depth--;
  const document = finish(node, place, base);
  release(base, q - base);
  return document;
};

/** Reads the document with the straight-line functions of this place. Undefined if none of them fits. */
const tryStraightLines = (place: Place, p: number, last: number): Document | undefined => {
  const lines = place.straight!;
  for (let i = 0; i < lines.length; i++) {
    const document = lines[i]!(p, last, bytes, numbers);
    if (document !== undefined) {
      if (place.misses !== 0 && (++place.hits & 3) === 0) place.misses--;
      return document;
    }
  }
  if (++place.misses >= mostMisses) {
    place.straight = undefined;
    place.misses = 0;
    place.rest = firstRest << Math.min(place.rests++, 16);
  }
  return undefined;
};

/** Builds the document from the values on the stack, whose last key is this node, and learns from it. */
const finish = (node: KeyNode, place: Place, base: number): Document => {
  const uses = ++node.uses;
  const keys = (node.keys ??= keysOf(node, place));
  if (uses === constructorAfter && learned.constructors++ < mostConstructors) node.make = generateConstructor(keys);
  if (uses >= straightAfter) learn(node, place);
  const { make } = node;
  const document = make === undefined ? assemble(keys, stack, base) : make(stack, base);
  return node.isDBRef ? asDBRef(document) : document;
};

const dbRefStateOf = (keys: readonly string[], place: Place): DBRefState =>
  place.references ? keys.reduce<DBRefState>(stillDBRef, undefined) : false;

const keysOf = (node: KeyNode, place: Place): readonly string[] => {
  const keys = node.chain().map(({ key }) => key);
  node.isDBRef = dbRefStateOf(keys, place) === true;
  return keys;
};

/**
 * Waits for some documents before it generates new straight-line functions. The wait grows with the number of kinds,
 * because another new kind may follow soon.
 */
const learn = (node: KeyNode, place: Place): void => {
  if (!place.ends.includes(node)) {
    if (place.ends.length === mostEnds || node.depth === 0 || node.isDBRef) return;
    place.ends.push(node);
    place.straight = undefined;
    place.rest = Math.max(place.rest, straightAfter * place.ends.length);
  }
  if (place.rest > 0) place.rest--;
  else if (place.straight === undefined && learned.straightLines++ < mostStraightLines) {
    place.straight = generateStraightLines(place.ends, readers);
  }
};

/**
 * Reads a document that is not learned from this key on. Values on the stack move into the document; the remaining
 * members are set one by one.
 */
const open = (p: number, last: number, node: KeyNode, place: Place, base: number): Document => {
  const keys = keysOf(node, place);
  const document = assemble(keys, stack, base);
  release(base, keys.length);
  return unlearned(p, last, document, dbRefStateOf(keys, place), (node.beyond ??= new Place(true)));
};

const unlearned = (
  start: number,
  last: number,
  document: Document,
  before: DBRefState,
  place: Place | undefined,
): Document => {
  const b = bytes;
  let state = before;
  let p = start;
  let type = b[p++]!;
  while (type !== 0) {
    const key = readCachedKey(p, limit);
    state = stillDBRef(state, key);
    setMember(document, key, value(type, keyEnd + 1, place));
    p = end;
    if (p > last) throw damaged;
    type = b[p++]!;
  }
  if (p - 1 !== last) throw damaged;
  depth--;
  return state === true ? asDBRef(document) : document;
};

/**
 * Copies values from the stack into an array of exactly that size. An array that grows by pushing reserves room for
 * seventeen items at its first.
 */
const gather = (from: number, count: number): unknown[] => {
  const s = stack;
  // prettier-ignore
  switch (count) {
    case 0: return [];
    case 1: return [s[from]];
    case 2: return [s[from], s[from + 1]];
    case 3: return [s[from], s[from + 1], s[from + 2]];
    case 4: return [s[from], s[from + 1], s[from + 2], s[from + 3]];
    case 5: return [s[from], s[from + 1], s[from + 2], s[from + 3], s[from + 4]];
    case 6: return [s[from], s[from + 1], s[from + 2], s[from + 3], s[from + 4], s[from + 5]];
    case 7: return [s[from], s[from + 1], s[from + 2], s[from + 3], s[from + 4], s[from + 5], s[from + 6]];
    default: return [s[from], s[from + 1], s[from + 2], s[from + 3], s[from + 4], s[from + 5], s[from + 6], s[from + 7]];
  }
};
const mostGathered = 8;

const array = (start: number, size: number, place: Place | undefined): unknown[] => {
  if (++depth > deepest) throw damaged;
  const b = bytes;
  const v = numbers;
  const last = start + size - 1;
  const base = top;
  let q = base;
  let items: unknown[] | undefined;
  let p = start + 4;
  let type = b[p++]!;
  while (type !== 0) {
    while (b[p] !== 0) if (++p >= limit) throw damaged;
    p++;
    let x: unknown;
    if (type === 16) {
      x = v.getInt32(p, true);
      p += 4;
    } else {
      top = q;
      x = value(type, p, place);
      p = end;
    }
    if (items !== undefined) items.push(x);
    else if (q < base + mostGathered) stack[q++] = x;
    else (items = gather(base, mostGathered)).push(x);
    if (p > last) throw damaged;
    type = b[p++]!;
  }
  if (p - 1 !== last) throw damaged;
  depth--;
  items ??= gather(base, q - base);
  release(base, q - base);
  return items;
};

/** Reads any value. Documents in it are learned at this place. */
const value = (type: number, start: number, place: Place | undefined): unknown => {
  const b = bytes;
  const v = numbers;
  let p = start;
  switch (type) {
    case 2: {
      const length = v.getInt32(p, true);
      p += 4;
      if (length <= 0 || length > limit - p || b[p + length - 1] !== 0) throw damaged;
      end = p + length;
      return readText(p, length - 1);
    }
    case 16:
      end = p + 4;
      return v.getInt32(p, true);
    case 1:
      end = p + 8;
      return v.getFloat64(p, true);
    case 8:
      if (b[p]! > 1) throw damaged;
      end = p + 1;
      return b[p] === 1;
    case 10:
      end = p;
      return null;
    case 18:
      end = p + 8;
      return int64(v.getInt32(p, true), v.getInt32(p + 4, true));
    case 7:
      if (p + 12 > limit) throw damaged;
      end = p + 12;
      return objectIdAt(b, p);
    case 9:
      end = p + 8;
      return new Date(v.getInt32(p + 4, true) * 4294967296 + v.getUint32(p, true));
    case 3: {
      const length = v.getInt32(p, true);
      if (length < 5 || length > limit - p) throw damaged;
      const document = object(p, length, place);
      end = p + length;
      return document;
    }
    case 4: {
      const length = v.getInt32(p, true);
      if (length < 5 || length > limit - p) throw damaged;
      const items = array(p, length, place);
      end = p + length;
      return items;
    }
    default:
      return seldom(type, p, place);
  }
};

const seldom = (type: number, start: number, place: Place | undefined): unknown => {
  const v = numbers;
  let p = start;
  switch (type) {
    case 5: {
      // binary
      const length = v.getInt32(p, true);
      const subtype = bytes[p + 4]!;
      p += 5;
      if (length < 0 || length > limit - p) throw damaged;
      if (subtype === 2) break;
      end = p + length;
      const content = contentOf(p, end);
      return subtype === 4 && length === 16 ? new UUID(content) : new Binary(content, subtype);
    }
    case 13: {
      // code
      const length = v.getInt32(p, true);
      p += 4;
      if (length <= 0 || length > limit - p || bytes[p + length - 1] !== 0) throw damaged;
      end = p + length;
      return new Code(readText(p, length - 1));
    }
    case 15:
      return codeWithScope(p, place);
    case 17: // timestamp
      end = p + 8;
      return new Timestamp(new Long(v.getInt32(p, true), v.getInt32(p + 4, true)));
    case 127:
      end = p;
      return new MaxKey();
    case 255:
      end = p;
      return new MinKey();
  }
  const other = rare.from(0, depth).value(type, start, limit, '', false);
  end = rare.end;
  return other;
};

const codeWithScope = (start: number, place: Place | undefined): Code => {
  const v = numbers;
  const total = v.getInt32(start, true);
  const length = v.getInt32(start + 4, true);
  if (total < 14 || total > limit - start || length <= 0 || length > total - 13) throw damaged;
  const at = start + 8 + length;
  const size = v.getInt32(at, true);
  if (size < 5 || at + size !== start + total || bytes[at - 1] !== 0) throw damaged;
  const code = readText(start + 8, length - 1);
  let scope: Document;
  if (place === undefined) {
    if (++depth > deepest) throw damaged;
    scope = unlearned(at + 4, at + size - 1, {}, false, undefined);
  } else scope = object(at, size, (place.scope ??= new Place(false)));
  end = at + size;
  return new Code(code, scope);
};

/** The functions that generated code calls. */
const readers: Readers = {
  text: readText,
  int64,
  objectId: objectIdAt,
  object,
  array,
  value,
  end: () => end,
  stack,
  claim: count => (top += count) - count,
  release,
};
