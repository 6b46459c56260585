/** Tests of killing cursors in the background, with scripted servers. */
import { bson } from '@tessera/bson';
import type { Address, Deployment, Dispatch, Document, Lease, Server } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { expect, test } from 'vitest';
import { Kills } from '../src/index.js';
import { attemptOn, commandOf } from './scripted.js';

const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

interface Stage {
  readonly kills: Kills;
  /** The ids and the server of each command. */
  readonly sent: (readonly [at: Address, ids: readonly unknown[]])[];
  /** The promise that a checkout waits for. */
  free: Promise<unknown>;
  /** The error of the next command. */
  failure: MongoError | undefined;
  readonly addresses: Set<Address>;
  time: number;
  readonly deadlines: number[];
}

const onStage = (): Stage => {
  const dispatch = (async request => {
    const command: Document = commandOf(request.operation, attemptOn({}));
    const { lease } = request.pin as { readonly lease: Lease };
    stage.sent.push([lease.connection.address, command['cursors'] as readonly unknown[]]);
    stage.deadlines.push(request.deadline);
    const { failure } = stage;
    stage.failure = undefined;
    return failure === undefined ? undefined : Promise.reject(failure);
  }) as Dispatch;
  const deployment = {
    get description() {
      return { type: 'ReplicaSetWithPrimary', servers: new Map([...stage.addresses].map(address => [address, {}])) };
    },
    select: (_: unknown, address: Address) =>
      stage.addresses.has(address)
        ? ({
            pool: {
              checkOut: async () => {
                await stage.free;
                return { connection: { address, detach: () => true }, release: () => undefined } as unknown as Lease;
              },
            },
          } as unknown as Server)
        : Promise.reject(new MongoError('selection', 'gone')),
  } as unknown as Deployment;
  const kills = new Kills({
    bson,
    clock: { now: () => stage.time },
    deployment,
    dispatch,
    newOperationId: () => 1,
    exchanges: [],
  });
  const stage: Stage = {
    kills,
    sent: [],
    free: Promise.resolve(),
    failure: undefined,
    addresses: new Set(['a:1', 'b:1']),
    time: 0,
    deadlines: [],
  };
  return stage;
};

const ids = (from: number, until: number): readonly bigint[] =>
  Array.from({ length: until - from }, (_, i) => BigInt(from + i));

test('collects cursors while no connection is free, at most 10,000, and sends 1,000 per command', async () => {
  const stage = onStage();
  let release!: () => void;
  stage.free = new Promise<void>(resolve => (release = resolve));
  for (const id of ids(0, 10_002)) stage.kills.add('a:1', 'db.films', id);
  await settled();
  expect(stage.sent).toEqual([]);
  release();
  await settled();
  expect(stage.sent.map(([at, named]) => [at, named.length])).toEqual(Array.from({ length: 10 }, () => ['a:1', 1_000]));
});

test('limits the time of a command from its sending on', async () => {
  const stage = onStage();
  let release!: () => void;
  stage.free = new Promise<void>(resolve => (release = resolve));
  stage.kills.add('a:1', 'db.films', 1n);
  await settled();
  stage.time = 60_000;
  release();
  await settled();
  expect(stage.deadlines).toEqual([60_500]);
});

test('sends a failed command again with the next cursor of its server if it was not sent', async () => {
  const stage = onStage();
  stage.failure = new MongoError('network', 'closed', { origin: { phase: 'command', sent: false } });
  stage.kills.add('a:1', 'db.films', 1n);
  await settled();
  stage.kills.add('a:1', 'db.films', 2n);
  await settled();
  expect(stage.sent.map(([, named]) => named.map(Number))).toEqual([[1], [1, 2]]);
});

test('does not send a command again after it was sent', async () => {
  const stage = onStage();
  stage.failure = new MongoError('timeout', 'late', { origin: { phase: 'command', sent: true } });
  stage.kills.add('a:1', 'db.films', 1n);
  await settled();
  await stage.kills.close(500);
  expect(stage.sent).toHaveLength(1);
});

test('keeps cursors until close after hold', async () => {
  const stage = onStage();
  stage.kills.hold();
  stage.kills.add('a:1', 'db.films', 1n);
  stage.kills.add('b:1', 'db.films', 2n);
  await settled();
  expect(stage.sent).toEqual([]);
  await stage.kills.close(400);
  stage.kills.add('a:1', 'db.films', 3n);
  await settled();
  expect(stage.sent.map(([at, named]) => [at, ...named.map(Number)])).toEqual([
    ['a:1', 1],
    ['b:1', 2],
  ]);
  expect(stage.deadlines).toEqual([400, 400]);
});

test('drops the cursors of a server that has left the deployment, which frees their places', async () => {
  const stage = onStage();
  stage.addresses.delete('a:1');
  for (const id of ids(0, 10_000)) stage.kills.add('a:1', 'db.films', id);
  await settled();
  stage.kills.add('b:1', 'db.films', 1n);
  await settled();
  expect(stage.sent.map(([at, named]) => [at, named.map(Number)])).toEqual([['b:1', [1]]]);
});
