import type { Connect } from '@tessera/contracts';
import { expect, test } from 'vitest';
import { createMonitor } from '../src/monitoring/monitor.js';
import { connectTo, listen, server, world } from './scripted.js';

test('SDAM Logging and Monitoring, "Common Fields": a heartbeat event has the topology id, the server, the connection id and, once known, the server\'s id of the connection', async () => {
  const { runtime, run, leftovers } = world();
  const { clock } = runtime;
  const met = server({});
  const events = listen();
  const connect: Connect = async (to, options) => {
    const connection = await connectTo({ 'a:27017': met }, clock)(to, options);
    return Object.assign(connection, { hello: { ...connection.hello, connectionId: 42n } });
  };
  await run(async () => {
    const monitor = createMonitor(
      { clock, events, connect, checked: () => undefined, failed: () => undefined },
      {
        address: 'a:27017',
        topologyId: 7,
        heartbeatFrequencyMS: 10_000,
        minHeartbeatFrequencyMS: 500,
        connectTimeoutMS: 0,
        mayStream: false,
      },
    );
    monitor.start();
    await clock.sleep(10_010);
    met.delay = 100;
    await clock.sleep(10_000);
    await monitor.close();
  });
  expect(leftovers()).toEqual([]);
  const common = {
    topologyId: 7,
    address: 'a:27017',
    connectionId: 'a:27017#1',
    driverConnectionId: 1,
    awaited: false,
  };
  const known = { ...common, serverConnectionId: 42n };
  const reply = expect.objectContaining({ ok: 1 }) as unknown;
  expect(events.emitted).toEqual([
    { name: 'serverHeartbeatStarted', ...common, serverConnectionId: undefined },
    { name: 'serverHeartbeatSucceeded', ...known, duration: 2, reply },
    { name: 'serverHeartbeatStarted', ...known },
    { name: 'serverHeartbeatSucceeded', ...known, duration: 2, reply },
    { name: 'serverHeartbeatStarted', ...known },
    {
      name: 'serverHeartbeatFailed',
      ...known,
      duration: 6,
      failure: expect.objectContaining({ kind: 'aborted' }) as unknown,
    },
  ]);
});
