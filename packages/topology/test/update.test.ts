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

  test('"updateUnknownWithStandalone": the only seed is the deployment', () => {
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

  test('a member of the set that was asked for, and any server if none was, is what it is', () => {
    for (const answer of [member(a, 'RSPrimary'), member(a, 'RSSecondary')]) {
      expect(single('rs', answer)).toEqual(answer);
      expect(single(undefined, answer)).toEqual(answer);
    }
    expect(single(undefined, server(a, 'Standalone'))).toEqual(server(a, 'Standalone'));
  });

  test('any other is Unknown, with an error that tells both names', () => {
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

  test('one that did not answer stays Unknown with the error of its check', () => {
    expect(single('rs', unknownServer(a))).toEqual(unknownServer(a));
  });

  test('type and set stay whatever the server is', () => {
    const settings = settingsOf({ directConnection: true });
    expect(inShort(afterChecks(settings, member(a, 'RSPrimary')))).toBe('Single: a RSPrimary');
    expect(inShort(afterChecks(settings, server(a, 'Mongos')))).toBe('Single: a Mongos');
  });
});

describe('"updateRSWithoutPrimary"', () => {
  const set = settingsOf({ seeds: [a], replicaSet: 'rs' });

  test.each(['RSSecondary', 'RSArbiter', 'RSOther'] as const)('%s is asked who else is a member', type => {
    expect(inShort(afterChecks(set, member(a, type, { hosts: [a, c] })))).toBe(
      `ReplicaSetNoPrimary rs: a ${type}, c Unknown`,
    );
  });

  test('the first member names the set; one of another set is removed', () => {
    expect(checked(member(a, 'RSSecondary'), member(b, 'RSSecondary', { setName: 'other' }))).toBe(
      'ReplicaSetNoPrimary rs: a RSSecondary',
    );
    expect(inShort(afterChecks(set, member(a, 'RSSecondary', { setName: 'other' })))).toBe('ReplicaSetNoPrimary rs: ');
  });

  test('hosts, passives and arbiters are added, nobody is removed', () => {
    const told = { hosts: [a], passives: ['p:1'], arbiters: ['x:1'] };
    expect(inShort(afterChecks(two, member(a, 'RSSecondary', told)))).toBe(
      'ReplicaSetNoPrimary rs: a RSSecondary, b Unknown, p Unknown, x Unknown',
    );
  });

  test('a member that the set knows under another address is removed, once its set is taken in; one that tells none stays', () => {
    expect(inShort(afterChecks(set, member(a, 'RSSecondary', { me: b })))).toBe('ReplicaSetNoPrimary rs: b Unknown');
    expect(inShort(afterChecks(set, member(a, 'RSSecondary', { me: undefined })))).toBe(
      'ReplicaSetNoPrimary rs: a RSSecondary, b Unknown',
    );
  });
});

describe('"updateRSWithPrimaryFromMember"', () => {
  const before = member(b, 'RSPrimary');

  test('the primary decides who is a member', () => {
    expect(checked(before, member(a, 'RSSecondary', { hosts: [a, b, c] }))).toBe(
      'ReplicaSetWithPrimary rs: a RSSecondary, b RSPrimary',
    );
    expect(checked(before, member(a, 'RSSecondary', { me: undefined }))).toBe(
      'ReplicaSetWithPrimary rs: a RSSecondary, b RSPrimary',
    );
  });

  test.each(['RSSecondary', 'RSArbiter', 'RSOther'] as const)(
    '%s of another set, or known under another address, is told as it is, and removed',
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

  test('members that the primary does not name are removed, those that it names are added', () => {
    const told = { hosts: [a, c], passives: ['p:1'], arbiters: ['x:1'] };
    expect(checked(primary(told))).toBe('ReplicaSetWithPrimary rs: a RSPrimary, c Unknown, p Unknown, x Unknown');
  });

  test('a primary that does not name itself is removed', () => {
    expect(checked(primary({ hosts: [b] }))).toBe('ReplicaSetNoPrimary rs: b Unknown');
  });

  test('a primary of another set is removed, and what is known of the set stays', () => {
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

  test('there is one primary: the one that was is Unknown, with the reason, and is asked again at once', () => {
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

  /** Whether the second answer of a primary is believed after the first, and what the set remembers then. */
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

  test('"Using electionId and setVersion to detect stale primaries", from 6.0: the election, then the version; missing is least', () => {
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

  test('the same before 6.0: the version, then the election, and only if all four are there', () => {
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

  test('a stale primary is Unknown with the reason, and its pool is not made ready', () => {
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

  test('the primary that falls behind what the set remembers leaves it without one', () => {
    expect(checked(primary({ electionId: newer, setVersion: 1 }), primary({ electionId: older, setVersion: 1 }))).toBe(
      'ReplicaSetNoPrimary rs: a Unknown, b Unknown',
    );
  });
});

describe('names without end are not watched: 500 servers are enough for any set', () => {
  const names = (count: number, prefix: string) => Array.from({ length: count }, (_, index) => `${prefix}${index}:1`);
  const known = (...answers: readonly ServerDescription[]) => [...afterChecks(two, ...answers).servers.keys()];

  test('of what a primary names the first 500 are members', () => {
    const hosts = [a, ...names(600, 'h')];
    expect(known(member(a, 'RSPrimary', { hosts }))).toEqual(hosts.slice(0, 500));
  });

  test('what another member names is added until there are 500', () => {
    const [first, second] = [
      [a, ...names(300, 'h')],
      [b, ...names(300, 'i')],
    ];
    expect(known(member(a, 'RSSecondary', { hosts: first }), member(b, 'RSSecondary', { hosts: second }))).toEqual(
      [a, b, ...first.slice(1), ...second.slice(1)].slice(0, 500),
    );
  });
});
