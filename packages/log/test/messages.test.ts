import type { DriverEvent, LogMessage, ServerDescription, TopologyDescription } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { textOf } from '@tessera/log';
import { ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { listen } from './world.js';

const at = new Date(1_700_000_000_000);

/** Returns the log message of an event: its fields in order, and its text. */
const told = (event: DriverEvent): readonly [readonly (readonly [string, unknown])[], string] => {
  const { sink, logs } = listen();
  expect(sink.wants(event.name)).toBe(true);
  sink.emit(event);
  expect(logs).toHaveLength(1);
  const [log] = logs as [LogMessage];
  const { t, c, s, ...fields } = log;
  expect(t).toEqual(at);
  return [[[c, s], ...Object.entries(fields)], textOf(log)];
};

const serviceId = new ObjectId('0123456789abcdef01234567');
const address = 'db1:27017';
const host = [
  ['serverHost', 'db1'],
  ['serverPort', 27017],
] as const;

const refused = new MongoError('network', 'db1:27017 refused', { cause: new Error('ECONNREFUSED') });
const refusedText = 'MongoError: db1:27017 refused {"kind":"network"}, cause: Error: ECONNREFUSED';

describe('Command Logging and Monitoring, "Log Messages"', () => {
  const command = {
    ...{ address, connectionId: 3, requestId: 4, operationId: 5, databaseName: 'shop', commandName: 'ping' },
    ...{ serverConnectionId: 6n, serviceId },
  };
  const common = [
    ['commandName', 'ping'],
    ['databaseName', 'shop'],
    ['requestId', 4],
    ['operationId', 5],
    ['driverConnectionId', 3],
    ...host,
    ['serverConnectionId', 6],
    ['serviceId', '0123456789abcdef01234567'],
  ];
  const where =
    'using a connection with driver-generated ID 3 and server-generated ID 6 to db1:27017 with service ID' +
    ' 0123456789abcdef01234567. The requestID is 4 and the operation ID is 5.';

  test('"Command Started Message"', () => {
    expect(told({ name: 'commandStarted', ...command, command: { ping: 1 } })).toEqual([
      [['command', 'debug'], ...common, ['message', 'Command started'], ['command', '{"ping":1}']],
      `Command "ping" started on database "shop" ${where} Command: {"ping":1}`,
    ]);
  });

  test('"Omitting Null Values": leaves out fields and words for values that the server did not send', () => {
    const few = { ...command, address: '/tmp/a.sock', serverConnectionId: undefined, serviceId: undefined };
    expect(told({ name: 'commandStarted', ...few, command: {} })).toEqual([
      [
        ['command', 'debug'],
        ...common.slice(0, 5),
        ...[
          ['serverHost', '/tmp/a.sock'],
          ['message', 'Command started'],
          ['command', '{}'],
        ],
      ],
      'Command "ping" started on database "shop" using a connection with driver-generated ID 3 to /tmp/a.sock.' +
        ' The requestID is 4 and the operation ID is 5. Command: {}',
    ]);
  });

  test('"Command Succeeded Message"', () => {
    expect(told({ name: 'commandSucceeded', ...command, duration: 1.5, reply: { ok: 1 } })).toEqual([
      [['command', 'debug'], ...common, ['message', 'Command succeeded'], ['durationMS', 1.5], ['reply', '{"ok":1}']],
      `Command "ping" succeeded on database "shop" in 1.5 ms ${where} Command reply: {"ok":1}`,
    ]);
  });

  test('"Command Failed Message": contains all details of the error', () => {
    const failure = new MongoError('server', 'no', {
      ...{ code: 59, codeName: 'CommandNotFound', labels: ['L'] },
      reply: { ok: 0, errmsg: 'no' },
    });
    const text =
      'MongoError: no {"kind":"server","code":59,"codeName":"CommandNotFound","errorLabels":["L"]},' +
      ' reply: {"ok":0,"errmsg":"no"}';
    expect(told({ name: 'commandFailed', ...command, duration: 2, failure })).toEqual([
      [['command', 'debug'], ...common, ['message', 'Command failed'], ['durationMS', 2], ['failure', text]],
      `Command "ping" failed on database "shop" in 2 ms ${where} Error: ${text}`,
    ]);
  });
});

describe('Connection Monitoring and Pooling, "Connection Pool Logging"', () => {
  const connection = ['connection', 'debug'];
  const id = ['driverConnectionId', 3];

  test('pools', () => {
    const options = { maxPoolSize: 7, minPoolSize: 1, maxIdleTimeMS: 9, maxConnecting: 3, waitQueueTimeoutMS: 5 };
    expect(told({ name: 'connectionPoolCreated', address, options })).toEqual([
      [
        connection,
        ...host,
        ['message', 'Connection pool created'],
        ['maxIdleTimeMS', 9],
        ['minPoolSize', 1],
        ['maxPoolSize', 7],
        ['maxConnecting', 3],
        ['waitQueueTimeoutMS', 5],
      ],
      'Connection pool created for db1:27017 using options maxIdleTimeMS=9, minPoolSize=1, maxPoolSize=7,' +
        ' maxConnecting=3, waitQueueTimeoutMS=5',
    ]);
    const text = (some: object): string => told({ name: 'connectionPoolCreated', address, options: some })[1];
    expect(text({ minPoolSize: 1 })).toBe('Connection pool created for db1:27017 using options minPoolSize=1');
    expect(text({})).toBe('Connection pool created for db1:27017');
    expect(told({ name: 'connectionPoolReady', address })).toEqual([
      [connection, ...host, ['message', 'Connection pool ready']],
      'Connection pool ready for db1:27017',
    ]);
    expect(told({ name: 'connectionPoolCleared', address, interruptInUseConnections: false })).toEqual([
      [connection, ...host, ['message', 'Connection pool cleared']],
      'Connection pool for db1:27017 cleared',
    ]);
    expect(told({ name: 'connectionPoolCleared', address, serviceId, interruptInUseConnections: false })).toEqual([
      [connection, ...host, ['message', 'Connection pool cleared'], ['serviceId', '0123456789abcdef01234567']],
      'Connection pool for db1:27017 cleared for serviceId 0123456789abcdef01234567',
    ]);
    expect(told({ name: 'connectionPoolClosed', address })).toEqual([
      [connection, ...host, ['message', 'Connection pool closed']],
      'Connection pool closed for db1:27017',
    ]);
  });

  test('connections', () => {
    const of = { address, connectionId: 3 };
    expect(told({ name: 'connectionCreated', ...of })).toEqual([
      [connection, ...host, ['message', 'Connection created'], id],
      'Connection created: address=db1:27017, driver-generated ID=3',
    ]);
    expect(told({ name: 'connectionReady', ...of, durationMS: 2 })).toEqual([
      [connection, ...host, ['message', 'Connection ready'], id, ['durationMS', 2]],
      'Connection ready: address=db1:27017, driver-generated ID=3, established in=2 ms',
    ]);
    const reasons = {
      stale: 'Connection became stale because the pool was cleared',
      idle: 'Connection has been available but unused for longer than the configured max idle time',
      poolClosed: 'Connection pool was closed',
    };
    for (const [reason, words] of Object.entries(reasons))
      expect(told({ name: 'connectionClosed', ...of, reason: reason as never, error: refused })).toEqual([
        [connection, ...host, ['message', 'Connection closed'], id, ['reason', words]],
        `Connection closed: address=db1:27017, driver-generated ID=3. Reason: ${words}.`,
      ]);
    const words = 'An error occurred while using the connection';
    expect(told({ name: 'connectionClosed', ...of, reason: 'error', error: refused })).toEqual([
      [connection, ...host, ['message', 'Connection closed'], id, ['reason', words], ['error', refusedText]],
      `Connection closed: address=db1:27017, driver-generated ID=3. Reason: ${words}. Error: ${refusedText}`,
    ]);
  });

  test('check-outs', () => {
    const of = { address, connectionId: 3 };
    expect(told({ name: 'connectionCheckOutStarted', address })).toEqual([
      [connection, ...host, ['message', 'Connection checkout started']],
      'Checkout started for connection to db1:27017',
    ]);
    const reasons = {
      timeout: 'Wait queue timeout elapsed without a connection becoming available',
      poolClosed: 'Connection pool was closed',
    };
    for (const [reason, words] of Object.entries(reasons))
      expect(
        told({ name: 'connectionCheckOutFailed', address, reason: reason as never, error: refused, durationMS: 2 }),
      ).toEqual([
        [connection, ...host, ['message', 'Connection checkout failed'], ['reason', words], ['durationMS', 2]],
        `Checkout failed for connection to db1:27017. Reason: ${words}. Duration: 2 ms`,
      ]);
    const words = 'An error occurred while trying to establish a new connection';
    expect(
      told({ name: 'connectionCheckOutFailed', address, reason: 'connectionError', error: refused, durationMS: 2 }),
    ).toEqual([
      [
        connection,
        ...host,
        ['message', 'Connection checkout failed'],
        ['reason', words],
        ['error', refusedText],
        ['durationMS', 2],
      ],
      `Checkout failed for connection to db1:27017. Reason: ${words}. Error: ${refusedText}. Duration: 2 ms`,
    ]);
    expect(told({ name: 'connectionCheckedOut', ...of, durationMS: 2 })).toEqual([
      [connection, ...host, ['message', 'Connection checked out'], id, ['durationMS', 2]],
      'Connection checked out: address=db1:27017, driver-generated ID=3, duration=2 ms',
    ]);
    expect(told({ name: 'connectionCheckedIn', ...of })).toEqual([
      [connection, ...host, ['message', 'Connection checked in'], id],
      'Connection checked in: address=db1:27017, driver-generated ID=3',
    ]);
  });
});

const server: ServerDescription = {
  ...{ address, type: 'RSPrimary', error: undefined, roundTripTime: 2, minRoundTripTime: 1, lastUpdateTime: 5 },
  ...{ lastWriteDate: undefined, minWireVersion: 0, maxWireVersion: 25, me: address, hosts: [address], passives: [] },
  ...{ arbiters: [], tags: { dc: 'ny' }, setName: 'rs', setVersion: 1, electionId: undefined, primary: address },
  ...{ logicalSessionTimeoutMinutes: 30, topologyVersion: undefined },
};
const lost: ServerDescription = {
  ...{ ...server, address: 'db2:27017', type: 'Unknown', error: refused, roundTripTime: undefined, tags: {} },
  ...{ setName: undefined, primary: undefined },
};
const topologyOf = (...servers: readonly ServerDescription[]): TopologyDescription => ({
  type: 'ReplicaSetWithPrimary',
  setName: 'rs',
  ...{ maxElectionId: undefined, maxSetVersion: 1, compatibilityError: undefined, logicalSessionTimeoutMinutes: 30 },
  servers: new Map(servers.map(each => [each.address, each])),
});
const empty: TopologyDescription = {
  ...{ type: 'Unknown', setName: undefined, maxElectionId: undefined, maxSetVersion: undefined, servers: new Map() },
  ...{ compatibilityError: undefined, logicalSessionTimeoutMinutes: undefined },
};
const topologyText =
  '{"type":"ReplicaSetWithPrimary","setName":"rs","maxSetVersion":1,"logicalSessionTimeoutMinutes":30,"servers":[' +
  '{"address":"db1:27017","type":"RSPrimary","setName":"rs","primary":"db1:27017","tags":{"dc":"ny"},' +
  '"roundTripTime":2,"minWireVersion":0,"maxWireVersion":25},' +
  '{"address":"db2:27017","type":"Unknown","error":"db1:27017 refused"}]}';

describe('SDAM Logging and Monitoring, "Log Messages"', () => {
  const topology = ['topology', 'debug'];
  const id = ['topologyId', 7];

  test('topologies and servers', () => {
    expect(told({ name: 'topologyOpening', topologyId: 7 })).toEqual([
      [topology, id, ['message', 'Starting topology monitoring']],
      'Starting monitoring for topology with ID 7',
    ]);
    expect(told({ name: 'topologyClosed', topologyId: 7 })).toEqual([
      [topology, id, ['message', 'Stopped topology monitoring']],
      'Stopped monitoring for topology with ID 7',
    ]);
    expect(told({ name: 'serverOpening', topologyId: 7, address: '[::1]:27018' })).toEqual([
      [topology, id, ['serverHost', '::1'], ['serverPort', 27018], ['message', 'Starting server monitoring']],
      'Starting monitoring for server ::1:27018 in topology with ID 7',
    ]);
    expect(told({ name: 'serverClosed', topologyId: 7, address })).toEqual([
      [topology, id, ...host, ['message', 'Stopped server monitoring']],
      'Stopped monitoring for server db1:27017 in topology with ID 7',
    ]);
    const changed = { previousDescription: empty, newDescription: topologyOf(server, lost) };
    expect(told({ name: 'topologyDescriptionChanged', topologyId: 7, ...changed })).toEqual([
      [
        topology,
        id,
        ['message', 'Topology description changed'],
        ['previousDescription', '{"type":"Unknown","servers":[]}'],
        ['newDescription', topologyText],
      ],
      'Description changed for topology with ID 7. Previous description: {"type":"Unknown","servers":[]}.' +
        ` New description: ${topologyText}`,
    ]);
  });

  test('does not log a change of one server separately from that of the topology', () => {
    const { sink, logs } = listen();
    const changed = { topologyId: 7, address, previousDescription: lost, newDescription: server };
    expect(sink.wants('serverDescriptionChanged')).toBe(false);
    sink.emit({ name: 'serverDescriptionChanged', ...changed });
    expect(logs).toEqual([]);
  });

  test('heartbeats', () => {
    const heartbeat = {
      ...{ topologyId: 7, address, connectionId: 'db1:27017#3', driverConnectionId: 3, serverConnectionId: 6n },
      awaited: true,
    };
    const common = [topology, id, ...host, ['driverConnectionId', 3], ['serverConnectionId', 6]];
    const where =
      'db1:27017 on connection with driver-generated ID 3 and server-generated ID 6 in topology with ID 7. Awaited: true';
    expect(told({ name: 'serverHeartbeatStarted', ...heartbeat })).toEqual([
      [...common, ['message', 'Server heartbeat started'], ['awaited', true]],
      `Heartbeat started for ${where}`,
    ]);
    expect(told({ name: 'serverHeartbeatSucceeded', ...heartbeat, duration: 2, reply: { ok: 1 } })).toEqual([
      [
        ...common,
        ['message', 'Server heartbeat succeeded'],
        ['awaited', true],
        ['durationMS', 2],
        ['reply', '{"ok":1}'],
      ],
      `Heartbeat succeeded in 2 ms for ${where}. Reply: {"ok":1}`,
    ]);
    expect(told({ name: 'serverHeartbeatFailed', ...heartbeat, duration: 2, failure: refused })).toEqual([
      [
        ...common,
        ['message', 'Server heartbeat failed'],
        ['awaited', true],
        ['durationMS', 2],
        ['failure', refusedText],
      ],
      `Heartbeat failed in 2 ms for ${where}. Failure: ${refusedText}`,
    ]);
  });
});

describe('Server Selection, "Logging"', () => {
  const selection = {
    selector: { mode: 'secondary', tags: [{ dc: 'ny' }], maxStalenessSeconds: 90 } as const,
    ...{ operation: 'find', operationId: 5, topologyDescription: topologyOf(server, lost) },
  };
  const selector = '{"mode":"secondary","tags":[{"dc":"ny"}],"maxStalenessSeconds":90}';
  const common = [
    ['selector', selector],
    ['operationId', 5],
    ['operation', 'find'],
    ['topologyDescription', topologyText],
  ];
  const debug = ['serverSelection', 'debug'];
  const where = `Selector: ${selector}, topology description: ${topologyText}`;

  test('selection started, succeeded and failed', () => {
    expect(told({ name: 'serverSelectionStarted', ...selection })).toEqual([
      [debug, ...common, ['message', 'Server selection started']],
      `Server selection started for operation find with ID 5. ${where}`,
    ]);
    expect(told({ name: 'serverSelectionSucceeded', ...selection, address })).toEqual([
      [debug, ...common, ['message', 'Server selection succeeded'], ...host],
      `Server selection succeeded for operation find with ID 5. Selected server: db1:27017. ${where}`,
    ]);
    expect(told({ name: 'serverSelectionFailed', ...selection, failure: refused })).toEqual([
      [debug, ...common, ['message', 'Server selection failed'], ['failure', refusedText]],
      `Server selection failed for operation find with ID 5. Failure: ${refusedText}. ${where}`,
    ]);
  });

  test('"Waiting for suitable server to become available" has the level info', () => {
    const message = ['message', 'Waiting for suitable server to become available'];
    const info = ['serverSelection', 'info'];
    expect(told({ name: 'waitingForSuitableServer', ...selection, remainingTimeMS: 100 })).toEqual([
      [info, ...common, message, ['remainingTimeMS', 100]],
      `Waiting for server to become available for operation find with ID 5. Remaining time: 100 ms. ${where}.`,
    ]);
    expect(told({ name: 'waitingForSuitableServer', ...selection, remainingTimeMS: Infinity })).toEqual([
      [info, ...common, message],
      `Waiting for server to become available for operation find with ID 5. ${where}.`,
    ]);
  });
});
