import { defaultParts, MongoClient } from '@tessera/client';
import type { InnerParts } from '@tessera/client';
import type { DriverEvent, EventName } from '@tessera/contracts';
import type { World } from '@tessera/sim';
import { eventNames } from './events.js';
import type { PlannedSettings } from './plan.js';
import { probe } from './probe.js';
import { probeLayers } from './probe-layers.js';
import type { Record } from './record.js';

/** Opens a client of these parts, and records its events and every step between its parts. */
export const openClient = (
  { runtime }: World,
  uri: string,
  settings: PlannedSettings,
  parts: Partial<InnerParts>,
  record: Record,
): MongoClient => {
  const probed = { ...parts, ...probe({ ...defaultParts, ...parts }, record), ...probeLayers(parts, record) };
  const client = new MongoClient(uri, { ...settings }, { runtime, parts: probed });
  const listen = client.on.bind(client) as (name: EventName, listener: (event: DriverEvent) => void) => unknown;
  for (const name of eventNames) if (record.wants(name)) listen(name, event => record.emit(event));
  return client;
};
