import { defaultParts, MongoClient } from '@tessera/client';
import type { MongoClientOptions, Parts } from '@tessera/client';
import type { DriverEvent, EventName } from '@tessera/contracts';
import type { World } from '@tessera/sim';
import type { PlannedSettings } from '../plan.js';
import { probe } from '../probe.js';
import type { Record } from '../record.js';
import { eventNames } from './event-names.js';
import { probeLayers } from './probe.js';

/** A client of these parts whose every step is on the record. */
export const openClient = (
  world: World,
  uri: string,
  settings: PlannedSettings,
  parts: Partial<Parts>,
  record: Record,
): MongoClient => {
  const { pools, topology } = { ...defaultParts, ...parts };
  const probed = { ...parts, ...probe({ pools, topology }, record), ...probeLayers(parts, record) };
  const options: MongoClientOptions = { ...settings };
  const client = new MongoClient(uri, options, { runtime: world.runtime, parts: probed });
  const listen = client.on.bind(client) as (name: EventName, listener: (event: DriverEvent) => void) => unknown;
  for (const name of eventNames) if (record.wants(name)) listen(name, event => record.emit(event));
  return client;
};
