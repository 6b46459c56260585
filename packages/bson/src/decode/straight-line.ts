import type { Document, ObjectId } from '@tessera/contracts';
import type { Long } from '../values.js';
import { blankOf, generateConstructor, returning } from './constructor.js';
import { generate } from '../generation.js';
import { Place, type KeyNode, type StraightLine } from './learned.js';
import { longestKnown, KnownTexts } from './known-texts.js';

/** The functions that generated code calls. */
export interface Readers {
  text(at: number, length: number): string;
  int64(low: number, high: number): number | Long;
  objectId(bytes: Uint8Array, at: number): ObjectId;
  object(at: number, size: number, place: Place | undefined): Document;
  array(at: number, size: number, place: Place | undefined): unknown[];
  value(type: number, at: number, place: Place | undefined): unknown;
  /** Returns the end of the last value. */
  end(): number;
  readonly stack: unknown[];
  /** Reserves this many stack entries and returns the index of the first. `release` frees them. */
  claim(count: number): number;
  release(from: number, count: number): void;
}

/**
 * Documents with more than `longest` keys are read by several functions of `part` keys each, because the engine
 * compiles a function as a whole.
 */
const longest = 64;
const part = 48;
/**
 * The maximum number of functions that read the documents of one place. Each function that does not fit costs time.
 */
const mostLines = 4;

/** The minimum size of a value in bytes, by type. */
const smallest: Readonly<Record<number, number>> = { 1: 8, 2: 5, 3: 5, 4: 5, 7: 12, 8: 1, 9: 8, 16: 4, 18: 8 };

const mayBeText = ({ type }: KeyNode): boolean => type === 2 || type === -1;

/**
 * Returns code that reads a text of size `n`, NUL included. A short text is looked up in the known texts `k` of its
 * key.
 */
const textAt = (i: number, length: string, content: string): string =>
  `n<=${String(longestKnown)}?k[${String(i)}].read(${length},n):r.text(${content},n-1)`;

const minimum = (node: KeyNode): number => 1 + node.size + (smallest[node.type] ?? 0);

/**
 * Builds code that reads elements in order, from `p` to the terminator at `e`. The code reads bytes `b` and DataView
 * `v`, and uses readers `r`, places `q` and known texts `k`. It moves `p` only after values of variable size.
 */
class Source {
  code = '';
  /** The distance of the current position from `p`. */
  private ahead = 0;
  private readonly fail: string;
  private readonly target: (i: number) => string;

  /**
   * @param fail code that handles a document with other keys or types
   * @param target returns the code of the variable or array entry that receives value `i`
   */
  constructor(fail: string, target: (i: number) => string) {
    this.fail = fail;
    this.target = target;
  }

  /** Adds code for a required element. @param rest the minimum number of bytes after it */
  element(node: KeyNode, i: number, rest: number): void {
    this.unless(this.stands(node));
    this.content(node, i, rest);
  }

  /** Adds code that runs if this element comes next. */
  branch(node: KeyNode, i: number, rest: number, then: () => void): void {
    const { ahead } = this;
    this.code += `if(${this.fits(minimum(node) + rest)}&&${this.stands(node)}){`;
    this.content(node, i, rest);
    then();
    this.code += '}';
    this.ahead = ahead;
  }

  /** Adds code that returns `answer` if the document ends here. */
  end(answer: string): void {
    this.code += `if(${this.at()}===e&&b[e]===0){${answer}}`;
  }

  /** Adds code that gives up unless at least `rest` bytes follow. */
  need(rest: number): void {
    this.unless(this.fits(rest));
  }

  giveUp(): void {
    this.code += `${this.fail};`;
  }

  /** Returns the code of an offset from the current position. */
  at(more = 0): string {
    const offset = this.ahead + more;
    return offset === 0 ? 'p' : `p+${String(offset)}`;
  }

  /** Adds code that moves `p` to the current position. */
  settle(): void {
    if (this.ahead > 0) this.code += `p+=${String(this.ahead)};`;
    this.ahead = 0;
  }

  private fits(rest: number): string {
    return `${this.at(rest)}<=e+1`;
  }

  private unless(condition: string): void {
    this.code += `if(!(${condition}))${this.fail};`;
  }

  private set(i: number, expression: string, size: number): void {
    this.code += `${this.target(i)}=${expression};`;
    this.ahead += size;
  }

  /** Adds code that moves `p` past a value of size `n`. */
  private skip(rest: number): void {
    this.code += `p+=${this.ahead > 0 ? `n+${String(this.ahead)}` : 'n'};`;
    this.ahead = 0;
    this.need(rest);
  }

  /** Returns the condition that this type and key come next, compared four bytes at a time. */
  private stands(node: KeyNode): string {
    const head = new DataView(new ArrayBuffer(node.words.length * 4 + 4));
    head.setUint8(0, node.type & 255);
    node.words.forEach((word, i) => head.setInt32(1 + i * 4, word, true));
    const size = node.size + 1;
    const same: string[] = [];
    let at = node.type === -1 ? 1 : 0;
    for (; at + 4 <= size; at += 4) same.push(`v.getInt32(${this.at(at)},true)===${String(head.getInt32(at, true))}`);
    if (at + 2 <= size) {
      same.push(`v.getInt16(${this.at(at)},true)===${String(head.getInt16(at, true))}`);
      at += 2;
    }
    if (at < size) same.push(`b[${this.at(at)}]===${String(head.getUint8(at))}`);
    return same.join('&&');
  }

  /** Adds code that reads the value after a type and a key. */
  private content(node: KeyNode, i: number, rest: number): void {
    if (node.type === -1) this.code += `t=b[${this.at()}];`;
    this.ahead += node.size + 1;
    if (node.type === -1) this.mixed(i, rest);
    else this.typed(node.type, i, rest);
  }

  private typed(type: number, i: number, rest: number): void {
    switch (type) {
      case 1:
        return this.set(i, `v.getFloat64(${this.at()},true)`, 8);
      case 2:
        this.code += `n=v.getInt32(${this.at()},true);`;
        this.unless(`n>0&&n<=e-(${this.at(4)})&&b[${this.at(3)}+n]===0`);
        this.set(i, textAt(i, this.at(), this.at(4)), 4);
        return this.skip(rest);
      case 3:
      case 4:
        this.code += `n=v.getInt32(${this.at()},true);`;
        this.unless(`n>4&&n<=e-(${this.at()})`);
        this.set(i, `r.${type === 3 ? 'object' : 'array'}(${this.at()},n,q[${String(i)}])`, 0);
        return this.skip(rest);
      case 7:
        return this.set(i, `r.objectId(b,${this.at()})`, 12);
      case 8:
        this.code += `n=b[${this.at()}];`;
        this.unless('n<2');
        return this.set(i, 'n===1', 1);
      case 9:
        return this.set(i, `new Date(v.getInt32(${this.at(4)},true)*4294967296+v.getUint32(${this.at()},true))`, 8);
      case 10:
        return this.set(i, 'null', 0);
      case 16:
        return this.set(i, `v.getInt32(${this.at()},true)`, 4);
      case 18:
        return this.set(i, `r.int64(v.getInt32(${this.at()},true),v.getInt32(${this.at(4)},true))`, 8);
      default:
        this.settle();
        this.set(i, `r.value(${String(type)},p,q[${String(i)}])`, 0);
        this.code += 'p=r.end();';
        return this.need(rest);
    }
  }

  /** Adds code for a value whose type changes, most often between text and null. */
  private mixed(i: number, rest: number): void {
    const x = this.target(i);
    this.settle();
    this.code += `if(t===10)${x}=null;else if(t===16){${x}=v.getInt32(p,true);p+=4;}else if(t===2){n=v.getInt32(p,true);`;
    this.unless('n>0&&n<=e-p-4&&b[p+3+n]===0');
    this.code += `${x}=${textAt(i, 'p', 'p+4')};p+=4+n;}else{if(t===0)${this.fail};${x}=r.value(t,p,q[${String(i)}]);p=r.end();}`;
    this.need(rest);
  }
}

const keysOf = (nodes: readonly KeyNode[]): string[] => nodes.map(({ key }) => key);

/** Documents that one function reads: the last key of each key sequence, and all of their keys. */
interface Group {
  readonly ends: KeyNode[];
  readonly nodes: Set<KeyNode>;
}

/** Splits the documents into as few groups as possible. Documents left over get no straight-line function. */
const groupsOf = (ends: readonly KeyNode[]): Group[] => {
  const groups: Group[] = [];
  for (const end of ends) {
    const chain = end.chain();
    let group = groups.find(({ nodes }) => new Set([...nodes, ...chain]).size <= longest);
    if (group === undefined) {
      if (groups.length === mostLines) continue;
      group = { ends: [], nodes: new Set() };
      groups.push(group);
    }
    group.ends.push(end);
    for (const node of chain) group.nodes.add(node);
  }
  return groups;
};

/**
 * Generates one function that keeps values in variables and then assigns them to members. It branches where key
 * sequences differ.
 */
const inOne = ({ ends, nodes }: Group): string => {
  const list = [...nodes];
  const source = new Source('return', i => `x${String(i)}`);
  const after = (node: KeyNode): KeyNode[] => list.filter(({ parent }) => parent === node);
  const least = (kids: readonly KeyNode[]): number => Math.min(...kids.map(kid => minimum(kid) + rest(kid)));
  const rest = (node: KeyNode): number => (ends.includes(node) ? 1 : least(after(node)));
  const goOn = (node: KeyNode): void => {
    const kids = after(node);
    const end = ends.indexOf(node);
    const [only] = kids;
    if (only !== undefined && kids.length === 1 && end < 0) {
      source.element(only, list.indexOf(only), rest(only));
      goOn(only);
      return;
    }
    for (const kid of kids) source.branch(kid, list.indexOf(kid), rest(kid), () => goOn(kid));
    if (end >= 0) {
      const chain = node.chain();
      source.end(returning(keysOf(chain), i => `x${String(list.indexOf(chain[i]!))}`, `m${String(end)}`));
    }
    source.giveUp();
  };
  const root = list[0]!.parent!;
  source.need(least(after(root)));
  goOn(root);
  const makers = ends.map((_, i) => `const m${String(i)}=m[${String(i)}];`).join('');
  const variables = list.map((_, i) => `x${String(i)}`).join(',');
  return `${makers}return function straightLine(p,e,b,v){let n=0,t=0,${variables};${source.code}}`;
};

/** Generates several functions that push values onto the stack, and a constructor call at the end. */
const inParts = (nodes: readonly KeyNode[]): string => {
  const rests = restsOf(nodes);
  let parts = 'const s=r.stack,m0=m[0];';
  let calls = '';
  for (let from = 0; from < nodes.length; from += part) {
    const source = new Source('return -1', i => `s[i+${String(i)}]`);
    source.need(minimum(nodes[from]!) + rests[from]!);
    nodes.slice(from, from + part).forEach((node, i) => source.element(node, from + i, rests[from + i]!));
    parts += `function part${String(from)}(p,e,b,v,i){let n=0,t=0;${source.code}return ${source.at()};}`;
    calls += `if(p!==-1)p=part${String(from)}(p,e,b,v,i);`;
  }
  const claim = `const i=r.claim(${String(nodes.length)});`;
  const result = 'const d=p===e&&b[e]===0?m0(s,i):undefined;';
  return `${parts}return function straightLine(p,e,b,v){${claim}${calls}${result}r.release(i,${String(nodes.length)});return d;}`;
};

/** Returns the minimum number of bytes after each element. */
const restsOf = (nodes: readonly KeyNode[]): number[] => {
  const rests: number[] = [];
  let rest = 1;
  for (const node of nodes.toReversed()) {
    rests.unshift(rest);
    rest += minimum(node);
  }
  return rests;
};

/**
 * Generates functions that read documents with exactly these keys and types, without loops and with few branches. A
 * function gives up at the first difference. It checks bounds after each value of variable size: the minimum size of
 * the remaining elements must fit. Returns no functions where code generation is forbidden.
 * @param ends the last keys of the documents
 */
export const generateStraightLines = (ends: readonly KeyNode[], readers: Readers): StraightLine[] =>
  groupsOf(ends).flatMap(group => {
    const nodes = [...group.nodes];
    const places = nodes.map(node => (node.place ??= new Place(true)));
    const keys = group.ends.map(end => keysOf(end.chain()));
    const [code, makers] =
      nodes.length > longest ? [inParts(nodes), keys.map(generateConstructor)] : [inOne(group), keys.map(blankOf)];
    const texts = nodes.map(node => (mayBeText(node) ? (node.texts ??= new KnownTexts()) : undefined));
    const line = generate(['r', 'q', 'm', 'k'], code)?.(readers, places, makers, texts) as StraightLine | undefined;
    return line === undefined ? [] : [line];
  });
