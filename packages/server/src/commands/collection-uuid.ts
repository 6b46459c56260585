import type { Value } from '@tessera/mql/engine';
import { BinaryValue, CommandError, compare, fail, inOneGo, typeName } from '@tessera/mql/engine';
import { dbOf, nameOf, isView, namespacesOf } from '@tessera/store';
import type { Call, Command, Fields, Reply } from './command.js';
import { checkNamespace, valueOf } from './command.js';
import type { Field } from './schema.js';
import { since, wrongType } from './schema.js';
import { eachStatement, writeReply } from './write-batch.js';

export const isUuid = (value: Value | undefined): value is BinaryValue =>
  value instanceof BinaryValue && value.subtype === 4;

/** The field `collectionUUID`: the UUID that the command expects its collection to have. */
export const collectionUUID: Field<BinaryValue | undefined> = since('6.0', {
  types: [],
  read: (value, scope, name) => {
    if (isUuid(value)) return value;
    if (value === null || typeName(value) === 'undefined') return undefined;
    throw wrongType(`${scope}.${name}`, value, ['binData']);
  },
  isRequired: false,
  since: undefined,
});

/** @throws CommandError 361 if the namespace is not a collection with the UUID */
export const checkUuid = (call: Call, ns: string, uuid: BinaryValue): void => {
  const value = valueOf(call);
  const found = value.namespaces.get(ns);
  if (found !== undefined && !isView(found) && compare(found.settings.uuid, uuid) === 0) return;
  const owner = namespacesOf(value, dbOf(ns)).find(one => !isView(one) && compare(one.settings.uuid, uuid) === 0);
  throw fail('CollectionUUIDMismatch', 'Collection UUID does not match that specified', [
    ['db', dbOf(ns)],
    ['collectionUUID', uuid],
    ['expectedCollection', nameOf(ns)],
    ['actualCollection', owner === undefined ? null : nameOf(owner.settings.ns)],
  ]);
};

/**
 * Checks the UUID that a command gives for its collection. Returns the reply of a write that the check refuses: each
 * statement fails.
 * @throws CommandError 361
 */
export const refusedByUuid = (
  call: Call,
  { name }: Command,
  args: Readonly<Record<string, unknown>>,
): Fields | Reply | undefined => {
  const uuid = args['collectionUUID'];
  if (!(uuid instanceof BinaryValue) || call.server.role.kind === 'mongos' || typeof call.target !== 'string')
    return undefined;
  const ns = name === 'renameCollection' ? call.target : checkNamespace(call.db, call.target);
  try {
    checkUuid(call, ns, uuid);
    return undefined;
  } catch (error) {
    const statements = args['documents'] ?? args['updates'] ?? args['deletes'];
    if (!(error instanceof CommandError) || !Array.isArray(statements)) throw error;
    const failing = eachStatement(call, statements, args['ordered'] as boolean | undefined, () => {
      throw error;
    });
    const errors = inOneGo(failing);
    return writeReply(0, errors, name === 'update' ? [['nModified', 0]] : []);
  }
};
