import { generate } from '../generation.js';
import type { KeyNode } from './key-tree.js';
import { memory } from './slab.js';

/** Writes the members of a plain object if it has the expected keys and no more. Answers where they end, or that it has others. */
export type StraightLine = (object: object, at: number) => number;

/** Writes the type and the value of a member whose key is written. Answers where it ends. */
export type WriteValue = (value: unknown, node: KeyNode, typeAt: number, at: number) => number;

/** The keys are not those of the straight line. */
export const unknownKeys = -1;

/** What generated code calls: it writes numbers, booleans and null by itself. Both make their own room. */
export interface Writers {
  readonly writeString: (text: string, at: number) => number;
  /** A value of any other kind. */
  readonly writeOther: WriteValue;
  readonly grow: (end: number) => void;
}

/** Members per function: the engine optimizes large functions late, and very large ones never. */
const mostTogether = 32;

/** For a value of fixed size, for the words of a key that reach behind its end, for the end of a document. */
const roomBehind = 96;

const memberCode = (node: KeyNode, i: number, rest: number): string => {
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
    `else{${key}p=w(v,n${i},p,${at});${refresh}}`
  );
};

/** One member after the other, each read at a place of its own. */
const membersCode = (nodes: readonly KeyNode[]): string => {
  const roomFrom = (i: number): number => nodes.slice(i).reduce((room, { size }) => room + size + 9, roomBehind);
  const room = roomFrom(0);
  const members = nodes.map((node, i) => memberCode(node, i, roomFrom(i + 1))).join('');
  return `if(p+${room}>m.capacity)g(p+${room});let n=m.numbers,b=m.bytes,v;${members}return p;`;
};

/** By the object's enumerable members, which are its own: see `isPatched`. Whoever has a `toBSON` is asked elsewhere. */
const checkCode = (count: number): string =>
  `if(o.toBSON!==undefined)return ${unknownKeys};let i=0;for(const k in o)if(k!==K[i++])return ${unknownKeys};if(i!==${count})return ${unknownKeys};`;

const makeLine = (nodes: readonly KeyNode[], code: string, writers: Writers, parts: unknown): unknown => {
  const each = (name: string): string => `[${nodes.map((_, i) => `${name}${i}`).join()}]`;
  const body = `const ${each('n')}=N,${each('k')}=K;return function straightLine(o,p){${code}}`;
  const make = generate(['m', 'g', 's', 'w', 'N', 'K', 'P'], body);
  const keys = nodes.map(({ key }) => key);
  return make?.(memory, writers.grow, writers.writeString, writers.writeOther, nodes, keys, parts);
};

/**
 * Code for objects with these keys: it reads each member at a place of its own, so the engine knows where in the object it lies and
 * of which kind it is, whatever other objects have passed. Keys are variables, not names in the code: the engine has no fast
 * way to read named members of objects of very many hidden classes. Undefined where code must not be generated.
 */
export const generateStraightLine = (nodes: readonly KeyNode[], writers: Writers): StraightLine | undefined => {
  const check = checkCode(nodes.length);
  if (nodes.length <= mostTogether) {
    return makeLine(nodes, check + membersCode(nodes), writers, undefined) as StraightLine | undefined;
  }
  const parts: unknown[] = [];
  for (let i = 0; i < nodes.length; i += mostTogether) {
    const part = nodes.slice(i, i + mostTogether);
    parts.push(makeLine(part, membersCode(part), writers, undefined));
  }
  const calls = parts.map((_, i) => `p=P[${i}](o,p);`).join('');
  return makeLine(nodes, `${check}${calls}return p;`, writers, parts) as StraightLine | undefined;
};
