import type { ConnectionPool, Document, Selection, ServerDescription, TopologyDescription } from '@tessera/contracts';
import { createChance } from '@tessera/sim';
import { describe, expect, test } from 'vitest';
import { choose } from '../src/choose.js';
import { averageRoundTrip, inLatencyWindow, nowhere, suitableServers, unknownServer } from '../src/index.js';
import { invalidity } from '../src/suitable.js';
import { fixtures } from './fixtures.js';

const serverOf = (given: Document): ServerDescription => ({
  ...unknownServer(given['address'] as string),
  type: given['type'] as ServerDescription['type'],
  roundTripTime: given['avg_rtt_ms'] as number | undefined,
  lastUpdateTime: (given['lastUpdateTime'] as number | undefined) ?? 0,
  lastWriteDate: (given['lastWrite'] as Document | undefined)?.['lastWriteDate'] as number | undefined,
  maxWireVersion: (given['maxWireVersion'] as number | undefined) ?? 21,
  tags: (given['tags'] as Record<string, string> | undefined) ?? {},
});

const topologyOf = (given: Document): TopologyDescription => ({
  ...nowhere,
  type: given['type'] as TopologyDescription['type'],
  servers: new Map(
    (given['servers'] as readonly Document[]).map(server => [server['address'] as string, serverOf(server)]),
  ),
});

/** Writes want the primary, whatever the application prefers for its reads. */
const selectionOf = (content: Document): Selection => {
  if (content['operation'] === 'write') return { mode: 'primary' };
  const given = (content['read_preference'] ?? {}) as Document;
  const mode = (given['mode'] as string | undefined) ?? 'Primary';
  return {
    mode: `${mode.slice(0, 1).toLowerCase()}${mode.slice(1)}` as Selection['mode'],
    tags: given['tag_sets'] as Selection['tags'],
    maxStalenessSeconds: given['maxStalenessSeconds'] as number | undefined,
  };
};

const addresses = (servers: readonly { readonly address?: unknown }[]): readonly unknown[] =>
  servers.map(server => server.address).sort();

const judge = (content: Document): void => {
  const topology = topologyOf(content['topology_description'] as Document);
  const selection = selectionOf(content);
  const heartbeat = (content['heartbeatFrequencyMS'] as number | undefined) ?? 10_000;
  const avoid = ((content['deprioritized_servers'] ?? []) as readonly Document[]).map(server =>
    String(server['address']),
  );
  const wrong = invalidity(selection, topology, heartbeat);
  expect(wrong !== undefined).toBe(content['error'] === true);
  if (wrong !== undefined) return;
  const suitable = suitableServers(topology, selection, avoid, heartbeat);
  expect({
    suitable: addresses(suitable),
    inWindow: addresses(inLatencyWindow(suitable, 15)),
  }).toEqual({
    suitable: addresses(content['suitable_servers'] as readonly Document[]),
    inWindow: addresses(content['in_latency_window'] as readonly Document[]),
  });
};

describe('Server Selection, official fixtures: server_selection', () => {
  for (const { path, content } of fixtures('server-selection/tests/server_selection'))
    test(path, () => {
      judge(content);
    });
});

describe('Max Staleness, official fixtures', () => {
  for (const { path, content } of fixtures('max-staleness/tests'))
    test(path, () => {
      judge(content);
    });
});

describe('Server Selection, official fixtures: rtt', () => {
  for (const { path, content } of fixtures('server-selection/tests/rtt'))
    test(path, () => {
      const before = content['avg_rtt_ms'] as number | 'NULL';
      const average = averageRoundTrip(before === 'NULL' ? undefined : before, content['new_rtt_ms'] as number);
      expect(average).toBeCloseTo(content['new_avg_rtt'] as number, 9);
    });
});

describe('Server Selection, official fixtures: in_window', () => {
  for (const { path, content } of fixtures('server-selection/tests/in_window'))
    test(`${path}: ${String(content['description'])}`, () => {
      const topology = topologyOf(content['topology_description'] as Document);
      const loads = new Map(
        (content['mocked_topology_state'] as readonly Document[]).map(state => [
          state['address'] as string,
          state['operation_count'] as number,
        ]),
      );
      const suitable = suitableServers(topology, { mode: 'nearest' }, [], 10_000);
      const servers = inLatencyWindow(suitable, 15).map(description => ({
        description,
        pool: { load: loads.get(description.address) } as ConnectionPool,
      }));
      const random = createChance(42, path);
      const iterations = content['iterations'] as number;
      const counts = new Map<string, number>();
      for (let round = 0; round < iterations; round++) {
        const address = choose(servers, random)?.description.address ?? 'none';
        counts.set(address, (counts.get(address) ?? 0) + 1);
      }
      const outcome = content['outcome'] as Document;
      for (const [address, expected] of Object.entries(outcome['expected_frequencies'] as Record<string, number>)) {
        const frequency = (counts.get(address) ?? 0) / iterations;
        // 0 and 1 are exact. Rule: Server Selection tests, "Random Selection Within Latency Window".
        const tolerance = expected === 0 || expected === 1 ? 0 : (outcome['tolerance'] as number);
        expect(Math.abs(frequency - expected), `${address}: ${frequency}, expected ${expected}`).toBeLessThanOrEqual(
          tolerance,
        );
      }
    });
});
