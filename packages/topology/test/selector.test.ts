import type { ConnectionPool, Selection, ServerDescription } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { createSelector } from '../src/selection/selector.js';
import type { SelectorOptions } from '../src/selection/selector.js';
import { a, b, c, member, server, topology } from './described.js';

const poolOf = (load: number): ConnectionPool => ({ load }) as unknown as ConnectionPool;

/** A selector whose chance always draws 0: it compares the first two of those it may choose from. */
const selectorWith = (options: Partial<SelectorOptions> = {}) => {
  const pools = new Map([a, b, c].map((address, load) => [address, poolOf(load)]));
  const random = { unit: () => 0, bytes: () => new Uint8Array() };
  /** Of which servers a pool was asked for: once for each that a selection could have. */
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

describe('a selection', () => {
  test('before there is a description there is no server', () => {
    expect(selectorWith().select(primary)).toBe(undefined);
  });

  test('it gets a suitable server in the latency window, with its description and pool', () => {
    const { selector, pools, use } = selectorWith();
    use(set);
    expect(selector.select(primary, [])).toEqual({ description: set.servers.get(a), pool: pools.get(a) });
    expect(selector.select(secondary, [])).toEqual({ description: set.servers.get(b), pool: pools.get(b) });
  });

  test('it is worked out anew for each description, also if it found none before', () => {
    const { select, use } = selectorWith();
    use(topology('Sharded', [server(a, 'Unknown')]));
    expect(select(primary)).toBe(undefined);
    use(topology('Sharded', [server(b, 'Mongos')]));
    expect([select(primary), select(primary)]).toEqual([b, b]);
    use(topology('Sharded', [server(c, 'Mongos')]));
    expect([select(primary), select(primary)]).toEqual([c, c]);
  });

  test('several are kept beside each other', () => {
    const { select, use } = selectorWith();
    use(set);
    expect([primary, secondary, primary, primary, secondary].map(one => select(one))).toEqual([a, b, a, a, b]);
  });

  test('what one may choose from is worked out once for each description, by its identity', () => {
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

  test('of what is to be avoided nothing is kept', () => {
    const { select, asked, use } = selectorWith();
    use(set);
    for (const avoid of [[b], [], [b], []]) select(secondary, avoid);
    expect(asked).toEqual([c, b, c]);
  });

  test('one that cannot be is told why, again and again', () => {
    const { select, use } = selectorWith();
    use(set);
    const stale: Selection = { mode: 'secondary', maxStalenessSeconds: 1 };
    const why = 'maxStalenessSeconds is 1, but must be at least 90 (90, and heartbeatFrequencyMS plus ten seconds)';
    expect([select(stale), select(stale)]).toEqual([why, why]);
  });

  test('a server whose pool is not open yet is left out, and comes in as soon as it is', () => {
    const { select, use, pools } = selectorWith();
    const pool = pools.get(a)!;
    pools.delete(a);
    use(set);
    expect(select(primary)).toBe(undefined);
    pools.set(a, pool);
    expect(select(primary)).toBe(a);
  });

  test('what is to be avoided is for this time only', () => {
    const { select, use } = selectorWith({ localThresholdMS: 1000 });
    use(set);
    expect([select(secondary), select(secondary, [b]), select(secondary), select(secondary, [b, c])]).toEqual([
      ...[b, c, b, b],
    ]);
  });
});

describe('"Application-Provided Server Selector"', () => {
  test('it is asked for each operation, with the suitable servers before the latency window', () => {
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

  test('the window is about those it chose, and it may choose none', () => {
    const answers: ((servers: readonly ServerDescription[]) => readonly ServerDescription[])[] = [
      servers => servers,
      servers => servers.filter(({ address }) => address === c),
      () => [],
    ];
    const { select, use } = selectorWith({ serverSelector: servers => answers.shift()!(servers) });
    use(set);
    expect([select(secondary), select(secondary), select(secondary)]).toEqual([b, c, undefined]);
  });

  test('it is not asked where no server is suitable', () => {
    const { select, use } = selectorWith({
      serverSelector: () => {
        throw new Error('asked for nothing');
      },
    });
    use(topology('ReplicaSetNoPrimary', [member(b, 'RSSecondary')]));
    expect(select(primary)).toBe(undefined);
  });
});
