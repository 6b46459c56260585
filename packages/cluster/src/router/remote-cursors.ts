import { isDoc } from '@tessera/mql/engine';
import type { Call, Cursor, Fields } from '@tessera/server/parts';
import { Batches, keyOf, listed } from '@tessera/server/parts';
import type { Shard, ShardServer } from './shard.js';

/** The origin of a cursor's documents. */
export interface Remote {
  readonly shard: Pick<Shard, 'name'>;
  readonly member: ShardServer;
  readonly id: bigint;
}

/** The cursors of a mongos that each represent a cursor of a shard. They have ids of their own. */
export class RemoteCursors {
  readonly #remotes = new WeakMap<Cursor, Remote>();

  of(cursor: Cursor): Remote | undefined {
    return this.#remotes.get(cursor);
  }

  /** Replaces the cursor id in a shard's reply if the cursor is open. */
  relay(call: Call, fields: Fields, at: Omit<Remote, 'id'>): Fields {
    return fields.map(([name, value]) => {
      const id = name === 'cursor' && isDoc(value) ? value.get('id') : undefined;
      if (typeof id !== 'bigint' || id === 0n || !isDoc(value)) return [name, value];
      const ns = value.get('ns');
      const cursor = call.engine.cursors.open({
        ns: typeof ns === 'string' ? ns : call.db,
        users: call.client.login.users.map(keyOf),
        session: call.session,
        txnNumber: call.generic.transaction === undefined ? undefined : call.generic.txnNumber,
        batches: new Batches(listed([])),
        tail: undefined,
        isStream: value.has('postBatchResumeToken'),
        noTimeout: call.body.get('noCursorTimeout') === true,
        timeLeft: call.deadline - call.engine.clock.now(),
      });
      this.#remotes.set(cursor, { ...at, id });
      return [name, value.with('id', cursor.id)];
    });
  }
}
