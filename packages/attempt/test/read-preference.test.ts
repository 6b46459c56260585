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

  test('a standalone is sent none', () => {
    expect(modes.map(mode => sent({ mode }, ['Single', 'Standalone']))).toEqual(modes.map(() => undefined));
  });

  test('mode primary is the default and is not sent', () => {
    for (const to of [
      ['Sharded', 'Mongos'],
      ['LoadBalanced', 'LoadBalancer'],
      ['ReplicaSetWithPrimary', 'RSPrimary'],
      ['Single', 'Mongos'],
    ] as const)
      expect(sent({ mode: 'primary' }, to)).toBe(undefined);
  });

  test('but a member that was named directly may answer whatever it is, unless it is to write', () => {
    const directly = ['Single', 'RSSecondary'] as const;
    expect(sent({ mode: 'primary' }, directly)).toEqual({ mode: 'primaryPreferred' });
    expect(sent({ mode: 'primary' }, directly, 'either')).toEqual({ mode: 'primaryPreferred' });
    expect(sent({ mode: 'primary' }, directly, 'write')).toBe(undefined);
    expect(sent({ mode: 'nearest' }, directly)).toEqual({ mode: 'nearest' });
  });

  test('all that is said is sent: tags, staleness, and whether reads may be hedged', () => {
    const said = { mode: 'nearest', tags: [{ dc: 'ny' }], maxStalenessSeconds: 90, hedge: { enabled: false } } as const;
    expect(sent(said, ['Sharded', 'Mongos'])).toEqual(said);
  });

  test('CRUD, "aggregate": to a server before MongoDB 5.0 the preference of one that writes is not sent', () => {
    const of = (selection: Selection, maxWireVersion: number) =>
      readPreferenceFor({ selection, kind: 'write' } as Operation<unknown>, 'Sharded', 'Mongos', maxWireVersion);
    const writing = { mode: 'secondary', writes: true } as const;
    expect([of(writing, 12), of(writing, 13)]).toEqual([undefined, { mode: 'secondary' }]);
    expect(of({ mode: 'secondary' }, 12)).toEqual({ mode: 'secondary' });
  });

  test('other modes are sent with tags and staleness, if they say anything; once made, the same document again', () => {
    const mongos = ['Sharded', 'Mongos'] as const;
    const full = { mode: 'nearest', tags: [{ dc: 'ny' }, {}], maxStalenessSeconds: 120 } as const;
    expect(sent(full, mongos)).toEqual(full);
    expect(sent(full, mongos)).toBe(sent(full, mongos));
    expect(sent({ mode: 'secondary', tags: [], maxStalenessSeconds: -1 }, mongos)).toEqual({ mode: 'secondary' });
    expect(sent({ mode: 'secondary', maxStalenessSeconds: 0 }, mongos)).toEqual({ mode: 'secondary' });
    expect(sent({ mode: 'secondary', tags: [{}] }, mongos)).toEqual({ mode: 'secondary', tags: [{}] });
  });
});
