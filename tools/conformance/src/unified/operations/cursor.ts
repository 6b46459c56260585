import type { Document } from '@tessera/contracts';
import { CursorEntity } from '../cursor-entity.js';
import { call } from '../facade.js';
import { row } from './table.js';
import type { Table } from './table.js';

/** Opens a cursor, which sends its command. */
export const opened = async (cursor: unknown): Promise<CursorEntity> => {
  const entity = new CursorEntity(cursor as object);
  await entity.open();
  return entity;
};

/** Sets options of `getMore` on cursors that have methods for them. */
export const withSetters = (cursor: unknown, { batchSize, maxTimeMS, comment }: Document): unknown => {
  const set = (name: string, value: unknown): void => {
    const method: unknown = Reflect.get(cursor as object, name);
    if (value !== undefined && typeof method === 'function') method.call(cursor, value);
  };
  set('setBatchSize', batchSize);
  set('setMaxTimeMS', maxTimeMS);
  set('setComment', comment);
  return cursor;
};

/** Opens a change stream, which sends its command. */
export const watched = async (stream: unknown): Promise<CursorEntity> => {
  await call(stream as object, 'open');
  return new CursorEntity(stream as object);
};

export const onCursors: Table<CursorEntity> = {
  close: row('', '', (cursor, _, options) => cursor.close(options)),
  iterateOnce: row('', '', cursor => cursor.once()),
  iterateUntilDocumentOrError: row('', '', cursor => cursor.untilDocument()),
};
