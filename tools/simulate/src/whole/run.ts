import type { Parts } from '@tessera/client';
import { bson } from '@tessera/bson';
import type { Runtime, Socket } from '@tessera/contracts';
import { createServer } from '@tessera/server';
import type { World } from '@tessera/sim';
import { createWire } from '@tessera/wire';
import { liveThrough } from '../live.js';
import { createRecord } from '../record.js';
import type { Lived, Record } from '../record.js';
import { socketAround } from '../sockets.js';
import { createCallers } from './caller.js';
import { createFaults } from './faults.js';
import { openClient } from './open-client.js';
import { createOperator } from './operator.js';
import { callsOf } from './plan.js';
import type { PlannedCall, WholePlan } from './plan.js';

/** After the faults have ended, so long until every call of before must have ended too. */
const patience = 60_000;
/** After the client was closed: so long may the last late reply be drained, and packets be on their way. */
const aftermath = 3000;

/** Whatever the server writes, with the number of the request that it answers. */
const tapped = (socket: Socket, record: Record): Socket =>
  socketAround(socket, {
    write: bytes => {
      record.add({ is: 'answered', requestId: new DataView(bytes.buffer, bytes.byteOffset).getInt32(8, true) });
      return socket.write(bytes);
    },
  });

const runtimeOfServer = (world: World, record: Record): Runtime => {
  const runtime = world.at('db1');
  const { listener } = runtime;
  return {
    ...runtime,
    listener: {
      listen: (at, accept) =>
        listener.listen(at, socket => {
          accept(tapped(socket, record));
        }),
    },
  };
};

/** When all is well again, a call succeeds; without retryWrites a caller has to repeat for itself. */
const last = (number: number, timeoutMS: number): PlannedCall => ({
  number,
  kind: 'insertOne',
  concern: 'majority',
  timeoutMS,
});

/** Lives through one plan, with these parts in place of the driver's own. The same plan gives the same history. */
export const runWhole = async (plan: WholePlan, parts: Partial<Parts> = {}): Promise<Lived<WholePlan>> => {
  const { seed, splitsWrites: splitWrites, server: planned } = plan;
  const { record, world, run } = liveThrough({ seed, splitWrites, hosts: ['db1:27017'] }, clock =>
    createRecord(clock, { commands: true }),
  );
  const { clock } = world.runtime;
  const { version, journalInterval, capacity } = planned;
  const calls = [...callsOf(plan)];

  const live = async (): Promise<void> => {
    const options = { version, journalInterval, replicaSet: 'rs', testCommands: true };
    const server = createServer(
      runtimeOfServer(world, record),
      capacity === undefined ? options : { ...options, capacity },
    );
    await server.listen('db1:27017');
    const operator = createOperator(server, createWire({ bson, compressors: [] }));
    await operator.prepare(calls);
    const faults = createFaults(world, server, operator, plan, record);
    const client = openClient(world, 'mongodb://db1/shop?replicaSet=rs', plan.settings, parts, record);
    const callers = createCallers(client, clock, record);
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => {
      record.add({ is: 'closing' });
      return client.close().then(() => {
        record.add({ is: 'closed' });
      });
    };
    const succeedAtLast = async (): Promise<void> => {
      for (let tries = plan.settings.retryWrites ? 1 : 3; tries > 0; tries -= 1) {
        const call = last(1000 + tries, plan.settings.serverSelectionTimeoutMS);
        calls.push(call);
        if (await callers.call(call)) return;
      }
    };

    for (const event of plan.events) {
      await clock.sleep(event.at - clock.now());
      if (event.what === 'call') void callers.call(event);
      else if (event.what === 'converse') void callers.converse(event.calls, event.causal);
      else {
        record.add({ is: 'happening', happening: event });
        if (event.what === 'closeClient') closing ??= close();
        else faults.happen(event);
      }
    }
    await clock.sleep(plan.healAt - clock.now());
    await faults.heal();
    record.add({ is: 'healed' });
    const limit = clock.now() + patience;
    while (callers.busy > 0 && clock.now() < limit) await clock.sleep(100);
    await clock.sleep(1000);
    if (closing === undefined) {
      await succeedAtLast();
      closing = close();
    }
    await closing;
    await clock.sleep(aftermath);
    for (const what of world.leftovers()) if (what.includes('end of client')) record.add({ is: 'leftover', what });
    record.add({ is: 'found', marks: await operator.find(calls) });
    await server.close();
    await clock.sleep(1000);
    for (const what of world.leftovers()) record.add({ is: 'leftover', what });
  };

  await run(live);
  return { plan, entries: record.entries, packets: world.history };
};
