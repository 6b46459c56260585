/** The classes of the events that a client emits and that programs create. */
import * as client from '@tessera/client';
import type { EventName } from '@tessera/contracts';
import { createServer } from '@tessera/server';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';
import { eventClasses } from '../src/event-classes.js';
import { withServer } from './with-server.js';

type AnyEvent = Readonly<Record<string, unknown>> & { readonly name: EventName };

const listen = (to: client.MongoClient): AnyEvent[] => {
  const events: AnyEvent[] = [];
  const on = to.on.bind(to) as unknown as (name: string, listener: (event: AnyEvent) => void) => void;
  for (const name of Object.keys(eventClasses)) on(name, event => events.push(event));
  return events;
};

const find = (events: readonly AnyEvent[], name: EventName): AnyEvent => events.find(event => event.name === name)!;

describe('the events of a client', () => {
  test('are instances of their classes', async () => {
    const all: AnyEvent[] = [];
    await withServer(async ({ client: emitting }) => {
      const events = listen(emitting);
      await emitting.db().command({ ping: 1 });
      await emitting
        .db()
        .command({ noSuchCommand: 1 })
        .catch(() => undefined);
      await emitting.close();
      all.push(...events);
    });
    for (const event of all) {
      const expected = eventClasses[event.name as keyof typeof eventClasses];
      expect(event).toBeInstanceOf(expected);
      expect(event.constructor.name).toBe(`${event.name[0]!.toUpperCase()}${event.name.slice(1)}Event`);
      if (event.name.startsWith('connection')) expect(event).toBeInstanceOf(client.ConnectionPoolMonitoringEvent);
    }
    expect(find(all, 'commandStarted')).toMatchObject({
      ...{ address: 'db1:27017', databaseName: 'shop', commandName: 'ping', hasServiceId: false },
    });
    expect(find(all, 'commandFailed')['failure']).toBeInstanceOf(client.MongoServerError);
    expect(find(all, 'connectionCreated')['time']).toBeInstanceOf(Date);
    expect(find(all, 'connectionClosed')).toMatchObject({ reason: 'poolClosed', error: null });
    expect(find(all, 'serverDescriptionChanged')['newDescription']).toBeInstanceOf(client.ServerDescription);
    expect(find(all, 'topologyDescriptionChanged')['previousDescription']).toBeInstanceOf(client.TopologyDescription);
  });

  test('have errors of the public classes', async () => {
    const world = createWorld({ turn: () => new Promise<void>(resolve => setImmediate(resolve)) });
    await world.run(async () => {
      const server = createServer(world.at('db1'));
      const listening = await server.listen('db1:27017');
      const emitting = new client.MongoClient('mongodb://db1', {}, { runtime: world.runtime });
      const events = listen(emitting);
      await emitting.connect();
      await listening.close();
      await server.close();
      await world.runtime.clock.sleep(11_000);
      expect(find(events, 'serverHeartbeatFailed')['failure']).toBeInstanceOf(client.MongoNetworkError);
      await emitting.close();
    });
  });

  test('include events that a program creates and emits', () => {
    const { runtime } = createWorld({ turn: () => Promise.resolve() });
    const emitting = new client.MongoClient('mongodb://db1', {}, { runtime });
    const event = new client.ServerHeartbeatSucceededEvent('db1:27017', 5, { ok: 1 }, false);
    const seen: unknown[] = [];
    emitting.on('serverHeartbeatSucceeded', heard => seen.push(heard));
    emitting.emit('serverHeartbeatSucceeded', event as never);
    expect(seen).toEqual([event]);
    expect(seen[0]).toBe(event);
  });
});

test('an event that a program creates has the fields of its arguments', () => {
  const pool = { address: 'db1:27017', options: { maxPoolSize: 5 } };
  const connection = { id: 3, address: 'db1:27017' };
  const command = { requestId: 7, databaseName: 'shop', command: { ping: 1 } };
  const error = new Error('no');
  const { address } = pool;
  const common = { address, connectionId: 3, serviceId: undefined, requestId: 7, databaseName: 'shop' };
  const ping = { ...common, commandName: 'ping', serverConnectionId: 9n };
  const made = [
    new client.ConnectionPoolCreatedEvent(pool),
    new client.ConnectionPoolCreatedEvent({ address }),
    new client.ConnectionPoolReadyEvent(pool),
    new client.ConnectionPoolClosedEvent(pool),
    new client.ConnectionPoolClearedEvent(pool),
    new client.ConnectionCreatedEvent(pool, connection),
    new client.ConnectionReadyEvent(pool, connection, 5),
    new client.ConnectionClosedEvent(pool, connection, 'idle'),
    new client.ConnectionCheckOutStartedEvent(pool),
    new client.ConnectionCheckOutFailedEvent(pool, 'timeout', 5, error),
    new client.ConnectionCheckedOutEvent(pool, connection, 5),
    new client.ConnectionCheckedInEvent(pool, connection),
    new client.CommandStartedEvent(connection, command, 9n),
    new client.CommandSucceededEvent(connection, command, { ok: 1 }, 5, 9n),
    new client.CommandFailedEvent(connection, command, error, 5, 9n),
    new client.TopologyOpeningEvent(1),
    new client.TopologyClosedEvent(1),
    new client.TopologyDescriptionChangedEvent(1, 'a' as never, 'b' as never),
    new client.ServerOpeningEvent(1, address),
    new client.ServerClosedEvent(1, address),
    new client.ServerDescriptionChangedEvent(1, address, 'a' as never, 'b' as never),
    new client.ServerHeartbeatStartedEvent(address, true),
    new client.ServerHeartbeatFailedEvent(address, 5, error, true),
  ];
  expect(made.map(event => ({ ...event }))).toEqual([
    { name: 'connectionPoolCreated', ...pool },
    { name: 'connectionPoolCreated', address, options: {} },
    { name: 'connectionPoolReady', address },
    { name: 'connectionPoolClosed', address },
    { name: 'connectionPoolCleared', address, serviceId: undefined, interruptInUseConnections: undefined },
    { name: 'connectionCreated', address, connectionId: 3 },
    { name: 'connectionReady', address, connectionId: 3, durationMS: 5 },
    { name: 'connectionClosed', address, connectionId: 3, reason: 'idle', serviceId: undefined, error: null },
    { name: 'connectionCheckOutStarted', address },
    { name: 'connectionCheckOutFailed', address, reason: 'timeout', durationMS: 5, error },
    { name: 'connectionCheckedOut', address, connectionId: 3, durationMS: 5 },
    { name: 'connectionCheckedIn', address, connectionId: 3 },
    { name: 'commandStarted', ...ping, command: { ping: 1 } },
    { name: 'commandSucceeded', ...ping, duration: 5, reply: { ok: 1 } },
    { name: 'commandFailed', ...ping, duration: 5, failure: error },
    { name: 'topologyOpening', topologyId: 1 },
    { name: 'topologyClosed', topologyId: 1 },
    { name: 'topologyDescriptionChanged', topologyId: 1, previousDescription: 'a', newDescription: 'b' },
    { name: 'serverOpening', topologyId: 1, address },
    { name: 'serverClosed', topologyId: 1, address },
    { name: 'serverDescriptionChanged', topologyId: 1, address, previousDescription: 'a', newDescription: 'b' },
    { name: 'serverHeartbeatStarted', connectionId: address, awaited: true },
    { name: 'serverHeartbeatFailed', connectionId: address, duration: 5, failure: error, awaited: true },
  ]);
});
