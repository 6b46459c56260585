// Counting promises needs an async hook. Only this test uses it.
// oxlint-disable-next-line nodejs/no-unsupported-features/node-builtins
import { createHook } from 'node:async_hooks';
import { createAttempt } from '@tessera/attempt';
import { bson } from '@tessera/bson';
import { MongoError, stack } from '@tessera/contracts';
import type { Address, Clock, Dispatch, Document, Message, Operation } from '@tessera/contracts';
import { createRetry, createRetryPolicy } from '@tessera/retry';
import { createSessions } from '@tessera/session';
import { describe, expect, test } from 'vitest';
import { createTopology, fixedServer } from '../src/index.js';
import type { Topology } from '../src/index.js';
import {
  ScriptedConnection,
  ScriptedPool,
  connectTo,
  failureOf,
  listen,
  operation,
  ping,
  poolsOf,
  primary,
  request,
  secondary,
  server,
  world,
} from './scripted.js';

const a = 'a:27017';
const b = 'b:27017';

/** A connection that replies in a later tick with prepared bytes, without a promise. */
class PlainConnection extends ScriptedConnection {
  readonly writer = bson.writer();
  readonly answer = ((): Uint8Array => {
    this.writer.begin(0);
    this.writer.fields({ ok: 1 });
    this.writer.endBody();
    return this.writer.take().slice();
  })();

  override start(message: Message): void {
    this.writer.begin(0);
    message.body(this.writer);
    this.writer.endBody();
    this.writer.take();
    setImmediate(() => {
      message.reply(bson.read(this.answer));
      message.end();
    });
  }
}

/**
 * Returns the number of promises that an operation creates, including the caller's `await`. Takes the minimum of
 * several measurements, because other code of the process creates promises too.
 */
const promisesPerOperation = async (dispatch: Dispatch, of: Operation<unknown>): Promise<number> => {
  const given = request(of);
  let promises = 0;
  const hook = createHook({
    init: (_, type) => {
      if (type === 'PROMISE') promises++;
    },
  });
  let least = Infinity;
  for (let measurement = 0; measurement < 20; measurement++) {
    const times = 10;
    await dispatch(given);
    promises = 0;
    hook.enable();
    for (let round = 0; round < times; round++) await dispatch(given);
    hook.disable();
    least = Math.min(least, promises / times);
  }
  return least;
};

describe('the whole stack without faults', () => {
  const { runtime } = world();
  const pool = new ScriptedPool(new PlainConnection(a));
  const deployment = fixedServer(pool, a, 'RSPrimary');
  const layers = [
    createSessions({ bson, ...runtime }).layer,
    createRetry({ ...runtime, deployment, policy: createRetryPolicy() }),
  ];
  const insert = operation({ name: 'insert', kind: 'write', read: reply => reply.ok });

  test("one attempt creates one promise, and the caller's await another", async () => {
    expect(await promisesPerOperation(createAttempt({ deployment }), ping)).toBe(2);
  });

  test('sessions and retries add no promise to an operation that succeeds: two in all', async () => {
    const dispatch = stack(layers, createAttempt({ deployment }));
    expect(await promisesPerOperation(dispatch, ping)).toBe(2);
    expect(await promisesPerOperation(dispatch, insert)).toBe(2);
  });
});

describe('the whole stack across a failover', () => {
  interface Scene {
    readonly clock: Clock;
    readonly topology: Topology;
    readonly dispatch: Dispatch;
    readonly servers: ReturnType<typeof cluster>;
    readonly connections: Record<Address, ScriptedConnection>;
  }

  const cluster = () => ({
    [a]: server(primary([a, b], { electionId: undefined })),
    [b]: server(secondary([a, b], { primary: a })),
  });

  const scene = (program: (scene: Scene) => Promise<void>) => async () => {
    const { runtime, run, leftovers } = world();
    const servers = cluster();
    const pools = poolsOf();
    const connect = connectTo(servers, runtime.clock);
    const deps = { ...runtime, events: listen(), connect, openPool: pools.open };
    const topology = createTopology(deps, { seeds: [a, b], replicaSet: 'rs', serverSelectionTimeoutMS: 5000 });
    const layers = [
      createSessions({ bson, ...runtime }).layer,
      createRetry({ ...runtime, deployment: topology, policy: createRetryPolicy() }),
    ];
    await run(async () => {
      topology.open();
      await runtime.clock.sleep(1000);
      const connections = Object.fromEntries([...pools.byAddress].map(([at, { connection }]) => [at, connection]));
      const dispatch = stack(layers, createAttempt({ deployment: topology }));
      await program({ clock: runtime.clock, topology, dispatch, servers, connections });
      await topology.close();
    });
    expect(leftovers()).toEqual([]);
  };

  const insert = operation({ name: 'insert', kind: 'write', read: reply => reply.int('n') });
  const identity = (command: Document | undefined): unknown => ({
    lsid: command?.['lsid'],
    txnNumber: command?.['txnNumber'],
  });

  test(
    'retries a write on the new primary after its connection breaks, with the same session and transaction number',
    scene(async ({ clock, dispatch, servers, connections }) => {
      connections[a]?.answers.push(new MongoError('network', 'reset', { origin: { phase: 'command', sent: true } }));
      connections[b]?.answers.push({ ok: 1, n: 1 });
      servers[a].failure = new MongoError('network', 'refused');
      const result = dispatch(request(insert));
      await clock.sleep(700);
      servers[b].hello = { ...servers[b].hello, ...primary([a, b], { setVersion: 1 }), secondary: false };
      expect(await result).toBe(1);
      // Elected at 1700. The checks that selection requests end at 1002, 1504 and 2006.
      expect(clock.now()).toBe(2006);
      const [first] = connections[a]!.asked;
      const [second] = connections[b]!.asked;
      expect(identity(first)).toEqual(identity(second));
      expect(first?.['txnNumber']).toBe(1);
    }),
  );

  test(
    'throws the error of the write, with both attempts, if no primary is found',
    scene(async ({ clock, dispatch, servers, connections }) => {
      const reset = new MongoError('network', 'reset', { origin: { phase: 'command', sent: true } });
      connections[a]?.answers.push(reset);
      servers[a].failure = new MongoError('network', 'refused');
      const error = await failureOf(dispatch(request(insert)));
      expect(error).toBe(reset);
      expect(error.labels).toEqual(['RetryableWriteError']);
      expect(error.attempts.map(({ address, phase, after }) => ({ address, phase, after }))).toEqual([
        { address: a, phase: 'command', after: 0 },
        { address: undefined, phase: 'select', after: 5000 },
      ]);
      expect(clock.now()).toBe(6000);
    }),
  );

  test(
    'keeps the pool after a stepped-down primary rejects a write, and the write succeeds after the next election',
    scene(async ({ dispatch, connections, clock }) => {
      connections[a]?.answers.push(
        { ok: 0, errmsg: 'not primary', code: 10107, errorLabels: ['RetryableWriteError'] },
        { ok: 1, n: 1 },
      );
      expect(await dispatch(request(insert))).toBe(1);
      expect(clock.now()).toBe(1002);
      expect(connections[a]?.asked.map(identity)).toEqual(Array(2).fill(identity(connections[a]?.asked[0])));
    }),
  );
});
