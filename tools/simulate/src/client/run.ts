import { bson } from '@tessera/bson';
import type { InnerParts } from '@tessera/client';
import type { Runtime } from '@tessera/contracts';
import { createServer } from '@tessera/server';
import type { World } from '@tessera/sim';
import { createWire } from '@tessera/wire';
import { around } from '../kernel/around.js';
import { openClient } from '../kernel/open-client.js';
import { callsOf } from '../kernel/plan.js';
import type { Lived, Record } from '../kernel/record.js';
import { liveThrough } from '../kernel/run.js';
import { createClientCallers } from './callers.js';
import { createClientFaults } from './faults.js';
import { createOperator } from './operator.js';
import type { ClientCall, ClientPlan } from './plan.js';

/** Records each reply that the server writes, with the id of its request. */
const runtimeOfServer = (world: World, record: Record): Runtime => {
  const runtime = world.at('db1');
  const { listener } = runtime;
  return {
    ...runtime,
    listener: {
      listen: (at, accept) =>
        listener.listen(at, socket => {
          const write = (bytes: Uint8Array): boolean => {
            const requestId = new DataView(bytes.buffer, bytes.byteOffset).getInt32(8, true);
            record.add({ is: 'answered', requestId });
            return socket.write(bytes);
          };
          accept(around(socket, { write }));
        }),
    },
  };
};

/** Runs one plan, with these parts in place of the driver's own. */
export const runClient = (plan: ClientPlan, parts: Partial<InnerParts> = {}): Promise<Lived> =>
  liveThrough(plan, { hosts: ['db1:27017'], commands: true, patience: 60_000 }, async (world, record) => {
    const { distance: _, ...server } = plan.server;
    const embedded = createServer(runtimeOfServer(world, record), { ...server, replicaSet: 'rs', testCommands: true });
    await embedded.listen('db1:27017');
    const operator = createOperator(embedded, createWire({ bson, compressors: [] }));
    await operator.prepare(callsOf<ClientCall>(plan));
    const faults = createClientFaults(world, embedded, operator, plan, record);
    const client = openClient(world, 'mongodb://db1/shop?replicaSet=rs', plan.settings, parts, record);
    return {
      callers: createClientCallers(client, world.runtime.clock, record),
      faults,
      last: (number, timeoutMS): ClientCall => ({ number, kind: 'insertOne', concern: 'majority', timeoutMS }),
      close: () => client.close(),
      end: async calls => {
        record.add({ is: 'found', marks: await operator.find(calls as readonly ClientCall[]) });
        await embedded.close();
      },
    };
  });
