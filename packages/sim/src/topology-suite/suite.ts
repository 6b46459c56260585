import type {
  Address,
  Clock,
  Connect,
  Deployment,
  ErrorKind,
  EventSink,
  OpenPool,
  Origin,
  Phase,
  Random,
  Server,
} from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { createAbort, expectEqual, expectRejection, expectTrue } from '../case.js';
import type { ContractCase } from '../case.js';
import { createRecorder } from '../recorder.js';
import { scriptPools } from '../scripted-pools.js';
import type { PoolScript } from '../scripted-pools.js';
import { helloDocument, scriptServers } from '../scripted-servers.js';
import type { ServerScript } from '../scripted-servers.js';
import { createWorld } from '../world.js';
import { requestOf } from '../request.js';

export interface TopologySuiteDeps {
  /** The function under test. A deployment may ignore dependencies that it does not need. */
  readonly createDeployment: (
    deps: {
      readonly clock: Clock;
      readonly random: Random;
      readonly events: EventSink;
      readonly connect: Connect;
      readonly openPool: OpenPool;
    },
    seeds: readonly Address[],
  ) => Deployment;
  /** As for {@link createWorld}: each case runs in a world of its own. */
  readonly turn: () => Promise<void>;
}

export interface TopologySuiteOptions {
  /**
   * Whether the deployment discovers servers by itself and waits for them. If false, the cases about discovery are
   * skipped. Default true.
   */
  readonly watches?: boolean;
}

interface Scene {
  readonly clock: Clock;
  readonly deployment: Deployment;
  readonly script: ServerScript;
  readonly pools: PoolScript['pools'];
}

const [db1, db2] = ['db1:27017', 'db2:27017'] as const;
const set = { setName: 'rs', hosts: [db1, db2], setVersion: 1 };
const standalone = (script: ServerScript): void => {
  script.servers.set(db1, { hello: helloDocument(), delay: 1 });
};
const replicaSet = (script: ServerScript): void => {
  script.servers.set(db1, { hello: helloDocument({ ...set, me: db1, primary: db1 }), delay: 1 });
  const secondary = { isWritablePrimary: false, secondary: true, me: db2, primary: db1 };
  script.servers.set(db2, { hello: helloDocument({ ...set, ...secondary }), delay: 1 });
};
const nothing = (): void => undefined;

const kinds: readonly ErrorKind[] = [
  ...(['network', 'timeout', 'server', 'protocol', 'pool'] as const),
  ...(['selection', 'auth', 'usage', 'aborted'] as const),
];
const phases: readonly Phase[] = ['select', 'checkOut', 'resolve', 'connect', 'hello', 'auth', 'command'];

const lost = (origin: Partial<Origin> = {}): MongoError =>
  new MongoError('network', 'reset by peer', {
    origin: { phase: 'command', sent: true, address: db1, generation: 0, ...origin },
  });

/**
 * Returns the cases of {@link Deployment}: it selects a server for a request, handles errors, and closes.
 * Rule: Server Discovery and Monitoring, "Application errors"; Server Selection.
 */
export const topologySuite = (
  { createDeployment, turn }: TopologySuiteDeps,
  { watches = true }: TopologySuiteOptions = {},
): readonly ContractCase[] => {
  const one = (
    name: string,
    prepare: (script: ServerScript) => void,
    seeds: readonly Address[],
    run: (scene: Scene) => Promise<void>,
  ): ContractCase => ({
    name,
    run: async () => {
      const world = createWorld({ turn }, { seed: 1 });
      const { clock, random } = world.runtime;
      const script = scriptServers({ clock });
      prepare(script);
      const { openPool, pools } = scriptPools();
      await world.run(async () => {
        const deps = { clock, random, events: createRecorder(), connect: script.connect, openPool };
        const deployment = createDeployment(deps, seeds);
        await run({ clock, deployment, script, pools });
        await deployment.close();
      });
      expectEqual([world.leftovers(), script.open], [[], 0], 'timers and connections left after close');
      expectTrue(
        [...pools.values()].every(({ state }) => state === 'closed'),
        'all pools are closed',
      );
    },
  });
  const select = async (deployment: Deployment, ...args: Parameters<Deployment['select']>): Promise<Server> =>
    deployment.select(...args);

  const always = [
    one(
      "Deployment.select: answers a server of its description, and that server's pool, ready",
      standalone,
      [db1],
      async scene => {
        const { deployment, pools } = scene;
        const { description, pool } = await select(deployment, requestOf());
        expectEqual(description.address, db1, 'the address');
        expectTrue(deployment.description.servers.get(db1)?.address === db1, 'the description knows it');
        expectTrue(pool === pools.get(db1) && pools.get(db1)?.state === 'ready', 'its pool is ready');
      },
    ),
    one(
      'Deployment.report: a lost connection clears its pool once, in the same turn, with the error',
      standalone,
      [db1],
      async scene => {
        const { deployment, pools } = scene;
        await select(deployment, requestOf());
        const error = lost();
        deployment.report(error);
        expectEqual(pools.get(db1)?.clears.length, 1, 'how often its pool was cleared');
        expectTrue(pools.get(db1)?.clears[0]?.cause === error, 'the cause is the error');
        deployment.report(lost());
        expectEqual(pools.get(db1)?.clears.length, 1, 'after another error of the same, older generation');
      },
    ),
    one('Deployment.report: ignores errors that the server did not cause', standalone, [db1], async scene => {
      const { deployment, pools } = scene;
      await select(deployment, requestOf());
      const atCheckOut = { phase: 'checkOut', sent: false } as const;
      const origin: Origin = { phase: 'command', sent: true, address: db1, generation: 0 };
      const overload = ['SystemOverloadedError', 'RetryableError'];
      const harmless = [
        new MongoError('pool', 'cleared', { cause: lost(), origin: { ...origin, ...atCheckOut } }),
        new MongoError('timeout', 'No connection became free.', { origin: { ...origin, ...atCheckOut } }),
        new MongoError('selection', 'no server', { origin: { ...origin, phase: 'select', sent: false } }),
        new MongoError('timeout', 'no answer', { origin }),
        new MongoError('aborted', 'enough', { origin }),
        new MongoError('usage', 'cannot be', { origin }),
        new MongoError('server', 'duplicate key', { code: 11000, reply: { ok: 0, code: 11000 }, origin }),
        new MongoError('network', 'refused', {
          labels: overload,
          origin: { ...origin, phase: 'connect', sent: false },
        }),
        new MongoError('timeout', 'slow', { labels: overload, origin: { ...origin, phase: 'hello', sent: false } }),
      ];
      for (const error of harmless) {
        deployment.report(error);
        expectEqual(
          pools.get(db1)?.clears.length,
          0,
          `times that the pool was cleared by ${error.kind}: ${error.message}`,
        );
      }
    }),
    one(
      'Deployment.report: never throws, for any error, also after close',
      standalone,
      [db1],
      async ({ deployment }) => {
        await select(deployment, requestOf());
        const reportAll = (): void => {
          for (const kind of kinds) {
            deployment.report(new MongoError(kind, 'without an origin'));
            for (const phase of phases) {
              for (const address of [db1, 'nobody:1', undefined]) {
                for (const generation of [undefined, 0, 99]) {
                  const origin: Origin = { phase, sent: phase === 'command', address, generation };
                  deployment.report(new MongoError(kind, 'anything', { code: 91, reply: { ok: 0, code: 91 }, origin }));
                }
              }
            }
          }
        };
        reportAll();
        await deployment.close();
        reportAll();
      },
    ),
    one(
      'Deployment.close: no request gets a connection afterwards; it may be called again, also at once',
      standalone,
      [db1],
      async scene => {
        const { deployment, pools } = scene;
        await select(deployment, requestOf());
        await Promise.all([deployment.close(), deployment.close()]);
        await deployment.close();
        const after = select(deployment, requestOf()).then(({ pool }) => pool.checkOut({ deadline: Infinity }));
        await expectRejection(after, {}, 'selecting and checking out after close');
        expectEqual(pools.get(db1)?.state, 'closed', 'its pool');
      },
    ),
    one(
      'Deployment.interrupt: interrupts its pools with a closed error, aborts closing, and serves later requests',
      standalone,
      [db1],
      async ({ deployment, pools }) => {
        await select(deployment, requestOf());
        expectTrue(!deployment.closing.aborted, 'closing has not aborted before');
        let aborts = 0;
        deployment.closing.addEventListener('abort', () => {
          aborts += 1;
        });
        deployment.interrupt();
        expectEqual(
          [pools.get(db1)?.interrupts.map(({ kind }) => kind), pools.get(db1)?.state],
          [['closed'], 'ready'],
          'how its pool was interrupted; the state of the pool',
        );
        expectEqual([deployment.closing.aborted, aborts], [true, 1], 'closing; how often its listener was called');
        expectTrue((await select(deployment, requestOf())).pool === pools.get(db1), 'the next request gets its pool');
      },
    ),
    one('Deployment.close: closing aborts', standalone, [db1], async ({ deployment }) => {
      await select(deployment, requestOf());
      const { closing } = deployment;
      await deployment.close();
      expectTrue(closing.aborted, 'closing has aborted');
    }),
    one('Deployment.close: closes a deployment that was never used', standalone, [db1], ({ deployment }) =>
      deployment.close(),
    ),
  ];

  const watching = [
    one(
      'Deployment.select: selects a primary for writes, and a secondary for mode secondary',
      replicaSet,
      [db1, db2],
      async scene => {
        const { deployment } = scene;
        const writes = requestOf({ name: 'insert', kind: 'write' });
        expectEqual((await select(deployment, writes)).description.type, 'RSPrimary', 'for a write');
        const reads = requestOf({ selection: { mode: 'secondary' } });
        const chosen = await select(deployment, reads);
        expectEqual(
          [chosen.description.type, chosen.description.address],
          ['RSSecondary', db2],
          'for a secondary read',
        );
      },
    ),
    one(
      'Deployment.select: selects a server to avoid only if no other is suitable',
      replicaSet,
      [db1, db2],
      async scene => {
        const selection = { mode: 'nearest' } as const;
        await select(scene.deployment, requestOf({ selection: { mode: 'secondary' } }));
        for (const avoided of [db1, db2]) {
          const { description } = await select(scene.deployment, requestOf({ selection }, { avoid: [avoided] }));
          expectTrue(description.address !== avoided, `${avoided} is passed over`);
        }
        const { description } = await select(scene.deployment, requestOf({}, { avoid: [db1] }));
        expectEqual(description.address, db1, 'the only one that will do');
      },
    ),
    one(
      'Deployment.select: with an address, selects that server of any type, or fails if it is unknown',
      replicaSet,
      [db1, db2],
      async scene => {
        const { deployment, pools } = scene;
        await select(deployment, requestOf({ selection: { mode: 'secondary' } }));
        const server = await select(deployment, requestOf(), db2);
        expectTrue(server.description.address === db2 && server.pool === pools.get(db2), 'db2 and its pool');
        const unknown = select(deployment, requestOf({}, { deadline: scene.clock.now() + 100 }), 'nobody:27017');
        await expectRejection(unknown, { kind: 'selection', phase: 'select' }, 'selecting a server that is not known');
      },
    ),
    one(
      'Deployment.select: without a server, fails as selection at the deadline with the address in its message',
      nothing,
      [db1],
      async scene => {
        const { deployment, clock } = scene;
        const deadline = clock.now() + 2000;
        const error = await expectRejection(
          select(deployment, requestOf({}, { deadline })),
          { kind: 'selection', phase: 'select' },
          'selecting where there is no server',
        );
        expectEqual([clock.now(), error.origin?.sent], [deadline, false], 'when it failed; whether something was sent');
        expectTrue(error.message.includes(db1), `the message names ${db1}: ${error.message}`);
      },
    ),
    one(
      'Deployment.select: waits for a server that comes up',
      nothing,
      [db1],
      async ({ deployment, script, clock }) => {
        const waiting = select(deployment, requestOf({}, { deadline: clock.now() + 25_000 }));
        await clock.sleep(3000);
        standalone(script);
        expectEqual((await waiting).description.address, db1, 'the address');
        expectTrue(clock.now() <= 3000 + 11_000, 'it was found by the next check');
      },
    ),
    one(
      'Deployment.select: an aborted signal ends the wait; no listener is left on the signal',
      nothing,
      [db1],
      async scene => {
        const { deployment, clock } = scene;
        const reason = new Error('enough');
        const hand = createAbort();
        const waiting = select(deployment, requestOf({}, { signal: hand.signal }));
        await clock.sleep(10);
        hand.abort(reason);
        const error = await expectRejection(waiting, { kind: 'aborted', phase: 'select' }, 'an aborted selection');
        expectTrue(error.cause === reason, 'the cause is the reason of the signal');
        expectEqual([hand.listeners, clock.now()], [0, 10], 'listeners left, and when it failed');
      },
    ),
    one(
      'Deployment.report: a server whose connection was lost is Unknown in the same turn, and discovered again',
      standalone,
      [db1],
      async scene => {
        const { deployment, pools } = scene;
        await select(deployment, requestOf());
        const error = lost();
        deployment.report(error);
        const description = deployment.description.servers.get(db1);
        expectTrue(description?.type === 'Unknown' && description.error === error, 'Unknown, with the error');
        await select(deployment, requestOf());
        expectEqual(pools.get(db1)?.state, 'ready', 'its pool');
      },
    ),
    one(
      'Deployment.interrupt: fails waiting selections at once, as closed',
      nothing,
      [db1],
      async ({ deployment, clock }) => {
        const failing = expectRejection(
          select(deployment, requestOf()),
          { kind: 'closed', phase: 'select' },
          'the waiting selection',
        );
        await clock.sleep(100);
        const from = clock.now();
        deployment.interrupt();
        await failing;
        expectEqual(clock.now(), from, 'when it failed');
      },
    ),
    one('Deployment.close: waiting selections fail at once', nothing, [db1], async ({ deployment, clock }) => {
      const waiting = select(deployment, requestOf());
      const failing = expectRejection(waiting, {}, 'the waiting selection');
      await clock.sleep(100);
      const from = clock.now();
      await deployment.close();
      await failing;
      expectEqual(clock.now(), from, 'when it failed');
      await expectRejection(select(deployment, requestOf()), {}, 'selecting after close');
    }),
  ];
  return watches ? [...always, ...watching] : always;
};
