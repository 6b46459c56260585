import { Long } from 'bson';
import type { Document } from 'bson';
import type { ServerOptions } from '../../src/index.js';
import type { Row, World } from '../client.js';
import { msgOf, settled, world } from '../client.js';

/** Returns a replica set with one member, whose clock a test advances. */
export const set = (options: ServerOptions = {}): World => world({ replicaSet: 'rs0', testCommands: true, ...options });

interface Cursor {
  readonly id: unknown;
  readonly ns: string;
  readonly firstBatch: readonly Row[];
  readonly nextBatch: readonly Row[];
  readonly postBatchResumeToken: Document;
}

export interface Watched {
  /** The events of the first batch. */
  readonly first: readonly Row[];
  readonly id: Long;
  /** `postBatchResumeToken` of the last reply. */
  token: Document;
  /** Whether the cursor is open. */
  open: boolean;
  /** Returns the next batch. The getMore waits for at most 1 ms. */
  more(options?: Document): Promise<readonly Row[]>;
  /** Returns the error reply to the next getMore. */
  failure(): Promise<Document>;
}

export interface Where {
  readonly db?: string;
  /** A collection name, or 1 for all collections of the database. */
  readonly of?: string | 1;
  readonly pipeline?: readonly Document[];
  readonly cursor?: Document;
  /** Further fields of the aggregate command. */
  readonly more?: Document;
}

const commandOf = (options: unknown, { of = 'c', pipeline = [], cursor = {}, more = {} }: Where): Document => ({
  aggregate: of,
  pipeline: [{ $changeStream: options }, ...pipeline],
  cursor,
  ...more,
});

/** Opens a change stream. Throws if the server rejects it. */
export const watch = async ({ client, clock }: World, options: Document = {}, where: Where = {}): Promise<Watched> => {
  const db = where.db ?? 'db';
  const reply = await client.plain(commandOf(options, where), db);
  if (reply.ok !== 1) throw new Error(`${reply.code} ${reply.errmsg}`);
  const { id: given, ns, firstBatch, postBatchResumeToken } = reply.cursor as unknown as Cursor;
  const id = Long.fromValue(given as number);
  const getMore = async (more: Document): Promise<Document> => {
    const collection = ns.slice(ns.indexOf('.') + 1);
    const answer = client.plain({ getMore: id, collection, maxTimeMS: 1, ...more }, db);
    await settled();
    await clock.advance(1);
    return answer;
  };
  const watched: Watched = {
    first: firstBatch,
    id,
    token: postBatchResumeToken,
    open: !id.isZero(),
    more: async (more = {}) => {
      const next = await getMore(more);
      if (next['ok'] !== 1) throw new Error(`${next['code']} ${next['errmsg']}`);
      const cursor = next['cursor'] as Cursor;
      watched.token = cursor.postBatchResumeToken;
      watched.open = !Long.fromValue(cursor.id as number).isZero();
      return cursor.nextBatch;
    },
    failure: () => getMore({}),
  };
  return watched;
};

/** Opens a change stream that must fail, and returns its error. */
export const refusal = ({ client }: World, options: unknown, where: Where = {}): Promise<string> =>
  client.refusal(commandOf(options, where), where.db ?? 'db');

/** Returns the `operationType` of each event. */
export const kinds = (events: readonly Row[]): readonly unknown[] => events.map(event => event['operationType']);

/** Sends a getMore without waiting for its reply. */
export const awaitMore = ({ client }: World, { id }: Watched, more: Document = {}): void => {
  client.send(msgOf(client.nextId(), { getMore: id, collection: 'c', $db: 'db', ...more }));
};
