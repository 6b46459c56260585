import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Client, Reply } from '../../../server/test/client.js';
import { settled } from '../../../server/test/client.js';
import { Session, transient } from '../../../server/test/txn/session.js';
import type { House } from './house.js';
import { house } from './house.js';

/** Accounts on the first shard, and on the second. */
const accounts = [0, 1, 2, 3].map(_id => ({ _id, money: 100 }));

const majority = { w: 'majority' };

const sumOf = (rows: Reply['cursor']['firstBatch']): number =>
  rows.reduce((sum, { money }) => sum + ((money as number | undefined) ?? 0), 0);

const isTransient = ({ errorLabels }: Reply): boolean => ((errorLabels ?? []) as readonly string[]).includes(transient);

/** Moves money between shards until the commit succeeds. Like a driver, it retries commits through either mongos. */
class Teller {
  readonly done: string[] = [];
  readonly #here: House;
  readonly #n: number;
  readonly #session: Session;

  constructor(here: House, n: number) {
    this.#here = here;
    this.#n = n;
    this.#session = new Session(here.client, n);
  }

  async #once(from: number, to: number, note: string): Promise<boolean> {
    const session = this.#session.start();
    const statements = [
      { update: 'c', updates: [{ q: { _id: from }, u: { $inc: { money: -1 } } }] },
      { update: 'c', updates: [{ q: { _id: to }, u: { $inc: { money: 1 } } }] },
      { insert: 'notes', documents: [{ _id: note }] },
    ];
    let recoveryToken: unknown;
    for (const statement of statements) {
      const reply = await session.run(statement);
      if (reply.ok !== 1) return false;
      ({ recoveryToken } = reply);
    }
    const others = session.on(this.#here.other);
    for (let tries = 0; ; tries++) {
      const by = tries % 2 === 0 ? session : others;
      const reply = await by.commit({ writeConcern: { ...majority, wtimeout: 500 }, recoveryToken, maxTimeMS: 2_000 });
      if (reply.ok === 1 && !('writeConcernError' in reply)) return true;
      if (isTransient(reply)) return false;
      await this.#here.clock.sleep(100);
    }
  }

  async move(from: number, to: number): Promise<void> {
    const note = `${this.#n}: ${this.done.length}`;
    while (!(await this.#once(from, to, note))) await this.#here.clock.sleep(100);
    this.done.push(note);
  }
}

type Event = 'step down' | 'crash' | 'part' | 'halt' | 'heal';

const happen = async ({ controls, sets, clock }: House, event: Event, shard: number, member: number): Promise<void> => {
  const [control, set] = [controls[shard]!, sets[shard]!];
  switch (event) {
    case 'step down':
      await control.stepDown().catch(() => undefined);
      return;
    case 'crash':
      if (control.members.some(({ state }) => state === 'down')) return;
      control.crash(member);
      await clock.sleep(3_000);
      await control.restart(member);
      return;
    case 'part':
      control.partition(
        [member],
        [0, 1, 2].filter(one => one !== member),
      );
      return;
    case 'halt':
      // Its primary's further writes are not replicated, and the primary crashes soon.
      for (const one of set.members) if (!one.isPrimary) set.halt(one, true);
      await clock.sleep(200);
      if (set.primary !== undefined && control.members.every(({ state }) => state !== 'down')) {
        const { place } = set.primary;
        control.crash(place);
        for (const one of set.members) set.halt(one, false);
        await clock.sleep(3_000);
        await control.restart(place);
      }
      for (const one of set.members) set.halt(one, false);
      return;
    case 'heal':
      control.heal();
  }
};

const event = fc.record({
  what: fc.constantFrom<Event>('step down', 'crash', 'part', 'halt', 'heal'),
  shard: fc.integer({ min: 0, max: 1 }),
  member: fc.integer({ min: 0, max: 2 }),
  pause: fc.integer({ min: 100, max: 3_000 }),
});

const everything = async (client: Client, name: string, more: object = {}): Promise<Reply> =>
  client.plain({ find: name, sort: { _id: 1 }, batchSize: 10_000, ...more });

test('with random failures of two shards, each acknowledged transaction over both is executed once and is never visible in part', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 2, maxLength: 6 }), async events => {
      const here = house({ shards: 2, members: 3 });
      const { client, other, clock, sets, controls } = here;
      await client.plain({ insert: 'c', documents: accounts });
      await client.plain({ create: 'notes' });
      const sharded = await client.plain({ shardCollection: 'db.c', key: { _id: 1 } }, 'admin');
      expect(sharded).toMatchObject({ ok: 1 });
      for (const control of controls) control.latency(20);
      const tellers = [1, 2].map(n => new Teller(here, n));
      let busy = true;
      const sums = new Set<number>();
      const work = tellers.map(async (teller, i) => {
        for (let n = 0; n < 6; n++) {
          const [a, b] = [(n + i) % 2, 2 + ((n + 2 * i + 1) % 2)];
          await (n % 2 === 0 ? teller.move(a, b) : teller.move(b, a));
          await clock.sleep(300);
        }
      });
      const reading = (async () => {
        for (let n = 0; n < 20; n++) {
          const read = await everything(other, 'c', { readConcern: { level: 'snapshot' }, maxTimeMS: 5_000 });
          if (read.ok === 1) sums.add(sumOf(read.cursor.firstBatch));
          await clock.sleep(130);
        }
      })();
      const trouble = (async () => {
        for (const { what, shard, member, pause } of events) {
          await clock.sleep(pause);
          await happen(here, what, shard, member);
        }
        for (const control of controls) control.heal();
      })();
      const all = Promise.all([...work, reading, trouble]).finally(() => {
        busy = false;
      });
      for (let turns = 0; busy; turns++) {
        if (turns > 20_000) throw new Error('It does not come to an end');
        await clock.advance(20);
      }
      await all;
      for (const control of controls) control.latency(0);
      await clock.advance(30_000);
      await settled();
      expect([...sums]).toEqual([400]);
      expect(sumOf((await everything(client, 'c')).cursor.firstBatch)).toBe(400);
      const noted = tellers.flatMap(({ done }) => done).sort();
      expect((await everything(client, 'notes')).cursor.firstBatch.map(({ _id }) => _id)).toEqual(noted);
      expect(sets.map(({ decided }) => decided.size)).toEqual([0, 0]);
      await Promise.all(here.shards.flat().map(process => process.close()));
    }),
    { numRuns: 10 },
  );
}, 120_000);
