/** BSON types of the numbers in a hello reply. */
import { noLimit } from '@tessera/contracts';
import type { Document, Hello } from '@tessera/contracts';
import { Double, Int32, Long, ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { helloOf as read } from '../src/hello.js';
import { createStage, encode, HELLO, Note, settle } from './stage.js';

const helloOf = async (changes: Document): Promise<Hello> => {
  const { open } = createStage();
  const { connection } = await open({}, { ...HELLO, ...changes });
  return connection.hello;
};

describe('numbers of a hello', () => {
  test.each<readonly [value: unknown, connectionId: bigint | undefined]>([
    [77, 77n],
    [77.9, 77n],
    [new Int32(5), 5n],
    [new Double(5.5), 5n],
    [Long.fromBigInt(2n ** 60n), 2n ** 60n],
    [2n ** 60n, 2n ** 60n],
    ['77', undefined],
    [null, undefined],
    [true, undefined],
    [NaN, undefined],
    [Infinity, undefined],
    [{}, undefined],
  ])('connectionId %o', async (value, connectionId) => {
    expect((await helloOf({ connectionId: value })).connectionId).toBe(connectionId);
  });

  test.each<readonly [value: unknown, limit: number]>([
    [1, 1],
    [25, 25],
    [Long.fromNumber(2 ** 33), 2 ** 33],
    [0, 1000],
    [0.5, 1000],
    [-1, 1000],
    [NaN, 1000],
    [Infinity, 1000],
    ['25', 1000],
    [undefined, 1000],
  ])('maxWriteBatchSize %o', async (value, limit) => {
    expect((await helloOf({ maxWriteBatchSize: value })).maxWriteBatchSize).toBe(limit);
  });

  test('accepts a codec that decodes whole numbers as bigints', () => {
    const document = { connectionId: 2n ** 60n, maxWireVersion: 25n, logicalSessionTimeoutMinutes: 30n };
    expect(read('db:27017', document, 3, false)).toMatchObject({
      ...{ connectionId: 2n ** 60n, maxWireVersion: 25, logicalSessionTimeoutMinutes: 30, roundTrip: 3 },
    });
  });

  test('uses default limits for a server that reports none', async () => {
    const withoutLimits = {
      ...{ maxBsonObjectSize: undefined, maxMessageSizeBytes: undefined, maxWriteBatchSize: undefined },
      ...{ maxWireVersion: undefined, logicalSessionTimeoutMinutes: null, connectionId: undefined },
    };
    expect(await helloOf(withoutLimits)).toMatchObject({
      ...{ maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 1000 },
      ...{ maxWireVersion: 0, logicalSessionTimeoutMinutes: undefined, connectionId: undefined, serviceId: undefined },
    });
  });

  test('ignores a serviceId that is not an ObjectId', async () => {
    const serviceId = new ObjectId();
    expect((await helloOf({ serviceId })).serviceId).toEqual(serviceId);
    for (const odd of [null, 'x', 5, {}]) expect((await helloOf({ serviceId: odd })).serviceId).toBeUndefined();
  });

  test('ignores a reply to the credentials that is not a document', async () => {
    for (const speculativeAuthenticate of [null, 'x', 5]) {
      const received: unknown[] = [];
      const finish = (_: unknown, answer: unknown): Promise<void> => {
        received.push(answer);
        return Promise.resolve();
      };
      const stage = createStage({ authenticator: { mechanism: 'X', begin: () => ({ finish }) } });
      await stage.open({}, { ...HELLO, speculativeAuthenticate });
      expect(received).toEqual([undefined]);
    }
  });
});

describe('Load Balancers: monitors', () => {
  test('do not send loadBalanced and need no serviceId', async () => {
    const { dial } = createStage({ options: { loadBalanced: true } });
    const { peer, connecting } = await dial({ use: 'monitor' });
    expect(peer.last.command).not.toHaveProperty('loadBalanced');
    peer.reply(HELLO);
    expect((await connecting).hello.serviceId).toBeUndefined();
  });

  test('connections for operations need a serviceId, and the error has the phase', async () => {
    const { dial } = createStage({ options: { loadBalanced: true } });
    const { peer, connecting } = await dial();
    peer.reply(HELLO);
    await expect(connecting).rejects.toMatchObject({
      ...{ kind: 'usage', origin: { phase: 'hello', sent: true, address: 'db:27017' } },
      message:
        'Driver attempted to initialize in load balancing mode, but the server does not support this mode. ' +
        '(db:27017 returned no serviceId. If it is not behind a load balancer, remove loadBalanced=true.)',
    });
  });
});

describe('defaults', () => {
  test('offers no compressor by default', async () => {
    const { dial } = createStage();
    expect((await dial()).peer.last.command['compression']).toEqual([]);
  });

  test('a command with the deadline of timeoutMS=0 starts no timer', async () => {
    const { clock, open } = createStage();
    const { peer, connection } = await open();
    const note = new Note();
    connection.start(note, noLimit);
    expect(clock.armed).toEqual([]);
    peer.reply({ ok: 1 });
    expect(note.received).toEqual([{ ok: 1 }, 'end']);
  });

  test('the error of a closed connection names the command in progress, if there is one', async () => {
    const why = async (busy: boolean): Promise<string> => {
      const { open } = createStage();
      const { peer, connection } = await open();
      if (busy) connection.start(new Note(), Infinity);
      peer.close();
      await settle();
      const late = new Note();
      connection.start(late, Infinity);
      return (late.error!.cause as Error).message;
    };
    expect([await why(false), await why(true)]).toEqual([
      'db:27017 closed the connection.',
      "db:27017 closed the connection while 'ping' was under way.",
    ]);
  });

  test('a reply to a command without a reply closes the connection', async () => {
    const { open } = createStage();
    const { peer, connection } = await open();
    peer.flowing = false;
    const note = new Note({ insert: 'c' }, { answer: 'none' });
    connection.start(note, Infinity);
    peer.reply(encode({ ok: 1 }));
    expect(note.error).toMatchObject({ kind: 'protocol' });
    expect(connection.closed).toBe(true);
  });
});
