import type { Document, ObjectId } from '@tessera/contracts';
import type { Long } from '../values.js';
import { blankOf, generateConstructor, returning } from './constructor.js';
import { generate } from '../generation.js';
import { Place, type KeyNode, type StraightLine } from './learned.js';
import { longestKnown, KnownTexts } from './known-texts.js';

/** The parts that generated code is made of. */
export interface Readers {
  text(at: number, length: number): string;
  int64(low: number, high: number): number | Long;
  objectId(bytes: Uint8Array, at: number): ObjectId;
  object(at: number, size: number, place: Place | undefined): Document;
  array(at: number, size: number, place: Place | undefined): unknown[];
  value(type: number, at: number, place: Place | undefined): unknown;
  /** Where the value ended. */
  end(): number;
  readonly stack: unknown[];
  /** Takes so many places on the stack, and answers where they start; they are given back from there. */
  claim(count: number): number;
  release(from: number, count: number): void;
}

/** The engine compiles a function as a whole: beyond so many keys, in several functions of so many. */
const longest = 64;
const part = 48;
/** How many functions read the documents of one place at most: each costs a try. */
const mostLines = 4;

/** How many bytes a value takes at least. */
const smallest: Readonly<Record<number, number>> = { 1: 8, 2: 5, 3: 5, 4: 5, 7: 12, 8: 1, 9: 8, 16: 4, 18: 8 };

const mayBeText = ({ type }: KeyNode): boolean => type === 2 || type === -1;

/** Code that reads a text of the size `n`, NUL included, by the key's known texts `k` if it is short. */
const textAt = (i: number, length: string, content: string): string =>
  `n<=${String(longestKnown)}?k[${String(i)}].read(${length},n):r.text(${content},n-1)`;

const minimum = (node: KeyNode): number => 1 + node.size + (smallest[node.type] ?? 0);

/**
 * Code that reads one element after the other: from `p`, which moves only behind what has no fixed size, to the terminator
 * at `e`, in the bytes `b` and the numbers `v`, with the readers `r`, the places `q` and the known texts `k`.
 */
class Source {
  code = '';
  /** How far behind `p` we are. */
  private ahead = 0;
  private readonly fail: string;
  private readonly target: (i: number) => string;

  /** @param fail what to do with a document of another shape @param target the place of a value, to be assigned to */
  constructor(fail: string, target: (i: number) => string) {
    this.fail = fail;
    this.target = target;
  }

  /** The element that must come now. @param rest how many bytes follow it at least */
  element(node: KeyNode, i: number, rest: number): void {
    this.unless(this.stands(node));
    this.content(node, i, rest);
  }

  /** What is read if this element comes now. */
  branch(node: KeyNode, i: number, rest: number, then: () => void): void {
    const { ahead } = this;
    this.code += `if(${this.fits(minimum(node) + rest)}&&${this.stands(node)}){`;
    this.content(node, i, rest);
    then();
    this.code += '}';
    this.ahead = ahead;
  }

  /** What is answered if the document ends now. */
  end(answer: string): void {
    this.code += `if(${this.at()}===e&&b[e]===0){${answer}}`;
  }

  /** Gives up unless so many bytes follow. */
  need(rest: number): void {
    this.unless(this.fits(rest));
  }

  giveUp(): void {
    this.code += `${this.fail};`;
  }

  /** An offset from where we are. */
  at(more = 0): string {
    const offset = this.ahead + more;
    return offset === 0 ? 'p' : `p+${String(offset)}`;
  }

  /** Moves `p` to where we are. */
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

  /** Moves `p` behind something of the size `n`. */
  private skip(rest: number): void {
    this.code += `p+=${this.ahead > 0 ? `n+${String(this.ahead)}` : 'n'};`;
    this.ahead = 0;
    this.need(rest);
  }

  /** The condition that the type and the key stand here, compared four bytes at a time. */
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

  /** The value behind a type and a key that stand here. */
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

  /** A value of changing type: most often text or null. */
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

/** Documents that one function reads: the last keys of each of their sequences, and all keys of those. */
interface Group {
  readonly ends: KeyNode[];
  readonly nodes: Set<KeyNode>;
}

/** As few groups as may be. What is left over is not read by such functions. */
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

/** In one function: values are variables, then members. Where keys differ, so does the way on. */
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

/** In several functions: values go to the stack, then to a constructor. */
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

/** How many bytes come after each of the elements at least. */
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
 * Functions that read documents of exactly these keys and types, without a loop and almost without decisions, and give up
 * at the first difference. Bounds are checked wherever something of unknown size was passed: what follows at least must
 * fit. None where code must not be generated.
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
