import type { Suite } from '../src/index.js';
import { suites } from '../src/index.js';
import { describe, expect, test } from 'vitest';

const judged = async (name: string, json: object): Promise<unknown> =>
  (await (suites[name] as Suite)([{ name: 'made-up.json', json }])).map(({ outcome }) => outcome);

const discovery = {
  description: 'a standalone',
  uri: 'mongodb://a',
  phases: [
    {
      responses: [
        ['a:27017', { ok: 1, helloOk: true, isWritablePrimary: true, minWireVersion: 0, maxWireVersion: 21 }],
      ],
      outcome: { servers: { 'a:27017': { type: 'Standalone' } }, topologyType: 'Single', setName: null },
    },
  ],
};

const server = { address: 'a:27017', type: 'Standalone', avg_rtt_ms: 5, tags: {} };
const selection = {
  topology_description: { type: 'Single', servers: [server] },
  operation: 'read',
  read_preference: { mode: 'Primary' },
  suitable_servers: [server],
  in_latency_window: [server],
};
const roundTrip = { avg_rtt_ms: 10, new_rtt_ms: 20, new_avg_rtt: 12 };
const frequencies = {
  description: 'one of two',
  topology_description: {
    type: 'Sharded',
    servers: ['a:27017', 'b:27017'].map(address => ({ address, type: 'Mongos', avg_rtt_ms: 5 })),
  },
  mocked_topology_state: [
    { address: 'a:27017', operation_count: 0 },
    { address: 'b:27017', operation_count: 5 },
  ],
  iterations: 100,
  outcome: { tolerance: 0.05, expected_frequencies: { 'a:27017': 1, 'b:27017': 0 } },
};

const changed = <T extends object>(json: T, more: object): T => ({ ...json, ...more });

describe('the suites of discovery and selection pass a correct case and fail an incorrect one', () => {
  const cases: readonly (readonly [title: string, suite: string, right: object, wrong: object])[] = [
    [
      'a topology description',
      'server-discovery-and-monitoring',
      discovery,
      changed(discovery, {
        phases: [{ ...discovery.phases[0], outcome: { servers: {}, topologyType: 'Single', setName: null } }],
      }),
    ],
    [
      'events',
      'server-discovery-and-monitoring',
      changed(discovery, { phases: [{ outcome: { topologyType: 'Unknown', setName: null } }] }),
      changed(discovery, { phases: [{ outcome: { events: [] } }] }),
    ],
    ['suitable servers', 'server-selection', selection, changed(selection, { suitable_servers: [] })],
    ['an invalid read preference', 'max-staleness', selection, changed(selection, { error: true })],
    ['the average round-trip time', 'server-selection', roundTrip, changed(roundTrip, { new_avg_rtt: 12.001 })],
    [
      'selection frequencies',
      'server-selection',
      frequencies,
      changed(frequencies, { outcome: { tolerance: 0.05, expected_frequencies: { 'a:27017': 0.5 } } }),
    ],
  ];
  for (const [title, suite, right, wrong] of cases)
    test(title, async () => {
      expect([await judged(suite, right), await judged(suite, wrong)]).toEqual([['passed'], ['failed']]);
    });
});
