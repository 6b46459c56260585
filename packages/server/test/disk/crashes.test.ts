import type { Clock } from '@tessera/contracts';
import type { Chance } from '@tessera/sim';
import type { Document } from 'bson';
import { Long, UUID } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.js';
import { Client } from '../client.js';
import { onMachine } from './machine.js';

/** A write as its client sees it. Times are a counter of events, so no two are equal. */
interface Write {
  readonly client: number;
  readonly n: number;
  /** Whether it was sent with `j: true` or with a majority write concern. */
  readonly journaled: boolean;
  readonly sentAt: number;
  /** Undefined if the client received no reply. */
  acknowledgedAt: number | undefined;
}

interface Row {
  readonly n: number;
  readonly twice: number;
  readonly steps: readonly number[];
}

/** Records what all clients observed, and checks the data after a crash against it. */
class Witness {
  /** The writes since the last check. */
  #writes: Write[] = [];
  #now = 0;

  send(client: number, n: number, journaled: boolean): Write {
    const write: Write = { client, n, journaled, sentAt: (this.#now += 1), acknowledgedAt: undefined };
    this.#writes.push(write);
    return write;
  }

  acknowledge(write: Write): void {
    write.acknowledgedAt = this.#now += 1;
  }

  /** @param kept the number of writes of each client that the server has */
  check(kept: readonly number[]): void {
    const isThere = ({ client, n }: Write): boolean => n <= kept[client]!;
    for (const write of this.#writes)
      if (write.journaled && write.acknowledgedAt !== undefined)
        expect(isThere(write), `write ${write.n} of client ${write.client} is missing, although it was journaled`).toBe(
          true,
        );
    const lost = this.#writes.filter(write => !isThere(write));
    for (const write of this.#writes.filter(isThere)) {
      const before = lost.find(({ acknowledgedAt }) => acknowledgedAt !== undefined && acknowledgedAt < write.sentAt);
      expect(
        before,
        `a lost write that was acknowledged before write ${write.n} of client ${write.client}, which is there`,
      ).toBe(undefined);
    }
    this.#writes = [];
  }
}

const lsidOf = (id: number): Document => ({ id: new UUID(`00112233-4455-6677-8899-aabbccddee${10 + id}`) });

/**
 * Returns the nth write of a client. It changes one document; each third write also inserts another one, in a
 * transaction.
 */
const commandsOf = (id: number, n: number, concern: Document): readonly Document[] => {
  const txnNumber = Long.fromNumber(n);
  const session = { lsid: lsidOf(id), txnNumber };
  const raise = {
    update: 'c',
    updates: [{ q: { _id: id }, u: { $inc: { n: 1, twice: 2 }, $push: { steps: n } }, upsert: true }],
  };
  if (n % 3 !== 0) return [{ ...raise, ...session, ...concern }];
  return [
    { ...raise, ...session, startTransaction: true, autocommit: false },
    { insert: 'log', documents: [{ _id: `${id}/${n}` }], ...session, autocommit: false },
  ];
};

const journaledConcerns: readonly Document[] = [
  { writeConcern: { w: 1, j: true } },
  { writeConcern: { w: 'majority' } },
];
const looseConcern: Document = { writeConcern: { w: 1, j: false } };

interface Round {
  readonly server: Server;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly witness: Witness;
}

/** Writes until the connection breaks. */
const writeOn = async ({ server, clock, chance, witness }: Round, id: number, from: number): Promise<void> => {
  const client = new Client(server);
  try {
    for (let n = from; ; n++) {
      const journaled = chance.happens(0.4);
      const concern = journaled ? journaledConcerns[chance.below(2)]! : looseConcern;
      const write = witness.send(id, n, journaled);
      for (const command of commandsOf(id, n, concern))
        expect(await client.plain(command)).toMatchObject({ ok: 1, n: 1 });
      if (n % 3 === 0) {
        const commit = { commitTransaction: 1, lsid: lsidOf(id), txnNumber: Long.fromNumber(n), autocommit: false };
        expect(await client.plain({ ...commit, ...concern }, 'admin')).toMatchObject({ ok: 1 });
      }
      witness.acknowledge(write);
      await clock.sleep(chance.unit() * 3);
    }
  } catch (error) {
    if (!client.closed) throw error;
  }
};

/** Returns the number of writes of each client. Checks that each write is complete, in order, and applied once. */
const look = async (server: Server, clients: number): Promise<number[]> => {
  const client = new Client(server);
  const kept: number[] = [];
  const { cursor } = await client.plain({ find: 'log', batchSize: 100_000 });
  const logged = new Set(cursor.firstBatch.map(({ _id }) => _id));
  for (let id = 0; id < clients; id++) {
    const reply = await client.plain({ find: 'c', filter: { _id: id } });
    const row = reply.cursor.firstBatch[0] as unknown as Row | undefined;
    const { n, twice, steps } = row ?? { n: 0, twice: 0, steps: [] };
    expect({ twice, steps }).toEqual({ twice: 2 * n, steps: Array.from({ length: n }, (_, i) => i + 1) });
    for (let i = 3; i <= n + 3; i += 3) expect(logged.has(`${id}/${i}`), `transaction ${i} of ${id}`).toBe(i <= n);
    kept.push(n);
  }
  return kept;
};

/** Retries the last write of each client. The server must recognize it and not apply it again. */
const retryAll = async (server: Server, kept: readonly number[]): Promise<void> => {
  const client = new Client(server);
  for (const [id, n] of kept.entries()) {
    if (n === 0 || n % 3 === 0) continue;
    const [command] = commandsOf(id, n, looseConcern);
    expect(await client.plain(command!)).toMatchObject({ ok: 1, n: 1, retriedStmtIds: [0] });
  }
};

const clients = 3;

const live = (seed: number): Promise<{ readonly writes: number; readonly torn: number }> =>
  onMachine(
    async ({ start, clock, chance, disk, reports }) => {
      const witness = new Witness();
      const server = start({ replicaSet: 'rs0', journalInterval: 20 }, { slack: 3000 });
      const first = new Client(server);
      for (const create of ['c', 'log']) await first.plain({ create, ...journaledConcerns[0] });
      let kept = await look(server, clients);
      for (let crash = 0; crash < 3; crash++) {
        const round = { server, clock, chance, witness };
        const writing = kept.map((n, id) => writeOn(round, id, n + 1));
        await clock.sleep(5 + chance.unit() * 40);
        server.crash();
        disk.crash();
        await Promise.all(writing);
        await server.restart();
        kept = await look(server, clients);
        witness.check(kept);
        await retryAll(server, kept);
        expect(await look(server, clients)).toEqual(kept);
      }
      await server.close();
      return { writes: kept.reduce((sum, n) => sum + n, 0), torn: reports.length };
    },
    seed,
    { latency: 2 },
  );

/** How many of the fifty seeds of each test are run. */
const seeds = process.env['TESTS'] === 'full' ? 50 : 15;

describe('a server that crashes at any moment and loses unsynced data', () => {
  test.each([0, 50, 100, 150])(
    'has all journaled writes, completely, in order and once (seeds from %d)',
    { timeout: 120_000 },
    async from => {
      let writes = 0;
      let torn = 0;
      for (let seed = from; seed < from + seeds; seed++) {
        const found = await live(seed);
        writes += found.writes;
        torn += found.torn;
      }
      expect(writes).toBeGreaterThan(10 * seeds);
      expect(torn).toBeGreaterThan(seeds / 10);
    },
  );
});
