import type { Operation, ReadPreferenceMode, Selection, ServerDescription, TopologyType } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { readPreferenceFor } from '../src/read-preference.js';

const modes: readonly ReadPreferenceMode[] = [
  'primary',
  'primaryPreferred',
  'secondary',
  'secondaryPreferred',
  'nearest',
];

describe('"Passing read preference to mongos and load balancers" and "Topology type: Single"', () => {
  const sent = (
    selection: Selection,
    [of, to]: readonly [TopologyType, ServerDescription['type']],
    kind: Operation<unknown>['kind'] = 'read',
  ) => readPreferenceFor({ selection, kind } as Operation<unknown>, of, to);

  test('sends no read preference to a standalone', () => {
    expect(modes.map(mode => sent({ mode }, ['Single', 'Standalone']))).toEqual(modes.map(() => undefined));
  });

  test('does not send mode primary, which is the default', () => {
    for (const to of [
      ['Sharded', 'Mongos'],
      ['LoadBalanced', 'LoadBalancer'],
      ['ReplicaSetWithPrimary', 'RSPrimary'],
      ['Single', 'Mongos'],
    ] as const)
      expect(sent({ mode: 'primary' }, to)).toBe(undefined);
  });

  test('sends primaryPreferred for reads to a directly connected member of any type', () => {
    const directly = ['Single', 'RSSecondary'] as const;
    expect(sent({ mode: 'primary' }, directly)).toEqual({ mode: 'primaryPreferred' });
    expect(sent({ mode: 'primary' }, directly, 'either')).toEqual({ mode: 'primaryPreferred' });
    expect(sent({ mode: 'primary' }, directly, 'write')).toBe(undefined);
    expect(sent({ mode: 'nearest' }, directly)).toEqual({ mode: 'nearest' });
  });

  test('sends tags, maxStalenessSeconds and hedge', () => {
    const said = { mode: 'nearest', tags: [{ dc: 'ny' }], maxStalenessSeconds: 90, hedge: { enabled: false } } as const;
    expect(sent(said, ['Sharded', 'Mongos'])).toEqual(said);
  });

  test('CRUD, "aggregate": does not send the preference of an aggregation with $out to servers before MongoDB 5.0', () => {
    const of = (selection: Selection, maxWireVersion: number) =>
      readPreferenceFor({ selection, kind: 'write' } as Operation<unknown>, 'Sharded', 'Mongos', maxWireVersion);
    const writing = { mode: 'secondary', writes: true } as const;
    expect([of(writing, 12), of(writing, 13)]).toEqual([undefined, { mode: 'secondary' }]);
    expect(of({ mode: 'secondary' }, 12)).toEqual({ mode: 'secondary' });
  });

  test('sends other modes without empty tags and staleness, and returns the same document for the same selection', () => {
    const mongos = ['Sharded', 'Mongos'] as const;
    const full = { mode: 'nearest', tags: [{ dc: 'ny' }, {}], maxStalenessSeconds: 120 } as const;
    expect(sent(full, mongos)).toEqual(full);
    expect(sent(full, mongos)).toBe(sent(full, mongos));
    expect(sent({ mode: 'secondary', tags: [], maxStalenessSeconds: -1 }, mongos)).toEqual({ mode: 'secondary' });
    expect(sent({ mode: 'secondary', maxStalenessSeconds: 0 }, mongos)).toEqual({ mode: 'secondary' });
    expect(sent({ mode: 'secondary', tags: [{}] }, mongos)).toEqual({ mode: 'secondary', tags: [{}] });
  });
});
