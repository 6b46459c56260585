import type { TopologyType } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { isRescanned } from '../src/description/topology-description.js';
import { rescanAfter, shuffled } from '../src/monitoring/srv-poller.js';

describe('Polling SRV Records for mongos Discovery, "rescanSRVIntervalMS"', () => {
  const after = (hosts: readonly string[], timeToLive: number | undefined) =>
    rescanAfter({ hosts, timeToLive }, 10_000);

  test('the least TTL of the records, but never less than a minute', () => {
    expect([after(['a:1'], 90_000), after(['a:1'], 1_000), after(['a:1'], undefined)]).toEqual([
      ...[90_000, 60_000, 60_000],
    ]);
  });

  test('after heartbeatFrequencyMS if the records cannot be had, or name nobody', () => {
    expect([rescanAfter(undefined, 10_000), after([], 90_000)]).toEqual([10_000, 10_000]);
  });

  test('only while there may be mongos servers that are not known', () => {
    const types: readonly TopologyType[] = [
      ...(['Unknown', 'Sharded', 'Single', 'LoadBalanced', 'ReplicaSetNoPrimary', 'ReplicaSetWithPrimary'] as const),
    ];
    expect(types.filter(isRescanned)).toEqual(['Unknown', 'Sharded']);
  });
});

describe('Initial DNS Seedlist Discovery, "srvMaxHosts": hosts in an order of chance', () => {
  const orderBy = (hosts: readonly string[], ...units: readonly number[]) => {
    const drawn = [...units];
    const random = { unit: () => drawn.shift() ?? NaN, bytes: () => new Uint8Array() };
    return [shuffled(hosts, random).join(''), drawn.length];
  };

  test('each draw says who comes last of those that are left; as many are drawn as are needed', () => {
    expect(orderBy(['a', 'b', 'c'], 0, 0)).toEqual(['bca', 0]);
    expect(orderBy(['a', 'b', 'c'], 0.99, 0.99)).toEqual(['abc', 0]);
    expect(orderBy(['a', 'b', 'c'], 0.34, 0)).toEqual(['cab', 0]);
    expect([orderBy(['a'], 0.5), orderBy([], 0.5)]).toEqual([
      ['a', 1],
      ['', 1],
    ]);
  });

  test('every order comes from some draw, none from two', () => {
    const orders = [0, 0.34, 0.67].flatMap(first => [0, 0.5].map(next => orderBy(['a', 'b', 'c'], first, next)[0]));
    expect(orders.sort()).toEqual(['abc', 'acb', 'bac', 'bca', 'cab', 'cba']);
  });

  test('the list itself stays as it is', () => {
    const hosts = ['a', 'b'];
    orderBy(hosts, 0);
    expect(hosts).toEqual(['a', 'b']);
  });
});
