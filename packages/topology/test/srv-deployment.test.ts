/** A deployment whose hosts are looked up in DNS, before and after the lookup. */
import { Cancellation, MongoError } from '@tessera/contracts';
import type { Address, Deployment, Millis, Request, Server } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { createSrvDeployment, emptyTopology } from '../src/index.js';
import { failureOf, ping, request, world } from './scripted.js';

const server = {} as Server;
const known = { ...emptyTopology, setName: 'rs0' };

interface Scene {
  readonly deployment: Deployment;
  select(more?: Partial<Request<unknown>>, at?: Address): Promise<Server>;
  failure(more?: Partial<Request<unknown>>): Promise<MongoError>;
  /** The calls, in order. */
  readonly called: unknown[];
  /** Ends the lookup in progress. */
  find(error?: Error): void;
  now(): Millis;
  sleep(duration: Millis): Promise<void>;
}

const told = (error: MongoError): unknown => {
  const { kind, message, origin } = error;
  return { kind, message, origin };
};

const scene =
  (program: (scene: Scene) => Promise<void>, srv = true) =>
  async () => {
    const { runtime, run, leftovers } = world();
    const { clock } = runtime;
    const called: unknown[] = [];
    let find: (error?: Error) => void = () => undefined;
    await run(async () => {
      const opened: Deployment = {
        description: known,
        select: (request, at) => {
          called.push(['select', request.operation.name, at]);
          return server;
        },
        report: error => void called.push(['report', error.message]),
        interrupt: () => void called.push('interrupt'),
        closing: new Cancellation(),
        close: () => {
          called.push('close');
          return Promise.resolve();
        },
      };
      const options = { srv, srvHost: 'a.example.com', serverSelectionTimeoutMS: 300, hosts: ['a.example.com'] };
      const deployment = createSrvDeployment<typeof options>(
        {
          clock,
          resolve: given => {
            called.push(['resolve', given.srvHost]);
            return new Promise((resolve, reject) => {
              find = error => {
                if (error === undefined) resolve({ ...given, hosts: ['b.example.com'] });
                else reject(error);
              };
            });
          },
          lookUpSeeds: ({ hosts }) => Promise.resolve({ hosts, timeToLive: 5 }),
          open: ({ hosts }, lookUpSeeds) => {
            called.push(['open', ...hosts]);
            void lookUpSeeds?.().then(seeds => called.push(['looked up', seeds]));
            return opened;
          },
        },
        options,
      );
      const select: Scene['select'] = async (more, at) => deployment.select(request<unknown>(ping, more), at);
      await program({
        select,
        failure: more => failureOf(select(more)),
        ...{ deployment, called, find: error => void find(error) },
        now: () => clock.now(),
        sleep: duration => clock.sleep(duration),
      });
    });
    expect(leftovers()).toEqual([]);
  };

const closed = {
  kind: 'closed',
  message: 'The client is closed. Create a new MongoClient to run more operations.',
  origin: { phase: 'select', sent: false },
};

describe('a deployment whose hosts are looked up in DNS', () => {
  test(
    'looks up the hosts once, when the first operation selects a server, and then acts as the deployment of those hosts',
    scene(async ({ deployment, select, called, find, sleep }) => {
      deployment.report(new MongoError('network', 'too early'));
      expect([called, deployment.description, deployment.closing.aborted]).toEqual([[], emptyTopology, false]);
      const selecting = [select(), select({}, 'b.example.com:27017')];
      find();
      expect(await Promise.all(selecting)).toEqual([server, server]);
      await sleep(1);
      deployment.report(new MongoError('network', 'lost'));
      deployment.interrupt();
      expect([await select(), deployment.description]).toEqual([server, known]);
      await deployment.close();
      expect(called).toEqual([
        ['resolve', 'a.example.com'],
        ['open', 'b.example.com'],
        ['looked up', { hosts: ['b.example.com'], timeToLive: 5 }],
        ['select', 'ping', undefined],
        ['select', 'ping', 'b.example.com:27017'],
        ['report', 'lost'],
        'interrupt',
        ['select', 'ping', undefined],
        'close',
      ]);
    }),
  );

  test(
    'fails every waiting operation with an error of its own when the lookup fails, and looks up again for the next one',
    scene(async ({ select, failure, called, find }) => {
      const origin = { phase: 'resolve', sent: false } as const;
      const selecting = [failure(), failure()];
      const cause = new MongoError('network', 'ESERVFAIL', { origin });
      find(cause);
      const [first, second] = await Promise.all(selecting);
      expect([told(first!), told(second!), first === second]).toEqual([told(cause), told(cause), false]);
      expect(first!.cause).toBe(cause);
      const next = select();
      find();
      expect([await next, called.length]).toEqual([server, 5]);
    }),
  );

  test(
    'lets an operation wait for the hosts until its deadline, but no longer than serverSelectionTimeoutMS',
    scene(async ({ select, failure, find, now }) => {
      const began = now();
      const late = (waited: Millis): unknown => ({
        kind: 'selection',
        message: `The DNS lookup of a.example.com did not complete within ${waited} ms. Check that the DNS servers answer.`,
        origin: { phase: 'select', sent: false, waited },
      });
      const limited = failure();
      expect(told(await failure({ deadline: began + 100 }))).toEqual(late(100));
      expect([told(await limited), now() - began]).toEqual([late(300), 300]);
      const next = select();
      find();
      expect(await next).toBe(server);
    }),
  );

  test(
    'fails an operation whose signal aborts, and leaves the others waiting',
    scene(async ({ select, failure, find }) => {
      const signal = new Cancellation();
      const aborted = failure({ signal });
      const other = select();
      const reason = new Error('enough');
      signal.abort(reason);
      const error = await aborted;
      expect([told(error), error.cause]).toEqual([
        {
          kind: 'aborted',
          message: 'ping was aborted by its signal during the DNS lookup of a.example.com.',
          origin: { phase: 'select', sent: false, waited: undefined },
        },
        reason,
      ]);
      find();
      expect(await other).toBe(server);
    }),
  );

  test(
    'fails waiting operations as closed when it is interrupted, and serves later ones',
    scene(async ({ deployment, select, failure, find }) => {
      const waiting = failure();
      deployment.interrupt();
      expect(told(await waiting)).toMatchObject(closed);
      const next = select();
      find();
      expect(await next).toBe(server);
    }),
  );

  test(
    'opens nothing after it is closed, for any result of the lookup',
    scene(async ({ deployment, failure, find, sleep, called }) => {
      const waiting = failure();
      await deployment.close();
      find();
      await sleep(1);
      expect([told(await waiting), told(await failure())]).toMatchObject([closed, closed]);
      expect(called).toEqual([['resolve', 'a.example.com']]);
    }),
  );

  test(
    'is the deployment of the hosts in the options when they are not looked up',
    scene(async ({ select, called }) => {
      expect([await select(), called]).toEqual([
        server,
        [
          ['open', 'a.example.com'],
          ['select', 'ping', undefined],
        ],
      ]);
    }, false),
  );
});
