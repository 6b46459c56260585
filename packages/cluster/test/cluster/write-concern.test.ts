import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Reply } from '../../../server/test/client.js';
import { msgOf, settled } from '../../../server/test/client.js';
import { idsAt, insert, members, plainly, retryable, stepDown } from './members.js';

const wait = (writeConcern: Document): Document => ({ writeConcern });

describe('write concern', () => {
  test.each([
    [{ w: 2 }, 1],
    [{ w: 3 }, 2],
    [{ w: 'majority' }, 1],
  ])('%j is satisfied by this number of other members: %d', async (concern, count) => {
    const set = members(3);
    for (const member of [1, 2]) set.lag(member, Number.POSITIVE_INFINITY);
    const asked = insert(set.clients[0]!, 1, wait(concern));
    for (let caught = 1; caught <= count; caught++) {
      await settled();
      expect(set.clients[0]!.received).toEqual([]);
      set.lag(caught, 0);
    }
    expect(plainly(await asked)).toEqual({ n: 1, ok: 1 });
    await set.close();
  });

  test('a failed command reports the error of an explicit write concern, and does not wait for an implicit one', async () => {
    const set = members(3);
    const client = set.clients[0]!;
    for (const name of ['c', 'd']) await client.run({ create: name });
    const rename = { renameCollection: 'db.c', to: 'db.d' };
    expect(await client.plain({ ...rename, ...wait({ w: 4 }) }, 'admin')).toMatchObject({
      ...{ ok: 0, code: 48, codeName: 'NamespaceExists' },
      writeConcernError: { code: 100, codeName: 'UnsatisfiableWriteConcern' },
    });
    set.partition([0], [1, 2]);
    expect((await client.plain(rename, 'admin'))['writeConcernError']).toBe(undefined);
    const asked = client.plain({ ...rename, ...wait({ w: 1 }) }, 'admin');
    expect((await asked)['writeConcernError']).toBe(undefined);
    await set.close();
  });

  test('a commit of an unknown transaction waits for the write concern before it fails with 251, because another primary may know it', async () => {
    const set = members(3);
    const commit = { commitTransaction: 1, ...retryable(1), autocommit: false };
    const asked = (): Promise<Reply> =>
      set.clients[0]!.plain({ ...commit, ...wait({ w: 'majority', wtimeout: 100 }) }, 'admin');
    expect(await asked()).toMatchObject({ code: 251, errorLabels: ['TransientTransactionError'] });
    set.partition([0], [1, 2]);
    const unsure = asked();
    await settled();
    await set.clock.advance(100);
    expect(await unsure).toMatchObject({ ok: 0, code: 251, writeConcernError: { code: 64 } });
    expect(await unsure).not.toHaveProperty('errorLabels');
    await set.close();
  });

  test('a timeout is reported with 64 in the reply, and the write remains', async () => {
    const set = members(3);
    set.lag(2, Number.POSITIVE_INFINITY);
    const asked = insert(set.clients[0]!, 1, wait({ w: 3, wtimeout: 100 }));
    await set.clock.advance(99);
    expect(set.clients[0]!.received).toEqual([]);
    await set.clock.advance(1);
    expect(plainly(await asked)).toEqual({
      n: 1,
      writeConcernError: {
        code: 64,
        codeName: 'WriteConcernTimeout',
        errmsg: 'waiting for replication timed out',
        errInfo: { wtimeout: true, writeConcern: { w: 3, wtimeout: 100, provenance: 'clientSupplied' } },
      },
      ok: 1,
    });
    expect(await idsAt(set.clients[1]!)).toEqual([1]);
    await set.close();
  });

  test('write errors and a write concern error are returned together, with ok: 1', async () => {
    const set = members(3);
    await insert(set.clients[0]!, 1);
    set.lag(2, Number.POSITIVE_INFINITY);
    const documents = [{ _id: 2 }, { _id: 1 }];
    const asked = set.clients[0]!.plain({ insert: 'c', documents, writeConcern: { w: 3, wtimeout: 1 } });
    await settled();
    await set.clock.advance(1);
    expect(plainly(await asked)).toMatchObject({
      ok: 1,
      n: 1,
      writeErrors: [{ index: 1, code: 11000 }],
      writeConcernError: { code: 64 },
    });
    await set.close();
  });

  test('with w: 0 no reply is sent, even if the write fails', async () => {
    const set = members(3);
    await insert(set.clients[0]!, 1);
    for (const _id of [1, 2]) {
      const write = { insert: 'c', documents: [{ _id }], writeConcern: { w: 0 }, $db: 'db' };
      set.clients[0]!.send(msgOf(9, write, 2));
    }
    await settled();
    expect(set.clients[0]!.received).toEqual([]);
    expect(await idsAt(set.clients[0]!)).toEqual([1, 2]);
    await set.close();
  });

  test('with w: 0 a member that is not primary closes the connection, so that the driver finds the primary', async () => {
    const set = members(3);
    const write = { insert: 'c', documents: [{}], writeConcern: { w: 0 }, $db: 'db' };
    set.clients[1]!.send(msgOf(9, write, 2));
    expect(set.clients[1]!.closed).toBe(true);
    await set.close();
  });

  test.each([
    [{ w: 4 }, 100, 'UnsatisfiableWriteConcern', 'Not enough data-bearing nodes'],
    [
      { w: 'far' },
      79,
      'UnknownReplWriteConcern',
      "No write concern mode named 'far' found in replica set configuration",
    ],
    [
      { w: 'constructor' },
      79,
      'UnknownReplWriteConcern',
      "No write concern mode named 'constructor' found in replica set configuration",
    ],
    [
      { w: { constructor: 1 } },
      100,
      'UnsatisfiableWriteConcern',
      'Not enough nodes match write concern mode { constructor: 1 }',
    ],
    [{ w: 'everywhere' }, 100, 'UnsatisfiableWriteConcern', 'Not enough nodes match write concern mode "everywhere"'],
    [{ w: { dc: 3 } }, 100, 'UnsatisfiableWriteConcern', 'Not enough nodes match write concern mode { dc: 3 }'],
  ])('%j that cannot be satisfied fails at once with %d', async (concern, code, codeName, errmsg) => {
    const tagged = [{ tags: { dc: 'a' } }, { tags: { dc: 'b' } }, { tags: { dc: 'b' } }];
    const set = members(tagged, { settings: { getLastErrorModes: { everywhere: { dc: 3 } } } });
    const reply = await insert(set.clients[0]!, 1, wait({ ...concern, wtimeout: 1000 }));
    expect(reply).toMatchObject({ ok: 1, n: 1, writeConcernError: { code, codeName, errmsg } });
    await set.close();
  });

  test.each([{ w: 'both' }, { w: { dc: 2 } }])(
    '%j is satisfied by members with that number of distinct tags',
    async concern => {
      const tagged = [{ tags: { dc: 'a' } }, { tags: { dc: 'a' } }, { tags: { dc: 'b' } }];
      const set = members(tagged, { settings: { getLastErrorModes: { both: { dc: 2 } } } });
      set.lag(2, 50);
      const asked = insert(set.clients[0]!, 1, wait(concern));
      await set.clock.advance(49);
      expect(set.clients[0]!.received).toEqual([]);
      await set.clock.advance(1);
      expect(plainly(await asked)).toEqual({ n: 1, ok: 1 });
      await set.close();
    },
  );

  test.each(['stopReplProducer', 'rsSyncApplyStop'])(
    'waits for a secondary that the fail point %s stops',
    async configureFailPoint => {
      const set = members(3);
      const arm = (mode: string): Promise<unknown> => set.clients[1]!.plain({ configureFailPoint, mode }, 'admin');
      await arm('alwaysOn');
      const asked = insert(set.clients[0]!, 1, wait({ w: 3 }));
      await settled();
      expect(set.clients[0]!.received).toEqual([]);
      await arm('off');
      expect(plainly(await asked)).toEqual({ n: 1, ok: 1 });
      await set.close();
    },
  );

  test('waits no longer than maxTimeMS', async () => {
    const set = members(3);
    set.lag(2, Number.POSITIVE_INFINITY);
    const asked = insert(set.clients[0]!, 1, { maxTimeMS: 50, ...wait({ w: 3 }) });
    await settled();
    await set.clock.advance(50);
    expect(await asked).toMatchObject({ ok: 1, n: 1, writeConcernError: { code: 50, codeName: 'MaxTimeMSExpired' } });
    await set.close();
  });

  test('a waiting write fails with 11602 when the primary steps down', async () => {
    const set = members(3);
    set.lag(2, Number.POSITIVE_INFINITY);
    const asked = insert(set.clients[0]!, 1, wait({ w: 3 }));
    await settled();
    await stepDown(set);
    expect(await asked).toMatchObject({ ok: 1, n: 1, writeConcernError: { code: 11602 } });
    expect(set.clients[0]!.closed).toBe(false);
    await set.close();
  });

  test('writes that a majority acknowledged exist after every failover', async () => {
    const set = members(3);
    let _id = 0;
    for (let round = 0; round < 6; round++) {
      const primary = set.members.indexOf(set.primary!);
      await insert(set.connect(primary), _id++, wait({ w: 'majority' }));
      set.crash(primary);
      await set.clock.advance(11_500);
      await set.restart(primary);
    }
    for (const member of [0, 1, 2]) expect(await idsAt(set.connect(member))).toEqual([0, 1, 2, 3, 4, 5]);
    await set.close();
  });
});

describe('default write concern', () => {
  const pending = async (version: string, wish: Parameters<typeof members>[0]): Promise<boolean> => {
    const set = members(wish, { version });
    for (const { place } of set.set.members.slice(1)) set.lag(place, Number.POSITIVE_INFINITY);
    let isPending = true;
    insert(set.clients[0]!, 1).then(
      () => (isPending = false),
      () => undefined,
    );
    await settled();
    const was = isPending;
    await set.close();
    return was;
  };
  const arbiter = { arbiterOnly: true };

  test.each([
    ['is majority since 5.0', '5.0.0', [{}, {}, {}], true],
    ['is one member before 5.0', '4.4.0', [{}, {}, {}], false],
    ['is one member if only a majority of the voting members stores data', '8.2.1', [{}, {}, arbiter], false],
    ['is majority if more than a majority of the voting members stores data', '8.2.1', [{}, {}, {}, {}, arbiter], true],
  ])('%s', async (_what, version, wish, isPending) => {
    expect(await pending(version, wish)).toBe(isPending);
  });

  test('can be read and changed by commands', async () => {
    const set = members(3);
    const [client, other] = [set.clients[0]!, set.clients[1]!];
    expect(await client.plain({ getDefaultRWConcern: 1 }, 'admin')).toMatchObject({
      defaultReadConcern: { level: 'local' },
      defaultWriteConcern: { w: 'majority', wtimeout: 0 },
      defaultWriteConcernSource: 'implicit',
      defaultReadConcernSource: 'implicit',
    });
    await client.plain({ setDefaultRWConcern: 1, defaultWriteConcern: { w: 1 } }, 'admin');
    expect(await other.plain({ getDefaultRWConcern: 1 }, 'admin')).toMatchObject({
      defaultWriteConcern: { w: 1 },
      defaultWriteConcernSource: 'global',
    });
    for (const member of [1, 2]) set.lag(member, Number.POSITIVE_INFINITY);
    expect(plainly(await insert(client, 1))).toEqual({ n: 1, ok: 1 });
    expect(await client.refusal({ setDefaultRWConcern: 1 }, 'admin')).toMatch(/^2 At least one of/);
    expect(await client.refusal({ setDefaultRWConcern: 1, defaultWriteConcern: {} }, 'admin')).toBe(
      '20 The global default write concern cannot be unset once it is set.',
    );
    await set.close();
  });
});
