import { deepStrictEqual, ok } from 'node:assert';
import type { ConnectionPool, Selection, ServerDescription, TopologyDescription } from '@tessera/contracts';
import { createChance } from '@tessera/sim';
import {
  averageRoundTrip,
  choose,
  inLatencyWindow,
  invalidity,
  emptyTopology,
  suitableServers,
  unknownServer,
} from '@tessera/topology';
import { EJSON } from 'bson';
import { judge } from '../suite.js';
import type { Fixture, Result, Suite } from '../suite.js';

interface ServerFixture {
  readonly address: string;
  readonly type: ServerDescription['type'];
  readonly avg_rtt_ms?: number;
  readonly lastUpdateTime?: number;
  readonly lastWrite?: { readonly lastWriteDate?: number };
  readonly maxWireVersion?: number;
  readonly tags?: Readonly<Record<string, string>>;
}

interface TopologyFixture {
  readonly type: TopologyDescription['type'];
  readonly servers: readonly ServerFixture[];
}

/** A test of the folder server_selection, or of Max Staleness. */
interface SelectionFixture {
  readonly topology_description: TopologyFixture;
  readonly operation?: 'read' | 'write';
  readonly read_preference?: {
    readonly mode?: string;
    readonly tag_sets?: Selection['tags'];
    readonly maxStalenessSeconds?: number;
  };
  readonly heartbeatFrequencyMS?: number;
  readonly deprioritized_servers?: readonly ServerFixture[];
  readonly error?: boolean;
  readonly suitable_servers?: readonly ServerFixture[];
  readonly in_latency_window?: readonly ServerFixture[];
}

interface RoundTripFixture {
  readonly avg_rtt_ms: number | 'NULL';
  readonly new_rtt_ms: number;
  readonly new_avg_rtt: number;
}

interface WindowFixture {
  readonly description: string;
  readonly topology_description: TopologyFixture;
  readonly mocked_topology_state: readonly { readonly address: string; readonly operation_count: number }[];
  readonly iterations: number;
  readonly outcome: { readonly tolerance: number; readonly expected_frequencies: Readonly<Record<string, number>> };
}

const serverOf = (given: ServerFixture): ServerDescription => ({
  ...unknownServer(given.address),
  type: given.type,
  roundTripTime: given.avg_rtt_ms,
  lastUpdateTime: given.lastUpdateTime ?? 0,
  lastWriteDate: given.lastWrite?.lastWriteDate,
  maxWireVersion: given.maxWireVersion ?? 21,
  tags: given.tags ?? {},
});

const topologyOf = ({ type, servers }: TopologyFixture): TopologyDescription => ({
  ...emptyTopology,
  type,
  servers: new Map(servers.map(server => [server.address, serverOf(server)])),
});

/** Returns the selection of the operation. Writes select the primary and ignore the read preference. */
const selectionOf = ({ operation, read_preference: given = {} }: SelectionFixture): Selection => {
  if (operation === 'write') return { mode: 'primary' };
  const { mode = 'Primary', tag_sets: tags, maxStalenessSeconds } = given;
  const lowerCased = `${mode.slice(0, 1).toLowerCase()}${mode.slice(1)}` as Selection['mode'];
  return { mode: lowerCased, tags, maxStalenessSeconds };
};

const addresses = (servers: readonly { readonly address: string }[] = []): readonly string[] =>
  servers.map(({ address }) => address).sort();

/** Values that the test plan assumes, in milliseconds. */
const localThreshold = 15;
const usualHeartbeat = 10_000;

const checkSelection = (fixture: SelectionFixture): void => {
  const topology = topologyOf(fixture.topology_description);
  const selection = selectionOf(fixture);
  const heartbeat = fixture.heartbeatFrequencyMS ?? usualHeartbeat;
  const wrong = invalidity(selection, topology, heartbeat);
  deepStrictEqual(wrong !== undefined, fixture.error === true, wrong ?? 'The selection is valid.');
  if (wrong !== undefined) return;
  const suitable = suitableServers(topology, selection, addresses(fixture.deprioritized_servers), heartbeat);
  deepStrictEqual(
    { suitable: addresses(suitable), inWindow: addresses(inLatencyWindow(suitable, localThreshold)) },
    { suitable: addresses(fixture.suitable_servers), inWindow: addresses(fixture.in_latency_window) },
  );
};

const checkRoundTrip = (fixture: RoundTripFixture): void => {
  const before = fixture.avg_rtt_ms === 'NULL' ? undefined : fixture.avg_rtt_ms;
  const average = averageRoundTrip(before, fixture.new_rtt_ms);
  ok(Math.abs(average - fixture.new_avg_rtt) < 1e-9, `The average is ${average}, not ${fixture.new_avg_rtt}.`);
};

/** Rule: Server Selection tests, "Selection Within Latency Window": frequencies 0 and 1 must match exactly. */
const checkWindow = (fixture: WindowFixture): void => {
  const topology = topologyOf(fixture.topology_description);
  const loads = new Map(fixture.mocked_topology_state.map(state => [state.address, state.operation_count]));
  const suitable = suitableServers(topology, { mode: 'nearest' }, [], usualHeartbeat);
  const servers = inLatencyWindow(suitable, localThreshold).map(description => ({
    description,
    pool: { load: loads.get(description.address) ?? 0 } as ConnectionPool,
  }));
  const random = createChance(42, fixture.description);
  const counts = new Map<string, number>();
  for (let round = 0; round < fixture.iterations; round++) {
    const address = choose(servers, random)?.description.address ?? 'none';
    counts.set(address, (counts.get(address) ?? 0) + 1);
  }
  const { expected_frequencies: frequencies, tolerance } = fixture.outcome;
  for (const [address, expected] of Object.entries(frequencies)) {
    const frequency = (counts.get(address) ?? 0) / fixture.iterations;
    const allowed = expected === 0 || expected === 1 ? 0 : tolerance;
    ok(
      Math.abs(frequency - expected) <= allowed,
      `${address} was selected with frequency ${frequency}, not ${expected}.`,
    );
  }
};

const checkOne = (json: object): void => {
  if ('new_avg_rtt' in json) checkRoundTrip(json as RoundTripFixture);
  else if ('mocked_topology_state' in json) checkWindow(json as WindowFixture);
  else checkSelection(json as SelectionFixture);
};

const runOne = (fixture: Fixture): readonly Result[] => {
  const json = EJSON.deserialize(fixture.json as object, { relaxed: true }) as object;
  const name = 'description' in json ? String(json.description) : 'the whole file';
  return [judge(fixture.name, name, () => checkOne(json))];
};

/** Rule: Server Selection tests; Max Staleness tests. */
export const run: Suite = files => files.flatMap(runOne);
