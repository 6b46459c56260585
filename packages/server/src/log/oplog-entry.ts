import type { Entry as Field } from '@tessera/mql/engine';
import { DateValue, Doc, equal } from '@tessera/mql/engine';
import { dbOf, nameOf } from '@tessera/store';
import type { Entry } from './entry.js';
import { stepsOf } from './step.js';
import type { Step } from './step.js';
import type { Op } from './op.js';

/**
 * Returns the smallest difference between two documents in mongod's oplog format: the removed, changed and added
 * fields.
 */
const difference = (before: Doc, after: Doc): Doc => {
  const removed = before.keys().filter(name => !after.has(name));
  const changed = after.entries().filter(([name, value]) => before.has(name) && !equal(before.get(name), value));
  const added = after.entries().filter(([name]) => !before.has(name));
  const parts: readonly Field[] = [
    ['d', Doc.of(removed.map(name => [name, false]))],
    ['u', Doc.of(changed)],
    ['i', Doc.of(added)],
  ];
  return Doc.of(parts.filter(([, part]) => (part as Doc).size > 0));
};

const idOf = (doc: Doc): Doc => Doc.of(doc.entries().filter(([name]) => name === '_id'));

/** Returns the fields of an entry for a command. */
const command = (ns: string, fields: readonly Field[], more: readonly Field[] = []): readonly Field[] => [
  ['op', 'c'],
  ['ns', `${dbOf(ns)}.$cmd`],
  ...more,
  ['o', Doc.of(fields)],
];

const onDocument = (op: string, { ns, uuid }: Extract<Op, { readonly uuid: unknown }>): readonly Field[] => [
  ['op', op],
  ['ns', ns],
  ['ui', uuid],
];

const note = (ns: string, fields: readonly Field[]): readonly Field[] => [
  ['op', 'n'],
  ['ns', ns],
  ['o', Doc.of(fields)],
];

const single = (op: Op): readonly Field[] => {
  switch (op.kind) {
    case 'insert':
      return [...onDocument('i', op), ['o', op.doc], ['o2', idOf(op.doc)]];
    case 'update': {
      const { before, after, change } = op;
      const how: readonly Field[] = [
        ['$v', 2],
        ['diff', difference(before, after)],
      ];
      return [...onDocument('u', op), ['o', change.by === 'replacement' ? after : Doc.of(how)], ['o2', idOf(after)]];
    }
    case 'delete':
      return [...onDocument('d', op), ['o', idOf(op.before)]];
    case 'create': {
      const { ns, made } = op;
      const ui: readonly Field[] = made.uuid === undefined ? [] : [['ui', made.uuid]];
      return command(ns, [['create', nameOf(ns)], ...made.options.entries()], ui);
    }
    case 'drop':
      return command(op.ns, [['drop', nameOf(op.ns)]], op.dropped.uuid === undefined ? [] : [['ui', op.dropped.uuid]]);
    case 'rename': {
      const dropTarget = op.dropped?.uuid ?? false;
      return command(op.ns, [
        ['renameCollection', op.ns],
        ['to', op.to],
        ['stayTemp', false],
        ['dropTarget', dropTarget],
      ]);
    }
    case 'dropDatabase':
      return command(`${op.db}.`, [['dropDatabase', 1]]);
    case 'createIndexes':
    case 'dropIndexes': {
      const specs = op.specs.flatMap(spec =>
        op.kind === 'dropIndexes' ? [['index', spec.get('name')!] as const] : spec.entries(),
      );
      return command(op.ns, [[op.kind, nameOf(op.ns)], ...specs], [['ui', op.uuid]]);
    }
    case 'shardCollection':
      return note(op.ns, [['shardCollection', op.ns], ...op.description.entries()]);
    case 'modify':
      return command(op.ns, [['collMod', nameOf(op.ns)], ...op.change.entries()]);
    case 'noop':
      return note('', [['msg', op.message]]);
  }
};

/** Splits an operation on several indexes into one per index. */
const singles = (op: Op): readonly Op[] =>
  op.kind === 'createIndexes' || op.kind === 'dropIndexes' ? op.specs.map(spec => ({ ...op, specs: [spec] })) : [op];

const applied = (ops: readonly Op[]): readonly Field[] =>
  ops.length === 1 ? single(ops[0]!) : command('admin.', [['applyOps', ops.map(op => Doc.of(single(op)))]]);

const documentOf = ({ ts, ops }: Step, { at, wall, author, transaction }: Entry): Doc => {
  const all = ops.flatMap(singles);
  const fields = transaction ? command('admin.', [['applyOps', all.map(op => Doc.of(single(op)))]]) : applied(all);
  return Doc.of([
    ...(author === undefined
      ? []
      : ([
          ['lsid', author.lsid],
          ['txnNumber', author.txnNumber],
        ] as const)),
    ...fields,
    ['ts', ts],
    ['t', at.term],
    ['v', 2n],
    ['wall', new DateValue(wall)],
  ]);
};

/**
 * Returns a commit as documents of `local.oplog.rs`, one per step. A step with several operations is an `applyOps`
 * command.
 */
export const oplogDocuments = (entry: Entry): readonly Doc[] =>
  [...stepsOf(entry)].map(step => documentOf(step, entry));
