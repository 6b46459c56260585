import type { TopologyType } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { isRescanned } from '../src/description/topology-description.js';
import { rescanAfter, shuffled } from '../src/monitoring/srv-poller.js';

describe('Polling SRV Records for mongos Discovery, "rescanSRVIntervalMS"', () => {
  const after = (hosts: readonly string[], timeToLive: number | undefined) =>
    rescanAfter({ hosts, timeToLive }, 10_000);

  test('rescans after the minimum TTL of the records, but not before a minute has passed', () => {
    expect([after(['a:1'], 90_000), after(['a:1'], 1_000), after(['a:1'], undefined)]).toEqual([
      ...[90_000, 60_000, 60_000],
    ]);
  });

  test('rescans after heartbeatFrequencyMS if the lookup fails or finds no host', () => {
    expect([rescanAfter(undefined, 10_000), after([], 90_000)]).toEqual([10_000, 10_000]);
  });

  test('rescans only while there may be unknown mongos servers', () => {
    const types: readonly TopologyType[] = [
      ...(['Unknown', 'Sharded', 'Single', 'LoadBalanced', 'ReplicaSetNoPrimary', 'ReplicaSetWithPrimary'] as const),
    ];
    expect(types.filter(isRescanned)).toEqual(['Unknown', 'Sharded']);
  });
});

describe('Initial DNS Seedlist Discovery, "srvMaxHosts": random order of hosts', () => {
  const orderBy = (hosts: readonly string[], ...units: readonly number[]) => {
    const drawn = [...units];
    const random = { unit: () => drawn.shift() ?? NaN, bytes: () => new Uint8Array() };
    return [shuffled(hosts, random).join(''), drawn.length];
  };

  test('draws one random number per position, from the last to the first', () => {
    expect(orderBy(['a', 'b', 'c'], 0, 0)).toEqual(['bca', 0]);
    expect(orderBy(['a', 'b', 'c'], 0.99, 0.99)).toEqual(['abc', 0]);
    expect(orderBy(['a', 'b', 'c'], 0.34, 0)).toEqual(['cab', 0]);
    expect([orderBy(['a'], 0.5), orderBy([], 0.5)]).toEqual([
      ['a', 1],
      ['', 1],
    ]);
  });

  test('can return every order, each from exactly one draw', () => {
    const orders = [0, 0.34, 0.67].flatMap(first => [0, 0.5].map(next => orderBy(['a', 'b', 'c'], first, next)[0]));
    expect(orders.sort()).toEqual(['abc', 'acb', 'bac', 'bca', 'cab', 'cba']);
  });

  test('does not modify its argument', () => {
    const hosts = ['a', 'b'];
    orderBy(hosts, 0);
    expect(hosts).toEqual(['a', 'b']);
  });
});
