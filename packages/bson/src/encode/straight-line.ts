import { generate } from '../generation.js';
import { Binary, Code, Decimal128, Long, MaxKey, MinKey, ObjectId, Timestamp, UUID } from '../values.js';
import type { KeyNode, StraightLine, WriteMembers } from './key-node.js';
import { memory } from './slab.js';

/** Writes the type and the value of a member whose key is already written. Returns where it ends. */
export type WriteValue = (value: unknown, node: KeyNode, typeAt: number, at: number) => number;

/** The value is not a plain object, or its keys are not those of the straight-line function. */
export const unknownKeys = -1;

/**
 * The functions that generated code calls. Generated code writes numbers, booleans, null and some classes itself. All
 * functions except `writeObjectId` make their own room.
 */
export interface Writers {
  readonly writeString: (text: string, at: number) => number;
  readonly writeArray: (items: readonly unknown[], node: KeyNode, at: number) => number;
  readonly writeObjectId: (id: ObjectId, typeAt: number, at: number) => number;
  /** Writes an instance of another class that the codec knows by its prototype. */
  readonly writeKnown: (value: object, node: KeyNode, typeAt: number, at: number) => number;
  /** Writes a value of any other type. */
  readonly writeOther: WriteValue;
  readonly grow: (end: number) => void;
}

/** The number of members per function: the engine optimizes large functions late, and very large ones never. */
const mostTogether = 16;

/** Room for a value of fixed size, for key words that extend past the key, and for the end of a document. */
const roomBehind = 96;

/** The largest value that generated code writes without making room: an ObjectId with its type. */
const largestFixed = 13;

type Guess = 'array' | 'date' | 'int64' | 'timestamp' | 'objectId' | 'minKey' | 'maxKey' | 'known';

const guesses: ReadonlyMap<unknown, Guess> = new Map<unknown, Guess>([
  [Array.prototype, 'array'],
  [Date.prototype, 'date'],
  [Long.prototype, 'int64'],
  [Timestamp.prototype, 'timestamp'],
  [ObjectId.prototype, 'objectId'],
  [MinKey.prototype, 'minKey'],
  [MaxKey.prototype, 'maxKey'],
  [Binary.prototype, 'known'],
  [UUID.prototype, 'known'],
  [Decimal128.prototype, 'known'],
  [Code.prototype, 'known'],
  [RegExp.prototype, 'known'],
]);

/** Returns the prototype of a member of the sample document, if objects of this class are written in their own way. */
const prototypeIn = (sample: object, { key }: KeyNode): object | undefined => {
  const value: unknown = Object.getOwnPropertyDescriptor(sample, key)?.value;
  if (typeof value !== 'object' || value === null) return undefined;
  const prototype = Object.getPrototypeOf(value) as object;
  return guesses.has(prototype) ? prototype : undefined;
};

const memberCode = (node: KeyNode, i: number, rest: number, guess: Guess | undefined): string => {
  const key = node.words.map((word, j) => `n.setInt32(p+${1 + j * 4},${word},true);`).join('');
  const behind = (bytes: number): string => `p+${1 + node.size + bytes}`;
  const at = behind(0);
  const fixed = (type: number, write: string, size: number): string =>
    `{${key}b[p]=${type};${write}p+=${1 + node.size + size};}`;
  const int64 = (type: number, low: string, high: string): string =>
    fixed(type, `n.setInt32(${at},${low},true);n.setInt32(${behind(4)},${high},true);`, 8);
  const refresh = `n=m.numbers;b=m.bytes;if(p+${rest}>m.capacity){g(p+${rest});n=m.numbers;b=m.bytes;}`;
  const other = `{${key}p=w(v,n${i},p,${at});${refresh}}`;
  const guessed: Readonly<Record<Guess, string>> = {
    array: `{${key}b[p]=4;p=a(v,n${i},${at});${refresh}}`,
    date: `{const t=v.getTime();if(t===t){const h=Math.floor(t/4294967296);${int64(9, 't-h*4294967296', 'h')}}else${other}}`,
    int64: int64(18, 'v.low', 'v.high'),
    timestamp: int64(17, 'v.i', 'v.t'),
    objectId: `{${key}b[p]=7;p=d(v,p,${at});}`,
    minKey: fixed(255, '', 0),
    maxKey: fixed(127, '', 0),
    known: `{${key}p=c(v,n${i},p,${at});${refresh}}`,
  };
  const and = guess === 'array' ? '&&A(v)' : '';
  return (
    `v=o[k${i}];` +
    `if(typeof v==='number'){` +
    `if((v|0)===v&&(v!==0||1/v>0))${fixed(16, `n.setInt32(${at},v,true);`, 4)}` +
    `else${fixed(1, `n.setFloat64(${at},v,true);`, 8)}}` +
    `else if(typeof v==='string'){${key}b[p]=2;p=s(v,${at});${refresh}}` +
    `else if(typeof v==='boolean')${fixed(8, `b[${at}]=v?1:0;`, 1)}` +
    `else if(v===null)${fixed(10, '', 0)}` +
    (guess === undefined ? '' : `else if(typeof v==='object'&&v[T]===undefined&&G(v)===c${i}${and})${guessed[guess]}`) +
    `else${other}`
  );
};

/** Generates code that reads each member at its own position and writes it. */
const membersCode = (nodes: readonly KeyNode[], sample: object): string => {
  const roomFrom = (i: number): number =>
    nodes.slice(i).reduce((room, { size }) => room + size + largestFixed, roomBehind);
  const room = roomFrom(0);
  const members = nodes
    .map((node, i) => memberCode(node, i, roomFrom(i + 1), guesses.get(prototypeIn(sample, node))))
    .join('');
  return `if(p+${room}>m.capacity)g(p+${room});let n=m.numbers,b=m.bytes,v;${members}return p;`;
};

/**
 * Generates the check that the object has exactly these enumerable members, which are its own: see `isPatched`. Objects
 * with a `toBSON` are written elsewhere. Checking the prototype is free here, because the engine knows it from the
 * hidden class; elsewhere it costs more than writing a member.
 */
const checkCode = (count: number): string =>
  `if(o[T]!==undefined||G(o)!==OP)return ${unknownKeys};let i=0;for(const k in o)if(k!==K[i++])return ${unknownKeys};if(i!==${count})return ${unknownKeys};`;

const makeFunction = (
  nodes: readonly KeyNode[],
  sample: object,
  code: string,
  writers: Writers,
  parts?: readonly unknown[],
): WriteMembers | undefined => {
  const each = (name: string): string => `[${nodes.map((_, i) => `${name}${i}`).join()}]`;
  const known = 'const A=Array.isArray,G=Object.getPrototypeOf,OP=Object.prototype,T="toBSON";';
  const lists = `const ${each('n')}=N,${each('k')}=K,${each('c')}=C;`;
  const body = `${known}${lists}return function straightLine(o,p){${code}}`;
  const make = generate(['m', 'g', 's', 'a', 'd', 'c', 'w', 'N', 'K', 'C', 'P'], body);
  const keys = nodes.map(({ key }) => key);
  const prototypes = nodes.map(node => prototypeIn(sample, node));
  const { grow, writeString, writeArray, writeObjectId, writeKnown, writeOther } = writers;
  const functions = [grow, writeString, writeArray, writeObjectId, writeKnown, writeOther];
  const given = [memory, ...functions, nodes, keys, prototypes, parts];
  return make?.(...given) as WriteMembers | undefined;
};

/**
 * Generates a function for objects with the keys of the sample. It reads each member at its own code position, so the
 * engine knows the member's offset and type regardless of other objects. Keys are variables, not names in the code,
 * because the engine has no fast path for named members of very many hidden classes. Returns undefined where code
 * generation is forbidden.
 */
export const generateStraightLine = (
  nodes: readonly KeyNode[],
  sample: object,
  writers: Writers,
): StraightLine | undefined => {
  const check = checkCode(nodes.length);
  let write: WriteMembers | undefined;
  if (nodes.length <= mostTogether) write = makeFunction(nodes, sample, check + membersCode(nodes, sample), writers);
  else {
    const parts: unknown[] = [];
    for (let i = 0; i < nodes.length; i += mostTogether) {
      const part = nodes.slice(i, i + mostTogether);
      parts.push(makeFunction(part, sample, membersCode(part, sample), writers));
    }
    const calls = parts.map((_, i) => `p=P[${i}](o,p);`).join('');
    write = makeFunction(nodes, sample, `${check}${calls}return p;`, writers, parts);
  }
  return write && { write, hasId: nodes.some(({ key }) => key === '_id') };
};
