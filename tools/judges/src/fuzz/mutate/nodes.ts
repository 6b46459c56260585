import type { Chance } from '../../chance.js';
import { array, binary, bool, document, int32, int64, text } from '../bson/make.js';
import type { Node } from '../bson/node.js';
import { isContainer } from '../bson/node.js';
import { nested, numberOf, operated, pipelineOf, valueOf } from './values.js';
import { commands, fields, operators } from './words.js';

type Nodes = readonly Node[];

const sizeOf = (nodes: Nodes): number =>
  nodes.reduce((sum, { value }) => sum + 1 + (isContainer(value) ? sizeOf(value) : 0), 0);

/** Replaces the node with this number, counted in document order. */
const replaced = (nodes: Nodes, at: number, by: (node: Node) => Nodes): Nodes => {
  let left = at;
  const result: Node[] = [];
  for (const node of nodes) {
    if (left === 0) result.push(...by(node));
    else if (left > 0 && isContainer(node.value)) {
      const size = sizeOf(node.value);
      result.push(left <= size ? { ...node, value: replaced(node.value, left - 1, by) } : node);
      left -= size;
    } else result.push(node);
    left -= 1;
  }
  return result;
};

const nodeAt = (nodes: Nodes, at: number): Node => {
  let found: Node | undefined;
  replaced(nodes, at, node => {
    found = node;
    return [node];
  });
  return found ?? int32('a', 1);
};

const types = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 127, 255, 0, 20, 100];

/** Draws a field that any command may have. */
const generic = (chance: Chance): Node => {
  const id = Buffer.alloc(16, chance.below(4));
  return chance.weighted<() => Node>([
    [3, () => document('lsid', [binary('id', chance.pick([4, 4, 4, 0]), id)])],
    [2, () => int64('txnNumber', BigInt(chance.below(4) - 1))],
    [1, () => bool('autocommit', chance.yes(0.3))],
    [1, () => bool('startTransaction', chance.yes(0.8))],
    [1, () => int32('stmtId', chance.below(3))],
    [
      1,
      () =>
        document('readConcern', [text('level', chance.pick(['local', 'majority', 'snapshot', 'linearizable', 'x']))]),
    ],
    [
      1,
      () =>
        document('writeConcern', [
          chance.yes(0.5) ? text('w', 'majority') : numberOf(chance, 'w'),
          int32('wtimeout', 5),
        ]),
    ],
    [1, () => numberOf(chance, chance.pick(['maxTimeMS', 'maxAwaitTimeMS', 'batchSize', 'limit', 'skip']))],
    [
      1,
      () =>
        document('collation', [
          text('locale', chance.pick(['en', 'de', 'simple', 'xx', ''])),
          numberOf(chance, 'strength'),
        ]),
    ],
    [1, () => text('apiVersion', chance.pick(['1', '2', '']))],
    [1, () => document('let', [valueOf(chance, chance.pick(['x', 'this', 'X', '']))])],
    [1, () => valueOf(chance, chance.pick(fields), 2)],
    [1, () => pipelineOf(chance, 'pipeline')],
    [1, () => document('$readPreference', [text('mode', chance.pick(['primary', 'secondary', 'x']))])],
    [1, () => document('cursor', [numberOf(chance, 'batchSize')])],
  ])();
};

type Change = (chance: Chance, node: Node, other: Nodes) => Nodes;

const wrapped = (chance: Chance, node: Node): Node => {
  const inner = { ...node, name: chance.pick([...operators, 'a']) };
  return chance.yes(0.5) ? document(node.name, [inner]) : array(node.name, [inner]);
};

const changes: readonly (readonly [weight: number, change: Change])[] = [
  [8, (chance, node) => [valueOf(chance, node.name)]],
  [3, (chance, node) => [operated(chance, node.name, 2)]],
  [3, (chance, node) => [numberOf(chance, node.name)]],
  [2, (chance, node) => [pipelineOf(chance, node.name)]],
  [0.7, (chance, node) => [{ ...node, type: chance.pick(types) }]],
  [3, (chance, node) => [{ ...node, name: chance.pick(chance.yes(0.5) ? fields : operators) }]],
  [2, () => []],
  [2, (_chance, node) => [node, node]],
  [3, (chance, node, other) => [{ ...nodeAt(other, chance.below(sizeOf(other))), name: node.name }]],
  [2, (chance, node, other) => [node, nodeAt(other, chance.below(sizeOf(other)))]],
  [2, (chance, node) => [wrapped(chance, node)]],
  [1, (chance, node) => [nested(node.name, chance.pick([90, 150, 199, 250, 5_000]))]],
  [
    1,
    (chance, node) =>
      isContainer(node.value)
        ? [{ ...node, lie: chance.pick([-5, -1, 1, 4, 1_000, -100_000, 0x7fff_0000]) }]
        : [{ ...node, value: node.value.subarray(chance.below(node.value.length + 1)) }],
  ],
  [
    1,
    (chance, node) => {
      if (isContainer(node.value)) return [{ ...node, value: [...node.value].reverse() }];
      const bytes = Buffer.from(node.value);
      if (bytes.length > 0) bytes[chance.below(bytes.length)] = chance.below(256);
      return [{ ...node, value: bytes }];
    },
  ],
];

/** Returns the depth of each node in document order. */
const depthsOf = (nodes: Nodes, depth = 0): readonly number[] =>
  nodes.flatMap(({ value }) => [depth, ...(isContainer(value) ? depthsOf(value, depth + 1) : [])]);

/** Picks a node. Most are below the top-level fields of a command, which the server parses first. */
const placeIn = (chance: Chance, nodes: Nodes): number => {
  const depths = depthsOf(nodes);
  const deep = depths.flatMap((depth, at) => (depth > 0 ? [at] : []));
  return deep.length > 0 && chance.yes(0.8) ? chance.pick(deep) : chance.below(depths.length);
};

const changedOnce = (chance: Chance, nodes: Nodes, other: Nodes): Nodes => {
  const [first, ...rest] = nodes;
  if (first !== undefined && chance.yes(0.04)) return [{ ...first, name: chance.pick(commands) }, ...rest];
  if (first === undefined || chance.yes(0.1)) return [...nodes, generic(chance)];
  const change = chance.weighted(changes);
  return replaced(nodes, placeIn(chance, nodes), node => change(chance, node, other));
};

/** Usually makes one or two changes, and sometimes many. */
export const mutateNodes = (chance: Chance, nodes: Nodes, other: Nodes): Nodes => {
  const times = chance.weighted([
    [6, 1],
    [3, 2],
    [1, 5],
    [0.3, 15],
  ]);
  let result = nodes;
  for (let i = 0; i < times; i++) result = changedOnce(chance, result, other);
  return result;
};
