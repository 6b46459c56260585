import type { Document } from 'bson';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Client, Reply } from '../client.js';
import { settled } from '../client.js';
import type { Members } from '../../../cluster/test/cluster/members.js';
import { members } from '../../../cluster/test/cluster/members.js';
import { Session, transient } from './session.js';

const accounts = [0, 1, 2, 3];

const majority = { w: 'majority' };

const labelled = (reply: Document, label: string): boolean =>
  ((reply['errorLabels'] ?? []) as readonly string[]).includes(label);

/**
 * Moves money between accounts and records each move, in transactions that it retries like a driver until each is
 * committed.
 */
class Teller {
  /** The moves whose commit a majority acknowledged. */
  readonly done: string[] = [];
  readonly #set: Members;
  readonly #n: number;
  #session: Session;
  #client: Client;

  constructor(set: Members, n: number) {
    this.#set = set;
    this.#n = n;
    this.#client = set.connect(0);
    this.#session = new Session(this.#client, n);
  }

  /** Runs one transaction without its commit. @throws Error if the connection breaks */
  async #once(from: number, to: number, note: string): Promise<'done' | 'again'> {
    const session = this.#session.start();
    for (const command of [
      { update: 'accounts', updates: [{ q: { _id: from }, u: { $inc: { money: -1 } } }] },
      { update: 'accounts', updates: [{ q: { _id: to }, u: { $inc: { money: 1 } } }] },
      { insert: 'moves', documents: [{ _id: note }] },
    ]) {
      const { ok } = await session.run(command);
      if (ok !== 1) return 'again';
    }
    return 'done';
  }

  /** Retries the commit until its outcome is known. */
  async #commit(): Promise<'done' | 'again'> {
    for (;;) {
      const reply = await this.#attempt(() => this.#session.commit({ writeConcern: majority }));
      if (reply === undefined) continue;
      if (reply.ok === 1 && !('writeConcernError' in reply)) return 'done';
      if (labelled(reply, transient)) return 'again';
      await this.#reconnect();
    }
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch {
      await this.#reconnect();
      return undefined;
    }
  }

  /** Connects to the current primary. */
  async #reconnect(): Promise<void> {
    await this.#set.clock.sleep(200);
    const { primary } = this.#set;
    if (primary === undefined) return;
    this.#client = this.#set.connect(this.#set.members.indexOf(primary));
    this.#session = this.#session.on(this.#client);
  }

  async move(from: number, to: number): Promise<void> {
    const note = `${this.#n}: ${this.done.length}`;
    for (;;) {
      const outcome = await this.#attempt(() => this.#once(from, to, note));
      if (outcome === 'done' && (await this.#commit()) === 'done') {
        this.done.push(note);
        return;
      }
      await this.#reconnect();
    }
  }
}

type Event = 'step down' | 'crash' | 'part' | 'heal';

const happen = async (set: Members, event: Event, member: number): Promise<void> => {
  switch (event) {
    case 'step down':
      await set.stepDown().catch(() => undefined);
      return;
    case 'crash':
      if (set.members.some(({ state }) => state === 'down')) return;
      set.crash(member);
      await set.clock.sleep(3_000);
      await set.restart(member);
      return;
    case 'part':
      set.partition(
        [member],
        [0, 1, 2].filter(one => one !== member),
      );
      return;
    case 'heal':
      set.heal();
  }
};

const contents = async (client: Client, name: string): Promise<Reply['cursor']['firstBatch']> => {
  const $readPreference = { mode: 'nearest' };
  return (await client.plain({ find: name, sort: { _id: 1 }, batchSize: 10_000, $readPreference })).cursor.firstBatch;
};

const event = fc.record({
  what: fc.constantFrom<Event>('step down', 'crash', 'part', 'heal'),
  member: fc.integer({ min: 0, max: 2 }),
  pause: fc.integer({ min: 100, max: 3_000 }),
});

test('after any failures of members, each majority-committed transaction is present once and completely', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 2, maxLength: 6 }), async events => {
      const set = members(3);
      const documents = accounts.map(_id => ({ _id, money: 100 }));
      await set.clients[0]!.plain({ insert: 'accounts', documents });
      await set.clients[0]!.plain({ create: 'moves' });
      // A latency makes failures hit commits that are in progress.
      set.latency(40);
      const tellers = [1, 2].map(n => new Teller(set, n));
      let busy = true;
      const work = tellers.map(async (teller, i) => {
        for (let n = 0; n < 8; n++) {
          await teller.move((n + i) % 4, (n + 2 * i + 1) % 4);
          await set.clock.sleep(300);
        }
      });
      const trouble = (async () => {
        for (const { what, member, pause } of events) {
          await set.clock.sleep(pause);
          await happen(set, what, member);
        }
        set.heal();
      })();
      const all = Promise.all([...work, trouble]).then(() => {
        busy = false;
      });
      for (let turns = 0; busy; turns++) {
        if (turns > 10_000) throw new Error('The tellers did not finish within 10,000 turns.');
        await set.clock.advance(20);
      }
      await all;
      set.latency(0);
      await set.clock.advance(30_000);
      await settled();
      const noted = tellers.flatMap(({ done }) => done).sort();
      for (const place of [0, 1, 2]) {
        const client = set.connect(place);
        const money = await contents(client, 'accounts');
        expect(money.reduce((sum, one) => sum + (one['money'] as number), 0)).toBe(400);
        expect((await contents(client, 'moves')).map(({ _id }) => _id)).toEqual(noted);
      }
      await set.close();
    }),
    { numRuns: 15 },
  );
}, 60_000);
