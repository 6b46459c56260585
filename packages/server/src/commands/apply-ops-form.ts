/** The form of `applyOps`, which determines the privileges that it needs. */
import type { Value } from '@tessera/mql/engine';
import { BinaryValue, Doc, fail, isArray, isDoc, isSet, typeName } from '@tessera/mql/engine';

/** The privileges that a command needs beside those of its operations, in increasing order. */
export const demands = ['nothing', 'useUUID', 'forceUUID', 'everything'] as const;
export type Demand = (typeof demands)[number];

const mostNested = 10;

/** @throws CommandError 10065 for a missing value, 13111 for a value of another type */
const wrong = (name: string, value: Value | undefined, expected: string): Error =>
  fail(
    value === undefined ? 10065 : 13111,
    `Wrong type for field (${name}) ${value === undefined ? 'missing' : typeName(value)} != ${expected}`,
  );

const docIn = (op: Doc, name: string): Doc => {
  const value = op.get(name);
  if (!isDoc(value)) throw wrong(name, value, 'object');
  return value;
};

/** Returns the operations of an `applyOps`. @throws CommandError 10065, 13111 */
export const operationsIn = (body: Doc): readonly Doc[] => {
  const [name, list] = body.entries()[0]!;
  if (!isArray(list)) throw wrong(name, list, 'array');
  return list.map((op, i) => {
    if (!isDoc(op)) throw wrong(String(i), op, 'object');
    return op;
  });
};

/** Returns the command of an operation `c`, or undefined for another operation. @throws CommandError 10065, 13111 */
export const commandIn = (op: Doc): Doc | undefined => {
  const kind = op.get('op');
  if (typeof kind !== 'string') throw wrong('op', kind, 'string');
  return kind === 'c' ? docIn(op, 'o') : undefined;
};

/** Returns the name of a command as an operation has it. */
export const nameOfCommand = (command: Doc | undefined): string | undefined => command?.keys()[0];

/** Whether updates of missing documents insert them: the option `alwaysUpsert`. */
export const upsertsIn = (body: Doc): boolean => !body.has('alwaysUpsert') || isSet(body.get('alwaysUpsert'));

const hasUuid = (doc: Doc): boolean =>
  doc.entries().some(([, value]) => value instanceof BinaryValue && value.subtype === 4);

const demandOfOne = (op: Doc, isAlone: boolean): Demand => {
  const command = commandIn(op);
  const name = nameOfCommand(command);
  if (op.has('versionContext')) return 'everything';
  if (!isAlone && (name === 'create' || name === 'renameCollection')) return 'everything';
  if (!hasUuid(op) && (command === undefined || !hasUuid(command))) return 'nothing';
  return name === 'create' ? 'forceUUID' : 'useUUID';
};

/**
 * Checks the form of an `applyOps`, also of those within it, and returns the greatest demand of its operations.
 * @throws CommandError 10065, 13111 for another form, 9 for too many nested commands, 9585500, 10296501
 */
export const demandOf = (body: Doc, depth = 0): Demand => {
  const ops = operationsIn(body);
  if (ops.length === 0) return 'everything';
  const found = ops.map((op): Demand => {
    const command = commandIn(op);
    const name = nameOfCommand(command);
    if (depth > 0 && op.has('versionContext'))
      throw fail(10296501, 'versionContext is not allowed inside nested applyOps');
    if (depth > 0 && name === 'dropDatabase') throw fail(9585500, 'dropDatabase is not allowed inside nested applyOps');
    const own = demandOfOne(op, ops.length === 1);
    if (name !== 'applyOps') return own;
    if (depth >= mostNested) throw fail('FailedToParse', 'Too many nested applyOps');
    const inner = demandOf(command!, depth + 1);
    return demands.indexOf(inner) > demands.indexOf(own) ? inner : own;
  });
  return demands[Math.max(...found.map(demand => demands.indexOf(demand)))]!;
};
