import type { ConnectionPool, Selection, ServerDescription } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { createSelector } from '../src/selection/selector.js';
import type { SelectorOptions } from '../src/selection/selector.js';
import { a, b, c, member, server, topology } from './described.js';

const poolOf = (load: number): ConnectionPool => ({ load }) as unknown as ConnectionPool;

/** A selector whose random numbers are always 0, so that it compares the first two servers of a choice. */
const selectorWith = (options: Partial<SelectorOptions> = {}) => {
  const pools = new Map([a, b, c].map((address, load) => [address, poolOf(load)]));
  const random = { unit: () => 0, bytes: () => new Uint8Array() };
  /** The servers whose pools were requested: once for each server that a selection could use. */
  const asked: string[] = [];
  const selector = createSelector(
    {
      random,
      poolOf: address => {
        asked.push(address);
        return pools.get(address);
      },
    },
    { heartbeatFrequencyMS: 10_000, localThresholdMS: 15, serverSelector: undefined, ...options },
  );
  const select = (selection: Selection, avoid: readonly string[] = []): string | undefined => {
    const found = selector.select(selection, avoid);
    return typeof found === 'object' ? found.description.address : found;
  };
  return { pools, selector, select, asked, use: selector.use };
};

const set = topology('ReplicaSetWithPrimary', [
  member(a, 'RSPrimary'),
  member(b, 'RSSecondary'),
  member(c, 'RSSecondary', { roundTripTime: 99 }),
]);
const primary: Selection = { mode: 'primary' };
const secondary: Selection = { mode: 'secondary' };

describe('Selector.select', () => {
  test('returns undefined before there is a description', () => {
    expect(selectorWith().select(primary)).toBe(undefined);
  });

  test('returns a suitable server in the latency window, with its description and pool', () => {
    const { selector, pools, use } = selectorWith();
    use(set);
    expect(selector.select(primary, [])).toEqual({ description: set.servers.get(a), pool: pools.get(a) });
    expect(selector.select(secondary, [])).toEqual({ description: set.servers.get(b), pool: pools.get(b) });
  });

  test('computes a selection again for each description, even if it found no server before', () => {
    const { select, use } = selectorWith();
    use(topology('Sharded', [server(a, 'Unknown')]));
    expect(select(primary)).toBe(undefined);
    use(topology('Sharded', [server(b, 'Mongos')]));
    expect([select(primary), select(primary)]).toEqual([b, b]);
    use(topology('Sharded', [server(c, 'Mongos')]));
    expect([select(primary), select(primary)]).toEqual([c, c]);
  });

  test('caches several selections', () => {
    const { select, use } = selectorWith();
    use(set);
    expect([primary, secondary, primary, primary, secondary].map(one => select(one))).toEqual([a, b, a, a, b]);
  });

  test('computes the candidates of a selection once per description, by its identity', () => {
    const { select, asked, use } = selectorWith();
    use(set);
    for (const one of [primary, primary, secondary, primary, secondary, secondary]) select(one);
    expect(asked).toEqual([a, b]);
    select({ mode: 'primary' });
    expect(asked).toEqual([a, b, a]);
    use({ ...set });
    for (const one of [secondary, secondary]) select(one);
    expect(asked).toEqual([a, b, a, b]);
  });

  test('does not cache a selection with servers to avoid', () => {
    const { select, asked, use } = selectorWith();
    use(set);
    for (const avoid of [[b], [], [b], []]) select(secondary, avoid);
    expect(asked).toEqual([c, b, c]);
  });

  test('returns the reason for an invalid selection every time', () => {
    const { select, use } = selectorWith();
    use(set);
    const stale: Selection = { mode: 'secondary', maxStalenessSeconds: 1 };
    const why =
      '"maxStalenessSeconds" is 1, but must be at least 90: the greater of 90 and "heartbeatFrequencyMS" plus 10 seconds';
    expect([select(stale), select(stale)]).toEqual([why, why]);
  });

  test('leaves out a server whose pool is not open, and includes it once the pool is open', () => {
    const { select, use, pools } = selectorWith();
    const pool = pools.get(a)!;
    pools.delete(a);
    use(set);
    expect(select(primary)).toBe(undefined);
    pools.set(a, pool);
    expect(select(primary)).toBe(a);
  });

  test('applies the servers to avoid to one call only', () => {
    const { select, use } = selectorWith({ localThresholdMS: 1000 });
    use(set);
    expect([select(secondary), select(secondary, [b]), select(secondary), select(secondary, [b, c])]).toEqual([
      ...[b, c, b, b],
    ]);
  });
});

describe('"Application-Provided Server Selector"', () => {
  test('is called for each operation with the suitable servers, before the latency window', () => {
    const asked: string[][] = [];
    const { select, use } = selectorWith({
      serverSelector: servers => {
        asked.push(servers.map(({ address }) => address));
        return servers.slice(-1);
      },
    });
    use(set);
    expect([select(secondary), select(secondary), select(primary)]).toEqual([c, c, a]);
    expect(asked).toEqual([[b, c], [b, c], [a]]);
  });

  test('determines the latency window by the servers that it returns, and may return none', () => {
    const answers: ((servers: readonly ServerDescription[]) => readonly ServerDescription[])[] = [
      servers => servers,
      servers => servers.filter(({ address }) => address === c),
      () => [],
    ];
    const { select, use } = selectorWith({ serverSelector: servers => answers.shift()!(servers) });
    use(set);
    expect([select(secondary), select(secondary), select(secondary)]).toEqual([b, c, undefined]);
  });

  test('is not called if no server is suitable', () => {
    const { select, use } = selectorWith({
      serverSelector: () => {
        throw new Error('called without servers');
      },
    });
    use(topology('ReplicaSetNoPrimary', [member(b, 'RSSecondary')]));
    expect(select(primary)).toBe(undefined);
  });
});
