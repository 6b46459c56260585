import { defaultParts, MongoClient } from '@tessera/client';
import type { InnerParts } from '@tessera/client';
import type { World } from '@tessera/sim';
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
  // The log receives the events as the parts emit them, before they become the event classes of the client.
  return new MongoClient(uri, { ...settings }, { runtime, parts: { ...probed, log: () => record } });
};
