import type { Selection, ServerDescription, TopologyDescription, TopologyType } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { averageRoundTrip, RoundTrips } from '../src/monitoring/round-trip.js';
import {
  choose,
  hasReadableServer,
  hasWritableServer,
  inLatencyWindow,
  invalidity,
  stalenessOf,
  suitableServers,
} from '../src/selection/suitable.js';
import { a, b, c, member, server, topology } from './described.js';

const heartbeat = 10_000;
const modes = ['primary', 'primaryPreferred', 'secondary', 'secondaryPreferred', 'nearest'] as const;

const suitable = (of: TopologyDescription, selection: Selection, avoid: readonly string[] = []): string =>
  suitableServers(of, selection, avoid, heartbeat)
    .map(({ address }) => address.slice(0, 1))
    .join('');

describe('"Server Selection Algorithm", by the type of the topology', () => {
  const types = ['Standalone', 'Mongos', 'RSGhost', 'Unknown', 'PossiblePrimary'] as const;
  const some = types.map((type, index) => server(`${'abcde'.charAt(index)}:1`, type));
  const found = (type: TopologyType, selection: Selection) => suitable(topology(type, some), selection);

  test('selects none for Unknown, any available server for Single and LoadBalanced, and each mongos for Sharded, with any read preference', () => {
    for (const mode of modes) {
      expect(found('Unknown', { mode })).toBe('');
      expect(found('Single', { mode, tags: [{ no: 'where' }] })).toBe('abc');
      expect(found('LoadBalanced', { mode })).toBe('abc');
      expect(found('Sharded', { mode, tags: [{ no: 'where' }] })).toBe('b');
    }
  });
});

describe('"Topology type: ReplicaSetWithPrimary or ReplicaSetNoPrimary"', () => {
  const ny = { tags: { dc: 'ny', disk: 'ssd' } };
  const la = { tags: { dc: 'la' } };
  const others = [member('x:1', 'RSArbiter', ny), member('y:1', 'RSOther', ny), server('z:1', 'Unknown')];
  const secondaries = [member(b, 'RSSecondary', ny), member(c, 'RSSecondary', la)];
  const all = topology('ReplicaSetWithPrimary', [member(a, 'RSPrimary', la), ...secondaries, ...others]);
  const without = topology('ReplicaSetNoPrimary', [...secondaries, ...others]);
  const alone = topology('ReplicaSetWithPrimary', [member(a, 'RSPrimary', la), ...others]);

  test.each([
    ['primary', 'a', '', 'a'],
    ['primaryPreferred', 'a', 'bc', 'a'],
    ['secondary', 'bc', 'bc', ''],
    ['secondaryPreferred', 'bc', 'bc', 'a'],
    ['nearest', 'abc', 'bc', 'a'],
  ] as const)('%s', (mode, ofAll, ofSecondaries, ofPrimary) => {
    expect([all, without, alone].map(of => suitable(of, { mode }))).toEqual([ofAll, ofSecondaries, ofPrimary]);
  });

  test('"tag_sets": uses the first set that any server matches; every server matches an empty set', () => {
    const tagged = (...tags: NonNullable<Selection['tags']>) => suitable(all, { mode: 'nearest', tags });
    expect(tagged({ dc: 'ny' })).toBe('b');
    expect(tagged({ dc: 'la' })).toBe('ac');
    expect(tagged({ dc: 'ny', disk: 'ssd' })).toBe('b');
    expect(tagged({ dc: 'la', disk: 'ssd' })).toBe('');
    expect(tagged({ dc: 'rome' }, { dc: 'la' }, { dc: 'ny' })).toBe('ac');
    expect(tagged({ dc: 'rome' }, {})).toBe('abc');
    expect(tagged()).toBe('abc');
  });

  test('tags apply neither to the primary of primaryPreferred nor to the primary that secondaryPreferred falls back to', () => {
    const tags = [{ dc: 'ny' }];
    expect(suitable(all, { mode: 'primaryPreferred', tags })).toBe('a');
    expect(suitable(without, { mode: 'primaryPreferred', tags })).toBe('b');
    expect(suitable(all, { mode: 'secondaryPreferred', tags })).toBe('b');
    expect(suitable(all, { mode: 'secondaryPreferred', tags: [{ dc: 'rome' }] })).toBe('a');
    expect(suitable(all, { mode: 'secondary', tags: [{ dc: 'rome' }] })).toBe('');
  });

  test('"deprioritized servers" are used only if no other server is suitable', () => {
    const nearest = { mode: 'nearest' } as const;
    expect(suitable(all, nearest, [a, b])).toBe('c');
    expect(suitable(all, nearest, [a, b, c])).toBe('abc');
    expect(suitable(all, { mode: 'primary' }, [a])).toBe('a');
    expect(suitable(all, { mode: 'primaryPreferred' }, [a])).toBe('bc');
  });

  test('SDAM Logging and Monitoring: whether there are readable and writable servers', () => {
    expect([all, without, alone].map(hasWritableServer)).toEqual([true, false, true]);
    expect([all, without, alone].map(of => hasReadableServer(of, { mode: 'secondary' }, heartbeat))).toEqual([
      ...[true, true, false],
    ]);
  });
});

describe('Max Staleness', () => {
  const at = (lastUpdateTime: number, lastWriteDate: number | undefined) => ({ lastUpdateTime, lastWriteDate });
  const primary = member(a, 'RSPrimary', at(1_000, 500_000));
  const fresh = member(b, 'RSSecondary', at(4_000, 498_000));
  const old = member(c, 'RSSecondary', at(2_000, 401_000));
  const all = topology('ReplicaSetWithPrimary', [primary, fresh, old]);
  const without = topology('ReplicaSetNoPrimary', [fresh, old]);
  const staleness = (of: TopologyDescription, one: ServerDescription) => stalenessOf(one, of, heartbeat);

  test('"Estimating staleness" with a primary: compares the last writes, each relative to its own check', () => {
    expect(staleness(all, fresh)).toBe(3_000 + 2_000 + heartbeat);
    expect(staleness(all, old)).toBe(1_000 + 99_000 + heartbeat);
    expect(staleness(all, primary)).toBe(0);
  });

  test('without a primary: compares with the secondary that has the latest write', () => {
    expect(staleness(without, fresh)).toBe(heartbeat);
    expect(staleness(without, old)).toBe(97_000 + heartbeat);
    expect(staleness(without, member('d:1', 'RSSecondary', at(0, undefined)))).toBe(498_000 + heartbeat);
    const arbiter = member('d:1', 'RSArbiter', at(0, 900_000));
    expect(staleness(topology('ReplicaSetNoPrimary', [fresh, arbiter]), fresh)).toBe(heartbeat);
  });

  test('secondaries are suitable up to and including maxStalenessSeconds', () => {
    const found = (maxStalenessSeconds: number, mode: Selection['mode'] = 'secondary', of = all) =>
      suitable(of, { mode, maxStalenessSeconds });
    expect([110, 109].map(limit => found(limit))).toEqual(['bc', 'b']);
    expect([107, 106].map(limit => found(limit, 'secondary', without))).toEqual(['bc', 'b']);
    expect(found(100, 'nearest')).toBe('ab');
    expect(found(5, 'secondaryPreferred')).toBe('a');
    expect([found(-1), found(0), suitable(all, { mode: 'secondary' })]).toEqual(['bc', 'bc', 'bc']);
  });

  test('"Smallest allowed value": 90 seconds, or heartbeatFrequencyMS plus ten seconds; -1 means no limit', () => {
    const wrong = (maxStalenessSeconds: number | undefined, frequency = heartbeat, of = all) =>
      invalidity({ mode: 'secondary', maxStalenessSeconds }, of, frequency);
    expect([wrong(90), wrong(91), wrong(-1), wrong(undefined)]).toEqual([1, 2, 3, 4].map(() => undefined));
    expect(wrong(89)).toBe(
      '"maxStalenessSeconds" is 89, but must be at least 90: the greater of 90 and "heartbeatFrequencyMS" plus 10 seconds',
    );
    expect(wrong(0)).toMatch(/^"maxStalenessSeconds" is 0, but must be at least 90: /);
    expect(wrong(99, 90_000)).toMatch(/^"maxStalenessSeconds" is 99, but must be at least 100: /);
    expect(wrong(100, 90_000)).toBe(undefined);
    expect(wrong(1, heartbeat, without)).toMatch(/^"maxStalenessSeconds" is 1, but must be at least 90: /);
    for (const type of ['Sharded', 'Single', 'LoadBalanced', 'Unknown'] as const)
      expect(wrong(1, heartbeat, topology(type, []))).toBe(undefined);
  });
});

test('rejects tags and maxStalenessSeconds with mode primary in any topology, unless they are empty or -1', () => {
  const wrong = (more: Partial<Selection>) =>
    invalidity({ mode: 'primary', ...more }, topology('Unknown', []), heartbeat);
  expect(wrong({ maxStalenessSeconds: 100 })).toBe(
    'the read preference "primary" does not allow "maxStalenessSeconds" (100). Use another mode, or remove the option',
  );
  expect(wrong({ tags: [{}, { dc: 'ny' }] })).toBe(
    'the read preference "primary" does not allow tags. Use another mode, or remove the tags',
  );
  expect(
    [{}, { maxStalenessSeconds: -1 }, { maxStalenessSeconds: 0 }, { tags: [] }, { tags: [{}] }].map(wrong),
  ).toEqual([1, 2, 3, 4, 5].map(() => undefined));
});

describe('"Filtering suitable servers based on the latency window"', () => {
  const measured = (...times: readonly (number | undefined)[]) =>
    times.map((roundTripTime, index) => server(`${index}:1`, 'Mongos', { roundTripTime }));
  const window = (...times: readonly (number | undefined)[]) =>
    inLatencyWindow(measured(...times), 15).map(({ roundTripTime }) => roundTripTime);

  test('starts at the nearest server and is localThresholdMS wide', () => {
    expect(window(20, 5, 21, 5, 19)).toEqual([20, 5, 5, 19]);
    expect(inLatencyWindow(measured(1, 2), 0)).toEqual(measured(1));
  });

  test('includes servers without a measured round-trip time, which do not move the window', () => {
    expect(window(undefined, 30, 10)).toEqual([undefined, 10]);
    expect(window(undefined, undefined)).toEqual([undefined, undefined]);
  });

  test('contains a single server; is empty without servers', () => {
    expect([window(99), window(undefined), window()]).toEqual([[99], [undefined], []]);
  });
});

describe('"Server Selection Algorithm", choosing within the latency window', () => {
  const withLoad = (...loads: readonly number[]) =>
    loads.map((load, index) => ({ description: server(`${index}:1`, 'Mongos'), pool: { load } as never }));
  /** The index of the chosen server for these random numbers. */
  const chosen = (loads: readonly number[], ...units: readonly number[]) => {
    const servers = withLoad(...loads);
    const drawn = [...units];
    const random = { unit: () => drawn.shift() ?? NaN, bytes: () => new Uint8Array() };
    const one = choose(servers, random);
    return [one === undefined ? undefined : servers.indexOf(one as never), drawn.length];
  };

  test('chooses the less busy of two random servers, and the first of two equally busy ones', () => {
    expect(chosen([3, 1, 2], 0, 0)).toEqual([1, 0]);
    expect(chosen([1, 3, 2], 0, 0)).toEqual([0, 0]);
    expect(chosen([2, 2, 2], 0, 0.9)).toEqual([0, 0]);
    expect(chosen([2, 2, 2], 0.9, 0)).toEqual([2, 0]);
    expect(chosen([9, 9, 1], 0.4, 0.9)).toEqual([2, 0]);
    expect(chosen([1, 9, 9], 0.4, 0)).toEqual([0, 0]);
    expect([chosen([1, 2], 0.9, 0), chosen([2, 1], 0, 0.9)]).toEqual([
      [0, 0],
      [1, 0],
    ]);
  });

  test('the two servers differ, and every pair can be drawn', () => {
    const pairs = [0, 0.4, 0.7].flatMap(first =>
      [0, 0.5].map(other => {
        const busy = [0, 0, 0];
        busy[Math.floor(first * 3)] = 9;
        return chosen(busy, first, other)[0];
      }),
    );
    expect(pairs).toEqual([1, 2, 0, 2, 0, 1]);
  });

  test('returns a single server without a random number, and undefined without servers', () => {
    expect([chosen([5], 0.5), chosen([], 0.5)]).toEqual([
      [0, 1],
      [undefined, 1],
    ]);
  });
});

test('CRUD, "aggregate": a pipeline that writes runs on a secondary only if all servers are at least MongoDB 5.0', () => {
  const set = (newest: number, oldest: number) =>
    topology('ReplicaSetWithPrimary', [
      { ...server(a, 'RSPrimary'), maxWireVersion: newest },
      { ...server(b, 'RSSecondary'), maxWireVersion: oldest },
      { ...server(c, 'Unknown'), maxWireVersion: 0 },
    ]);
  const writing = { mode: 'secondary', writes: true } as const;
  expect([suitable(set(13, 13), writing), suitable(set(13, 12), writing)]).toEqual(['b', 'a']);
  expect(suitable(set(13, 12), { mode: 'secondary' })).toBe('b');
});

describe('round-trip times', () => {
  test('"Calculation of Average Round Trip Times": the newest has a weight of one fifth, the first is the average', () => {
    expect([averageRoundTrip(undefined, 7), averageRoundTrip(10, 20), averageRoundTrip(0, 5)]).toEqual([7, 12, 1]);
  });

  test('Server Monitoring, "Measuring RTT": the minimum of the last ten, or 0 with fewer than two', () => {
    const times = new RoundTrips();
    const seen = [5, 9, 8, 8, 8, 8, 8, 8, 8, 8, 8].map(time => {
      times.add(time);
      return times.least();
    });
    expect(seen).toEqual([0, 5, 5, 5, 5, 5, 5, 5, 5, 5, 8]);
  });

  test('are discarded when the server becomes Unknown', () => {
    const times = new RoundTrips();
    expect([times.average(), times.least()]).toEqual([undefined, 0]);
    times.add(10);
    times.add(20);
    expect([times.average(), times.least()]).toEqual([12, 10]);
    times.forget();
    expect([times.average(), times.least()]).toEqual([undefined, 0]);
    times.add(7);
    expect([times.average(), times.least()]).toEqual([7, 0]);
  });
});
