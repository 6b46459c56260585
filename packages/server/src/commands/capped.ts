import type { Soon } from '@tessera/contracts';
import type { BinaryValue, Pieces, Version } from '@tessera/mql/engine';
import { Doc, detached, fail, isAtLeast, isDue, pause } from '@tessera/mql/engine';
import type { Collection } from '@tessera/store';
import { emptyCollection } from '@tessera/store';
import type { Draft } from '../engine/database.js';
import { insertInto } from '../engine/writer.js';
import type { Call, Command, Fields } from './command.js';
import { checkNamespace, command, namespaceOf } from './command.js';
import { integer, required, string } from './schema.js';
import { changeInTurns } from './turns.js';

/** Checks the size of a capped collection. Servers before 6.2 round it up to a multiple of 256 bytes. */
export const cappedSize = (size: number, version: Version): number => {
  if (size > 2 ** 50) throw fail('BadValue', 'Cannot convert a collection to one of more than 1 PB');
  return isAtLeast(version, '6.2') ? size : Math.ceil(size / 256) * 256;
};

interface Copy {
  readonly ns: string;
  readonly uuid: BinaryValue;
  readonly size: number;
}

/**
 * Creates a capped collection with the newest documents of another one, and without indexes other than that on `_id`.
 */
const copied = function* (draft: Draft, source: Collection, { ns, uuid, size }: Copy): Pieces<void> {
  const options = Doc.of([
    ['capped', true],
    ['size', size],
  ]);
  const made = emptyCollection({
    ...source.settings,
    ...{ ns, uuid },
    options: detached(options),
    capped: { size, max: Number.POSITIVE_INFINITY },
  });
  draft.create(made);
  let collection = made;
  for (const [, doc] of source.records) {
    if (isDue()) yield pause;
    collection = insertInto(draft, collection, doc, { unchecked: true });
  }
};

const sourceOf = (draft: Draft, ns: string): Collection => {
  const source = draft.collection(ns);
  if (source === undefined) throw fail('NamespaceNotFound', `source collection ${ns} does not exist`);
  return source;
};

function* converted({ engine }: Call, draft: Draft, ns: string, size: number): Pieces<void> {
  const source = sourceOf(draft, ns);
  draft.drop(ns);
  yield* copied(draft, source, { ns, uuid: engine.newUuid(), size: cappedSize(size, engine.version) });
}

const convertToCapped = command({
  name: 'convertToCapped',
  schema: { size: required(integer(1)) },
  writeConcern: true,
  help: 'Converts a collection to a capped one.',
  run: (call, { size }): Soon<Fields> => {
    const ns = namespaceOf(call);
    if (ns.endsWith('.system.profile')) throw fail('BadValue', `Cannot convert ${ns} to a capped collection`);
    const done = changeInTurns(call, 'convertToCapped', draft => converted(call, draft, ns, size));
    const ended = (): Fields => {
      call.engine.cursors.invalidateOn(ns);
      return [];
    };
    return done instanceof Promise ? done.then(ended) : ended();
  },
});

function* cloned(draft: Draft, from: string, copy: Copy): Pieces<Fields> {
  const source = sourceOf(draft, from);
  if (draft.get(copy.ns) !== undefined)
    throw fail(
      'NamespaceExists',
      `cloneCollectionAsCapped failed - destination collection ${copy.ns} already exists. source collection: ${from}`,
    );
  yield* copied(draft, source, copy);
  return [];
}

const cloneCollectionAsCapped = command({
  name: 'cloneCollectionAsCapped',
  schema: { toCollection: required(string()), size: required(integer(1)) },
  writeConcern: true,
  help: 'Copies a collection into a new capped one.',
  run: (call, { toCollection, size }): Soon<Fields> => {
    const from = namespaceOf(call);
    const ns = checkNamespace(call.db, toCollection);
    return changeInTurns(call, 'cloneCollectionAsCapped', draft =>
      cloned(draft, from, { ns, uuid: call.engine.newUuid(), size: cappedSize(size, call.engine.version) }),
    );
  },
});

export const cappedCommands: readonly Command[] = [convertToCapped, cloneCollectionAsCapped];
