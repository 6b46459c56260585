import type { Chance } from '../../chance.js';
import { array, bare, binary, bool, date, document, double, int32, int64, regex, text } from '../bson/make.js';
import type { Node } from '../bson/node.js';
import { expressions, fields, operators, patterns, scripts, stages, subjects } from './words.js';

const integers = [
  0, 1, -1, 2, 3, 7, 10, 100, 1_000, 65_536, 1_000_000, 16_777_216, 16_777_217, 2_147_483_647, -2_147_483_648,
];

const longs = [
  0n,
  1n,
  -1n,
  255n,
  2_147_483_648n,
  9_007_199_254_740_993n,
  9_223_372_036_854_775_807n,
  -9_223_372_036_854_775_808n,
];

const doubles = [0, -0, 0.5, -1.5, 1e15, 1e308, 5e-324, NaN, Infinity, -Infinity, 2 ** 53, 2 ** 31, 100_000];

/** A placeholder for the last cursor that the server opened for this client. The client replaces it with the id. */
export const lastCursor = 0x7e57_0000_c0de_0001n;

export const numberOf = (chance: Chance, name: string): Node =>
  chance.weighted<() => Node>([
    [4, () => int32(name, chance.pick(integers))],
    [2, () => int64(name, chance.pick(longs))],
    [2, () => double(name, chance.pick(doubles))],
    [1, () => ({ type: 0x13, name, value: Buffer.from(chance.many(16, 16, () => chance.below(256))) })],
    [1, () => int32(name, chance.below(20))],
  ])();

const stringOf = (chance: Chance): string =>
  chance.weighted<() => string>([
    [4, () => chance.pick(fields)],
    [3, () => `$${chance.pick(fields)}`],
    [2, () => `$$${chance.pick(['ROOT', 'CURRENT', 'this', 'value', 'REMOVE', 'NOW', 'DESCEND', 'KEEP', 'x', ''])}`],
    [2, () => chance.pick(subjects)],
    [1, () => chance.pick(patterns)],
    [1, () => chance.pick(scripts)],
    [
      1,
      () => chance.pick(['majority', 'local', 'snapshot', 'linearizable', 'primary', 'admin', 'c', '1', 'year', 'UTC']),
    ],
    [0.3, () => 'x'.repeat(chance.pick([1_000, 100_000, 1_000_000]))],
    [0.5, () => chance.pick(['\0', 'a\0b', '\ud800', '\uffff', '$', '$$', '$.', '$a.', '$a..b', '$$ROOT.a'])],
  ])();

/** Makes deeply nested documents, deeper than the server accepts. */
export const nested = (name: string, depth: number, type: 0x03 | 0x04 = 0x03, key = 'a'): Node => {
  const before = Buffer.concat([Buffer.from([type]), Buffer.from(`${key}\0`)]);
  const each = before.length + 5;
  const bytes = Buffer.alloc(5 + each * depth);
  for (let level = 0; level < depth; level++) {
    const at = level * (4 + before.length);
    bytes.writeInt32LE(bytes.length - each * level, at);
    bytes.set(before, at + 4);
  }
  bytes.writeInt32LE(5, depth * (4 + before.length));
  return { type, name, value: bytes };
};

type Range = readonly [least: number, most: number];

const list = (chance: Chance, name: string, [least, most]: Range, item: () => Node): Node => {
  const items = chance.many(least, most, item);
  return array(name, items);
};

const documentOf = (chance: Chance, name: string, depth: number): Node => {
  const nodes = chance.many(0, 4, () => valueOf(chance, chance.pick(fields), depth));
  return document(name, nodes);
};

/** Draws a value of any type. */
export const valueOf = (chance: Chance, name: string, depth = 3): Node =>
  chance.weighted<() => Node>([
    [6, () => numberOf(chance, name)],
    [5, () => text(name, stringOf(chance))],
    [1, () => text(name, chance.pick(scripts), 0x0d)],
    [0.5, () => text(name, stringOf(chance), 0x0e)],
    [1.5, () => bool(name, chance.yes(0.5))],
    [1.5, () => bare(name, chance.pick([0x06, 0x0a, 0x7f, 0xff] as const))],
    [1, () => date(name, chance.pick(longs))],
    [1, () => ({ type: 0x11, name, value: Buffer.from(chance.many(8, 8, () => chance.below(256))) })],
    [1, () => ({ type: 0x07, name, value: Buffer.from(chance.many(12, 12, () => chance.below(256))) })],
    [
      1,
      () =>
        binary(
          name,
          chance.pick([0, 2, 3, 4, 5, 6, 7, 8, 9, 128]),
          Buffer.from('0123456789abcdef').subarray(chance.below(17)),
        ),
    ],
    [1.5, () => regex(name, chance.pick(patterns), chance.pick(['', 'i', 'm', 'x', 's', 'u', 'imsx', 'q', 'ii']))],
    [0.4, () => nested(name, chance.pick([50, 99, 101, 180, 201, 1_000, 20_000]), chance.pick([0x03, 0x04] as const))],
    [
      0.3,
      () => nested(name, chance.pick([50, 101, 1_000]), 0x03, chance.pick(['$not', '$and', '$abs', '$let', '$cond'])),
    ],
    [0.3, () => list(chance, name, [0, chance.pick([10, 1_000, 20_000])], () => int32('', chance.below(5)))],
    [0.5, () => int64(name, lastCursor)],
    [depth > 0 ? 4 : 0, () => documentOf(chance, name, depth - 1)],
    [depth > 0 ? 3 : 0, () => list(chance, name, [0, 4], () => valueOf(chance, '', depth - 1))],
    [depth > 0 ? 6 : 0, () => operated(chance, name, depth - 1)],
  ])();

/** `{ $operator: … }` */
export const operated = (chance: Chance, name: string, depth: number): Node => {
  const operator = chance.pick(chance.yes(0.5) ? expressions : operators);
  const operand = (): Node => valueOf(chance, '', depth);
  return document(name, [chance.yes(0.5) ? list(chance, operator, [1, 3], operand) : valueOf(chance, operator, depth)]);
};

/** Draws a pipeline. Most arguments have a shape that the stages accept. */
export const pipelineOf = (chance: Chance, name: string, depth = 2): Node =>
  list(chance, name, [1, 4], () => document('', [valueOf(chance, chance.pick(stages), depth)]));
