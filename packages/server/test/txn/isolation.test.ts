import type { Document } from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Client } from '../client.js';
import { all, Session, set } from './session.js';

type Docs = ReadonlyMap<number, Document>;

/** The snapshot and the writes of one open transaction of the model. */
interface Open {
  readonly base: Docs;
  readonly view: Map<number, Document>;
  readonly written: Set<number>;
}

/**
 * A model of snapshot isolation: a write fails if the document was written by another open transaction, or since the
 * snapshot.
 */
class Model {
  committed: Docs = new Map();
  readonly open = new Map<number, Open>();

  #at(sessionId: number): Open {
    const known = this.open.get(sessionId);
    if (known !== undefined) return known;
    const begun: Open = { base: this.committed, view: new Map(this.committed), written: new Set() };
    this.open.set(sessionId, begun);
    return begun;
  }

  read(sessionId: number): readonly Document[] {
    return sorted(this.#at(sessionId).view);
  }

  /** Writes a document in a transaction, or returns `conflict` and ends the transaction. */
  write(sessionId: number, id: number, doc: Document | undefined): 'done' | 'conflict' {
    const mine = this.#at(sessionId);
    const others = [...this.open].some(([one, { written }]) => one !== sessionId && written.has(id));
    if (others || this.committed.get(id) !== mine.base.get(id)) {
      this.open.delete(sessionId);
      return 'conflict';
    }
    mine.written.add(id);
    if (doc === undefined) mine.view.delete(id);
    else mine.view.set(id, doc);
    return 'done';
  }

  commit(sessionId: number): void {
    const { view, written } = this.open.get(sessionId)!;
    const next = new Map(this.committed);
    for (const id of written) {
      const doc = view.get(id);
      if (doc === undefined) next.delete(id);
      else next.set(id, doc);
    }
    this.committed = next;
    this.open.delete(sessionId);
  }

  has(sessionId: number, id: number): boolean {
    return (this.open.get(sessionId)?.view ?? this.committed).has(id);
  }
}

const sorted = (docs: Docs): readonly Document[] => [...docs].sort(([a], [b]) => a - b).map(([, doc]) => doc);

const sessionId = fc.integer({ min: 1, max: 3 });
const id = fc.integer({ min: 0, max: 4 });

const step = fc.oneof(
  fc.record({ kind: fc.constant('read' as const), sessionId }),
  fc.record({ kind: fc.constantFrom('put' as const, 'remove' as const), sessionId, id }),
  fc.record({ kind: fc.constantFrom('commit' as const, 'abort' as const), sessionId }),
  fc.record({ kind: fc.constant('outside' as const), id }),
);

test('three sessions with random reads and writes see what snapshot isolation allows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 50 }), async steps => {
      const { client, server } = set();
      await client.plain({ createIndexes: 'c', indexes: [{ key: { n: 1 }, name: 'n_1', unique: true }] });
      const model = new Model();
      const sessions = new Map([1, 2, 3].map(n => [n, new Session(client, n)]));
      const session = (n: number): Session => {
        const one = sessions.get(n)!;
        return model.open.has(n) ? one : one.start();
      };
      let n = 0;
      for (const one of steps) {
        n += 1;
        switch (one.kind) {
          case 'read': {
            const speaking = session(one.sessionId);
            const { cursor } = await speaking.run({ find: 'c', sort: { _id: 1 } });
            expect(cursor.firstBatch).toEqual(model.read(one.sessionId));
            break;
          }
          case 'put':
          case 'remove': {
            const speaking = session(one.sessionId);
            if (!model.has(one.sessionId, one.id) && one.kind === 'remove') {
              await speaking.run({ delete: 'c', deletes: [{ q: { _id: one.id }, limit: 1 }] });
              model.read(one.sessionId);
              break;
            }
            const doc = { _id: one.id, n };
            const isNew = !model.has(one.sessionId, one.id);
            const command =
              one.kind === 'remove'
                ? { delete: 'c', deletes: [{ q: { _id: one.id }, limit: 1 }] }
                : isNew
                  ? { insert: 'c', documents: [doc] }
                  : { update: 'c', updates: [{ q: { _id: one.id }, u: { $set: { n } } }] };
            const expected = model.write(one.sessionId, one.id, one.kind === 'remove' ? undefined : doc);
            expect(await speaking.refusal(command)).toBe(
              expected === 'done' ? 'none' : '112 TransientTransactionError',
            );
            break;
          }
          case 'commit':
            if (!model.open.has(one.sessionId)) break;
            expect(await session(one.sessionId).commit()).toMatchObject({ ok: 1 });
            model.commit(one.sessionId);
            break;
          case 'abort':
            if (!model.open.has(one.sessionId)) break;
            expect(await session(one.sessionId).abort()).toMatchObject({ ok: 1 });
            model.open.delete(one.sessionId);
            break;
          case 'outside': {
            if ([...model.open.values()].some(({ written }) => written.has(one.id))) break;
            const doc = { _id: one.id, n };
            await client.plain({ update: 'c', updates: [{ q: { _id: one.id }, u: doc, upsert: true }] });
            model.committed = new Map([...model.committed, [one.id, doc]]);
            break;
          }
        }
        expect(await all(client)).toEqual(sorted(model.committed));
      }
      await client.plain({ killAllSessions: [] });
      expect(await client.plain({ validate: 'c' })).toMatchObject({ valid: true });
      await server.close();
    }),
    { numRuns: 25 },
  );
}, 30_000);

test('concurrent transactions that increment and retry after conflicts lose no increment', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ sessionId, id }), { minLength: 20, maxLength: 60 }), async adds => {
      const { client, server } = set();
      await client.plain({ insert: 'c', documents: [0, 1, 2, 3, 4].map(_id => ({ _id, n: 0 })) });
      let committed = 0;
      const work = async (mine: typeof adds, n: number): Promise<void> => {
        const session = new Session(new Client(server), n);
        for (const { id: first } of mine) {
          for (;;) {
            session.start();
            const results: unknown[] = [];
            for (const _id of [first, (first + 1) % 5]) {
              results.push(await session.refusal({ update: 'c', updates: [{ q: { _id }, u: { $inc: { n: 1 } } }] }));
              if (results.at(-1) !== 'none') break;
            }
            if (results.some(result => result !== 'none')) continue;
            expect(await session.commit()).toMatchObject({ ok: 1 });
            committed += 2;
            break;
          }
        }
      };
      await Promise.all(
        [1, 2, 3].map(n =>
          work(
            adds.filter(add => add.sessionId === n),
            n,
          ),
        ),
      );
      const docs = (await all(client)) as readonly { readonly n: number }[];
      expect(docs.reduce((sum, doc) => sum + doc.n, 0)).toBe(committed);
      expect(committed).toBe(2 * adds.length);
      await server.close();
    }),
    { numRuns: 12 },
  );
}, 30_000);
