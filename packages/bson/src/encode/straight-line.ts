import { generate } from '../generation.js';
import type { KeyNode, StraightLine, WriteMembers } from './key-node.js';
import { memory } from './slab.js';

/** Writes the type and the value of a member whose key is already written. Returns where it ends. */
export type WriteValue = (value: unknown, node: KeyNode, typeAt: number, at: number) => number;

/** The value is not a plain object, or its keys are not those of the straight-line function. */
export const unknownKeys = -1;

/**
 * The functions that generated code calls. Generated code writes numbers, booleans and null itself. All functions
 * except `writeDate` make their own room.
 */
export interface Writers {
  readonly writeString: (text: string, at: number) => number;
  readonly writeDate: (date: Date, node: KeyNode, at: number) => number;
  readonly writeArray: (items: readonly unknown[], node: KeyNode, at: number) => number;
  /** Writes a value of any other type. */
  readonly writeOther: WriteValue;
  readonly grow: (end: number) => void;
}

/** The number of members per function: the engine optimizes large functions late, and very large ones never. */
const mostTogether = 32;

/** Room for a value of fixed size, for key words that extend past the key, and for the end of a document. */
const roomBehind = 96;

/** Returns which type to test first for a member: array or Date if the sample document has one there. */
const firstGuess = (sample: object, { key }: KeyNode): 'array' | 'date' | undefined => {
  const value: unknown = Object.getOwnPropertyDescriptor(sample, key)?.value;
  return Array.isArray(value) ? 'array' : value instanceof Date ? 'date' : undefined;
};

const memberCode = (node: KeyNode, i: number, rest: number, guess: 'array' | 'date' | undefined): string => {
  const key = node.words.map((word, j) => `n.setInt32(p+${1 + j * 4},${word},true);`).join('');
  const at = `p+${1 + node.size}`;
  const fixed = (type: number, write: string, size: number): string =>
    `{${key}b[p]=${type};${write}p+=${1 + node.size + size};}`;
  const refresh = `n=m.numbers;b=m.bytes;if(p+${rest}>m.capacity){g(p+${rest});n=m.numbers;b=m.bytes;}`;
  return (
    `v=o[k${i}];` +
    `if(typeof v==='number'){` +
    `if((v|0)===v&&(v!==0||1/v>0))${fixed(16, `n.setInt32(${at},v,true);`, 4)}` +
    `else${fixed(1, `n.setFloat64(${at},v,true);`, 8)}}` +
    `else if(typeof v==='string'){${key}b[p]=2;p=s(v,${at});${refresh}}` +
    `else if(typeof v==='boolean')${fixed(8, `b[${at}]=v?1:0;`, 1)}` +
    `else if(v===null)${fixed(10, '', 0)}` +
    (guess === 'array'
      ? `else if(A(v)&&v[T]===undefined&&G(v)===AP){${key}b[p]=4;p=a(v,n${i},${at});${refresh}}`
      : '') +
    (guess === 'date'
      ? `else if(typeof v==='object'&&v[T]===undefined&&G(v)===DP){${key}b[p]=9;p=d(v,n${i},${at});}`
      : '') +
    `else{${key}p=w(v,n${i},p,${at});${refresh}}`
  );
};

/** Generates code that reads each member at its own position and writes it. */
const membersCode = (nodes: readonly KeyNode[], sample: object): string => {
  const roomFrom = (i: number): number => nodes.slice(i).reduce((room, { size }) => room + size + 9, roomBehind);
  const room = roomFrom(0);
  const members = nodes.map((node, i) => memberCode(node, i, roomFrom(i + 1), firstGuess(sample, node))).join('');
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
  code: string,
  writers: Writers,
  parts?: readonly unknown[],
): WriteMembers | undefined => {
  const each = (name: string): string => `[${nodes.map((_, i) => `${name}${i}`).join()}]`;
  const known =
    'const A=Array.isArray,G=Object.getPrototypeOf,OP=Object.prototype,AP=Array.prototype,DP=Date.prototype,T="toBSON";';
  const body = `${known}const ${each('n')}=N,${each('k')}=K;return function straightLine(o,p){${code}}`;
  const make = generate(['m', 'g', 's', 'd', 'a', 'w', 'N', 'K', 'P'], body);
  const keys = nodes.map(({ key }) => key);
  const { grow, writeString, writeDate, writeArray, writeOther } = writers;
  const given = [memory, grow, writeString, writeDate, writeArray, writeOther, nodes, keys, parts];
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
  if (nodes.length <= mostTogether) write = makeFunction(nodes, check + membersCode(nodes, sample), writers);
  else {
    const parts: unknown[] = [];
    for (let i = 0; i < nodes.length; i += mostTogether) {
      const part = nodes.slice(i, i + mostTogether);
      parts.push(makeFunction(part, membersCode(part, sample), writers));
    }
    const calls = parts.map((_, i) => `p=P[${i}](o,p);`).join('');
    write = makeFunction(nodes, `${check}${calls}return p;`, writers, parts);
  }
  return write && { write, hasId: nodes.some(({ key }) => key === '_id') };
};
