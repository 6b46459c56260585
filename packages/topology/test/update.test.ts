import type { ServerDescription } from '@tessera/contracts';
import { ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import { reduce } from '../src/description/reduce.js';
import { unknownServer } from '../src/description/server-description.js';
import { a, afterChecks, b, c, effectsInShort, inShort, member, server, settingsOf } from './described.js';

const two = settingsOf({ seeds: [a, b] });
const checked = (...answers: readonly ServerDescription[]): string => inShort(afterChecks(two, ...answers));

describe('"TopologyType table", Unknown', () => {
  test.each([
    ['Unknown', 'Unknown: a Unknown, b Unknown'],
    ['Standalone', 'Unknown: b Unknown'],
    ['Mongos', 'Sharded: a Mongos, b Unknown'],
    ['RSPrimary', 'ReplicaSetWithPrimary rs: a RSPrimary, b Unknown'],
    ['RSSecondary', 'ReplicaSetNoPrimary rs: a RSSecondary, b Unknown'],
    ['RSArbiter', 'ReplicaSetNoPrimary rs: a RSArbiter, b Unknown'],
    ['RSOther', 'ReplicaSetNoPrimary rs: a RSOther, b Unknown'],
    ['RSGhost', 'Unknown: a RSGhost, b Unknown'],
  ] as const)('%s', (type, then) => {
    expect(checked(type.startsWith('RS') && type !== 'RSGhost' ? member(a, type) : server(a, type))).toBe(then);
  });

  test('"updateUnknownWithStandalone": a single seed becomes the topology', () => {
    expect(inShort(afterChecks(settingsOf(), server(a, 'Standalone')))).toBe('Single: a Standalone');
  });
});

test.each([
  ['Unknown', 'Sharded: a Unknown, b Mongos'],
  ['Mongos', 'Sharded: a Mongos, b Mongos'],
  ['Standalone', 'Sharded: b Mongos'],
  ['RSPrimary', 'Sharded: b Mongos'],
  ['RSSecondary', 'Sharded: b Mongos'],
  ['RSArbiter', 'Sharded: b Mongos'],
  ['RSOther', 'Sharded: b Mongos'],
  ['RSGhost', 'Sharded: b Mongos'],
] as const)('"TopologyType table", Sharded: %s', (type, then) => {
  expect(checked(server(b, 'Mongos'), server(a, type, type === 'RSPrimary' ? { setName: 'rs' } : {}))).toBe(then);
});

test.each([
  ['Unknown', 'ReplicaSetNoPrimary rs: a Unknown, b RSSecondary'],
  ['Standalone', 'ReplicaSetNoPrimary rs: b RSSecondary'],
  ['Mongos', 'ReplicaSetNoPrimary rs: b RSSecondary'],
  ['RSPrimary', 'ReplicaSetWithPrimary rs: a RSPrimary, b RSSecondary'],
  ['RSSecondary', 'ReplicaSetNoPrimary rs: a RSSecondary, b RSSecondary'],
  ['RSArbiter', 'ReplicaSetNoPrimary rs: a RSArbiter, b RSSecondary'],
  ['RSOther', 'ReplicaSetNoPrimary rs: a RSOther, b RSSecondary'],
  ['RSGhost', 'ReplicaSetNoPrimary rs: a RSGhost, b RSSecondary'],
] as const)('"TopologyType table", ReplicaSetNoPrimary: %s', (type, then) => {
  expect(checked(member(b, 'RSSecondary'), member(a, type))).toBe(then);
});

describe('"TopologyType table", ReplicaSetWithPrimary', () => {
  test.each([
    ['Unknown', 'ReplicaSetWithPrimary rs: a Unknown, b RSPrimary'],
    ['Standalone', 'ReplicaSetWithPrimary rs: b RSPrimary'],
    ['Mongos', 'ReplicaSetWithPrimary rs: b RSPrimary'],
    ['RSPrimary', 'ReplicaSetWithPrimary rs: a RSPrimary, b Unknown'],
    ['RSSecondary', 'ReplicaSetWithPrimary rs: a RSSecondary, b RSPrimary'],
    ['RSArbiter', 'ReplicaSetWithPrimary rs: a RSArbiter, b RSPrimary'],
    ['RSOther', 'ReplicaSetWithPrimary rs: a RSOther, b RSPrimary'],
    ['RSGhost', 'ReplicaSetWithPrimary rs: a RSGhost, b RSPrimary'],
  ] as const)('%s', (type, then) => {
    expect(checked(member(b, 'RSPrimary'), member(a, type))).toBe(then);
  });

  test.each([
    ['Unknown', 'ReplicaSetNoPrimary rs: a RSSecondary, b Unknown'],
    ['Standalone', 'ReplicaSetNoPrimary rs: a RSSecondary'],
    ['RSSecondary', 'ReplicaSetNoPrimary rs: a RSSecondary, b RSSecondary'],
    ['RSGhost', 'ReplicaSetNoPrimary rs: a RSSecondary, b RSGhost'],
  ] as const)('"checkIfHasPrimary": the primary itself is %s', (type, then) => {
    expect(checked(member(b, 'RSPrimary'), member(a, 'RSSecondary'), member(b, type))).toBe(then);
  });
});

describe('"Verifying setName with TopologyType Single"', () => {
  const single = (replicaSet: string | undefined, answer: ServerDescription) =>
    afterChecks(settingsOf({ directConnection: true, replicaSet }), answer).servers.get(a);

  test('a member of the requested set keeps its type, as does any server if no set was requested', () => {
    for (const answer of [member(a, 'RSPrimary'), member(a, 'RSSecondary')]) {
      expect(single('rs', answer)).toEqual(answer);
      expect(single(undefined, answer)).toEqual(answer);
    }
    expect(single(undefined, server(a, 'Standalone'))).toEqual(server(a, 'Standalone'));
  });

  test('any other server becomes Unknown, with an error that has both names', () => {
    const other = single('mine', member(a, 'RSPrimary'));
    expect(other).toEqual({ ...unknownServer(a, { lastUpdateTime: 1 }), error: other?.error });
    expect([other?.error?.kind, other?.error?.message]).toEqual([
      'usage',
      'The server at a:27017 belongs to the replica set rs, not to mine; correct the option replicaSet or the address.',
    ]);
    expect(single('mine', server(a, 'Standalone'))?.error?.message).toBe(
      'The server at a:27017 belongs to no replica set, not to mine; correct the option replicaSet or the address.',
    );
  });

  test('a server that did not answer stays Unknown with the error of its check', () => {
    expect(single('rs', unknownServer(a))).toEqual(unknownServer(a));
  });

  test('the topology type and the set name do not change', () => {
    const settings = settingsOf({ directConnection: true });
    expect(inShort(afterChecks(settings, member(a, 'RSPrimary')))).toBe('Single: a RSPrimary');
    expect(inShort(afterChecks(settings, server(a, 'Mongos')))).toBe('Single: a Mongos');
  });
});

describe('"updateRSWithoutPrimary"', () => {
  const set = settingsOf({ seeds: [a], replicaSet: 'rs' });

  test.each(['RSSecondary', 'RSArbiter', 'RSOther'] as const)('adds the hosts that %s lists', type => {
    expect(inShort(afterChecks(set, member(a, type, { hosts: [a, c] })))).toBe(
      `ReplicaSetNoPrimary rs: a ${type}, c Unknown`,
    );
  });

  test('the first member determines the set name; a member of another set is removed', () => {
    expect(checked(member(a, 'RSSecondary'), member(b, 'RSSecondary', { setName: 'other' }))).toBe(
      'ReplicaSetNoPrimary rs: a RSSecondary',
    );
    expect(inShort(afterChecks(set, member(a, 'RSSecondary', { setName: 'other' })))).toBe('ReplicaSetNoPrimary rs: ');
  });

  test('adds hosts, passives and arbiters, and removes no server', () => {
    const told = { hosts: [a], passives: ['p:1'], arbiters: ['x:1'] };
    expect(inShort(afterChecks(two, member(a, 'RSSecondary', told)))).toBe(
      'ReplicaSetNoPrimary rs: a RSSecondary, b Unknown, p Unknown, x Unknown',
    );
  });

  test('removes a member whose set lists it under another address, after adding the listed hosts; keeps a member without `me`', () => {
    expect(inShort(afterChecks(set, member(a, 'RSSecondary', { me: b })))).toBe('ReplicaSetNoPrimary rs: b Unknown');
    expect(inShort(afterChecks(set, member(a, 'RSSecondary', { me: undefined })))).toBe(
      'ReplicaSetNoPrimary rs: a RSSecondary, b Unknown',
    );
  });
});

describe('"updateRSWithPrimaryFromMember"', () => {
  const before = member(b, 'RSPrimary');

  test('the primary determines the members', () => {
    expect(checked(before, member(a, 'RSSecondary', { hosts: [a, b, c] }))).toBe(
      'ReplicaSetWithPrimary rs: a RSSecondary, b RSPrimary',
    );
    expect(checked(before, member(a, 'RSSecondary', { me: undefined }))).toBe(
      'ReplicaSetWithPrimary rs: a RSSecondary, b RSPrimary',
    );
  });

  test.each(['RSSecondary', 'RSArbiter', 'RSOther'] as const)(
    '%s of another set or with another address is reported with its type and removed',
    type => {
      for (const more of [{ setName: 'other' }, { me: c }]) {
        const answer = member(a, type, more);
        const { description, effects } = reduce(afterChecks(two, before), { type: 'checked', server: answer }, two);
        expect(inShort(description)).toBe('ReplicaSetWithPrimary rs: b RSPrimary');
        expect(effects).toMatchObject([
          { event: { name: 'serverDescriptionChanged', newDescription: answer } },
          { type: 'closeServer', address: a },
          { event: { name: 'serverClosed', address: a } },
          { event: { name: 'topologyDescriptionChanged' } },
        ]);
      }
    },
  );
});

describe('"updateRSFromPrimary"', () => {
  const [older, newer] = [ObjectId.createFromTime(1), ObjectId.createFromTime(2)];
  const primary = (more: Partial<ServerDescription>, address = a) => member(address, 'RSPrimary', more);

  test('removes members that the primary does not list, and adds the listed ones', () => {
    const told = { hosts: [a, c], passives: ['p:1'], arbiters: ['x:1'] };
    expect(checked(primary(told))).toBe('ReplicaSetWithPrimary rs: a RSPrimary, c Unknown, p Unknown, x Unknown');
  });

  test('removes a primary that does not list itself', () => {
    expect(checked(primary({ hosts: [b] }))).toBe('ReplicaSetNoPrimary rs: b Unknown');
  });

  test('removes a primary of another set and keeps the known set', () => {
    const before = afterChecks(two, member(b, 'RSPrimary', { setVersion: 3, electionId: newer }));
    const other = primary({ setName: 'other', setVersion: 9 });
    const { description, effects } = reduce(before, { type: 'checked', server: other }, two);
    expect([inShort(description), description.maxSetVersion, description.maxElectionId]).toEqual([
      'ReplicaSetWithPrimary rs: b RSPrimary',
      3,
      newer,
    ]);
    expect(effectsInShort(effects)).toEqual([
      'serverDescriptionChanged',
      'closeServer a',
      'serverClosed',
      'topologyDescriptionChanged',
    ]);
    expect(inShort(afterChecks(settingsOf({ replicaSet: 'rs' }), other))).toBe('ReplicaSetNoPrimary rs: ');
  });

  test('there is one primary: the previous one becomes Unknown with the reason and is checked at once', () => {
    const before = afterChecks(two, primary({}, b));
    const { description, effects } = reduce(before, { type: 'checked', server: primary({ lastUpdateTime: 2 }) }, two);
    const was = description.servers.get(b);
    expect(inShort(description)).toBe('ReplicaSetWithPrimary rs: a RSPrimary, b Unknown');
    expect(was).toEqual({ ...unknownServer(b, { lastUpdateTime: 1 }), error: was?.error });
    expect([was?.error?.kind, was?.error?.message]).toEqual([
      'selection',
      'b:27017: primary marked stale due to discovery of newer primary',
    ]);
    expect(effectsInShort(effects)).toEqual([
      'readyPool a',
      'serverDescriptionChanged',
      'serverDescriptionChanged',
      'checkNow b',
      'topologyDescriptionChanged',
    ]);
    expect(effects[3]).toEqual({ type: 'checkNow', address: b, rest: 'minimum' });
  });

  /** Returns whether the second hello of a primary is accepted after the first, and the highest values kept then. */
  const judged = (
    maxWireVersion: number,
    known: Partial<ServerDescription>,
    told: Partial<ServerDescription>,
  ): readonly unknown[] => {
    const { servers, maxSetVersion, maxElectionId } = afterChecks(
      two,
      primary({ maxWireVersion, ...known }, b),
      primary({ maxWireVersion, ...told }),
    );
    return [servers.get(a)?.type, servers.get(b)?.type, maxSetVersion, maxElectionId?.toHexString()];
  };
  const believed = (setVersion?: number, electionId?: ObjectId) => [
    ...['RSPrimary', 'Unknown'],
    ...[setVersion, electionId?.toHexString()],
  ];
  const stale = (setVersion?: number, electionId?: ObjectId) => [
    ...['Unknown', 'RSPrimary'],
    ...[setVersion, electionId?.toHexString()],
  ];

  test('"Using electionId and setVersion to detect stale primaries", from 6.0: compares the election id, then the set version; a missing value is the least', () => {
    const now = (known: Partial<ServerDescription>, told: Partial<ServerDescription>) => judged(17, known, told);
    const [old, young] = [{ electionId: older }, { electionId: newer }];
    expect(now({ ...young, setVersion: 1 }, { ...old, setVersion: 2 })).toEqual(stale(1, newer));
    expect(now({ ...old, setVersion: 2 }, { ...young, setVersion: 1 })).toEqual(believed(1, newer));
    expect(now({ ...old, setVersion: 2 }, { ...old, setVersion: 1 })).toEqual(stale(2, older));
    expect(now({ ...old, setVersion: 2 }, { ...old, setVersion: 2 })).toEqual(believed(2, older));
    expect(now({ ...old, setVersion: 2 }, { ...old, setVersion: 3 })).toEqual(believed(3, older));
    expect(now({ ...old, setVersion: 1 }, { setVersion: 2 })).toEqual(stale(1, older));
    expect(now({ setVersion: 1 }, { ...old })).toEqual(believed(undefined, older));
    expect(now({ ...old, setVersion: 0 }, { ...old })).toEqual(stale(0, older));
    expect(now({}, { setVersion: 0 })).toEqual(believed(0));
    expect(now({}, {})).toEqual(believed());
  });

  test('the same before 6.0: compares the set version, then the election id, and only if all four values are present', () => {
    const then = (known: Partial<ServerDescription>, told: Partial<ServerDescription>) => judged(16, known, told);
    const [old, young] = [{ electionId: older }, { electionId: newer }];
    expect(then({ ...young, setVersion: 2 }, { ...old, setVersion: 2 })).toEqual(stale(2, newer));
    expect(then({ ...old, setVersion: 2 }, { ...young, setVersion: 1 })).toEqual(stale(2, older));
    expect(then({ ...old, setVersion: 2 }, { ...young, setVersion: 2 })).toEqual(believed(2, newer));
    expect(then({ ...old, setVersion: 2 }, { ...old, setVersion: 2 })).toEqual(believed(2, older));
    expect(then({ ...young, setVersion: 1 }, { ...old, setVersion: 2 })).toEqual(believed(2, older));
    expect(then({ setVersion: 2 }, { ...old, setVersion: 1 })).toEqual(believed(2, older));
    expect(then({ ...old, setVersion: 2 }, { setVersion: 1 })).toEqual(believed(2, older));
    expect(then({ ...young, setVersion: 2 }, { ...old })).toEqual(believed(2, newer));
    expect(then({ ...young }, { ...old, setVersion: 1 })).toEqual(believed(1, older));
    expect(then({}, { ...young })).toEqual(believed());
  });

  test('a stale primary becomes Unknown with the reason, and its pool stays paused', () => {
    const before = afterChecks(two, primary({ electionId: newer, setVersion: 1 }, b));
    const answer = primary({ electionId: older, setVersion: 1, lastUpdateTime: 4 });
    const { description, effects } = reduce(before, { type: 'checked', server: answer }, two);
    expect(description.servers.get(a)?.lastUpdateTime).toBe(4);
    expect(description.servers.get(a)?.error?.message).toBe(
      'a:27017: primary marked stale due to electionId/setVersion mismatch',
    );
    expect(effectsInShort(effects)).toEqual(['serverDescriptionChanged', 'topologyDescriptionChanged']);
    expect(description.type).toBe('ReplicaSetWithPrimary');
  });

  test('a primary that falls behind the known values leaves the set without a primary', () => {
    expect(checked(primary({ electionId: newer, setVersion: 1 }), primary({ electionId: older, setVersion: 1 }))).toBe(
      'ReplicaSetNoPrimary rs: a Unknown, b Unknown',
    );
  });
});

describe('at most 500 servers are monitored', () => {
  const names = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}${index}:1`);
  const known = (...answers: readonly ServerDescription[]) => [...afterChecks(two, ...answers).servers.keys()];

  test('keeps the first 500 members that a primary lists', () => {
    const hosts = [a, ...names(600, 'h')];
    expect(known(member(a, 'RSPrimary', { hosts }))).toEqual(hosts.slice(0, 500));
  });

  test('adds hosts that another member lists up to 500 servers', () => {
    const [first, second] = [
      [a, ...names(300, 'h')],
      [b, ...names(300, 'i')],
    ];
    expect(known(member(a, 'RSSecondary', { hosts: first }), member(b, 'RSSecondary', { hosts: second }))).toEqual(
      [a, b, ...first.slice(1), ...second.slice(1)].slice(0, 500),
    );
  });
});
