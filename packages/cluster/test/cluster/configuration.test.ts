import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { MemberOptions } from '../../src/index.js';
import { hello, hostOf, insert, members, plainly } from './members.js';

describe('hello in a set with all kinds of members', () => {
  const wish: readonly MemberOptions[] = [
    { tags: { dc: 'a' } },
    { tags: { dc: 'b', disk: 'ssd' } },
    { priority: 0 },
    { hidden: true },
    { arbiterOnly: true },
    { secondaryDelaySecs: 3600, hidden: true },
  ];
  const common = {
    hosts: [hostOf(0), hostOf(1)],
    passives: [hostOf(2)],
    arbiters: [hostOf(4)],
    setName: 'rs0',
    setVersion: 1,
    primary: hostOf(0),
  };

  test.each([
    [0, { isWritablePrimary: true, secondary: false, tags: { dc: 'a' } }],
    [1, { isWritablePrimary: false, secondary: true, tags: { dc: 'b', disk: 'ssd' } }],
    [2, { isWritablePrimary: false, secondary: true, passive: true }],
    [3, { isWritablePrimary: false, secondary: true, passive: true, hidden: true }],
    [4, { isWritablePrimary: false, secondary: false, arbiterOnly: true }],
    [5, { isWritablePrimary: false, secondary: true, passive: true, hidden: true, secondaryDelaySecs: 3600 }],
  ])('member %d describes itself, and all members list the same visible members', async (place, own) => {
    const set = members(wish);
    const told: Document = await hello(set.clients[place]!);
    const { topologyVersion: _, electionId, lastWrite: __, localTime: ___, ...rest } = told;
    const kinds = ['tags', 'passive', 'hidden', 'arbiterOnly', 'secondaryDelaySecs'] as const;
    const absent = kinds.filter(kind => !(kind in own));
    expect(rest).toMatchObject({ ...common, ...own, me: hostOf(place) });
    for (const kind of absent) expect(rest).not.toHaveProperty(kind);
    expect(electionId === undefined).toBe(place !== 0);
    await set.close();
  });

  test('an arbiter has no data to read and does not count for a numeric write concern', async () => {
    const set = members([{}, {}, { arbiterOnly: true }]);
    await insert(set.clients[0]!, 1);
    expect(await set.clients[2]!.plain({ find: 'c', $readPreference: { mode: 'nearest' } })).toMatchObject({
      code: 13436,
    });
    const writeConcern = { w: 3, wtimeout: 10 };
    expect(await insert(set.clients[0]!, 2, { writeConcern })).toMatchObject({ writeConcernError: { code: 100 } });
    await set.close();
  });
});

describe('replSetReconfig', () => {
  const configOf = async (set: ReturnType<typeof members>): Promise<Document> =>
    (await set.clients[0]!.plain({ replSetGetConfig: 1 }, 'admin'))['config'] as Document;

  test('takes effect on all members at once, with a higher setVersion and topologyVersion', async () => {
    const set = members(3);
    const config = await configOf(set);
    const next = config['members'] as Document[];
    next[2] = { ...next[2], priority: 0, hidden: true };
    const replSetReconfig = { ...config, version: 2, members: next };
    expect(await set.clients[0]!.plain({ replSetReconfig }, 'admin')).toMatchObject({ ok: 1 });
    for (const client of set.clients)
      expect(await hello(client)).toMatchObject({ setVersion: 2, hosts: [hostOf(0), hostOf(1)] });
    await expect(set.elect(2)).rejects.toThrow('has a priority of 0');
    await set.close();
  });

  test('a member that was removed from the configuration leaves the set', async () => {
    const set = members(3);
    const config = await configOf(set);
    const left = (config['members'] as Document[]).slice(0, 2);
    await set.clients[0]!.plain({ replSetReconfig: { ...config, version: 2, members: left } }, 'admin');
    expect(set.members[2]!.state).toBe('removed');
    expect(await hello(set.clients[2]!)).toMatchObject({
      isWritablePrimary: false,
      secondary: false,
      isreplicaset: true,
    });
    expect(await hello(set.clients[2]!)).not.toHaveProperty('setName');
    expect(plainly(await insert(set.clients[0]!, 1))).toEqual({ n: 1, ok: 1 });
    await set.close();
  });

  test('a member without a majority accepts a forced configuration only', async () => {
    const set = members(3);
    const config = await configOf(set);
    set.crash(0);
    set.crash(1);
    await set.clock.advance(20_000);
    const alone = (config['members'] as Document[]).slice(2);
    const client = set.clients[2]!;
    const replSetReconfig = { ...config, version: 2, members: alone };
    expect(await client.refusal({ replSetReconfig }, 'admin')).toMatch(/^10107 /);
    expect(await client.plain({ replSetReconfig, force: true }, 'admin')).toMatchObject({ ok: 1 });
    await set.clock.advance(12_000);
    expect(set.primary).toBe(set.members[2]);
    await set.close();
  });

  test.each([0, 2])(
    'a configuration forced on member %d reaches all members, and a regular one can follow it',
    async place => {
      const set = members(3);
      const config = await configOf(set);
      const next = config['members'] as Document[];
      next[1] = { ...next[1], priority: 0, hidden: true };
      const force = { replSetReconfig: { ...config, version: 2, members: next }, force: true };
      expect(await set.clients[place]!.plain(force, 'admin')).toMatchObject({ ok: 1 });
      for (const client of set.clients)
        expect(await hello(client)).toMatchObject({ setVersion: 10_002, hosts: [hostOf(0), hostOf(2)] });
      const replSetReconfig = { ...config, version: 10_003 };
      expect(await set.clients[0]!.plain({ replSetReconfig }, 'admin')).toMatchObject({ ok: 1 });
      for (const client of set.clients) expect(await hello(client)).toMatchObject({ setVersion: 10_003 });
      await set.close();
    },
  );

  test('since 4.4 at most one voting member is added or removed at a time, unless forced', async () => {
    const refusals: string[] = [];
    for (const version of ['4.4.0', '4.2.0']) {
      const set = members(5, { version });
      const config = await configOf(set);
      const replSetReconfig = { ...config, version: 2, members: (config['members'] as Document[]).slice(0, 3) };
      refusals.push(await set.clients[0]!.refusal({ replSetReconfig }, 'admin'));
      if (version === '4.4.0')
        expect(await set.clients[0]!.plain({ replSetReconfig, force: true }, 'admin')).toMatchObject({ ok: 1 });
      expect(set.members.map(({ state }) => state).slice(3)).toEqual(['removed', 'removed']);
      await set.close();
    }
    expect(refusals).toEqual([
      '103 Non force replica set reconfig can only add or remove at most 1 voting member.',
      'no error: the reply has ok: 1',
    ]);
  });

  test.each([
    [
      'the same version',
      (config: Document) => config,
      /^103 .* version must be greater than old, but 1 is not greater than 1/,
    ],
    [
      'another name',
      (config: Document) => ({ ...config, _id: 'rs1', version: 2 }),
      /^103 .* differ in replica set name/,
    ],
    ['no members', (config: Document) => ({ ...config, version: 2, members: [] }), /^93 .* contains 0 members/],
    [
      'a duplicate member',
      (config: Document) => ({ ...config, version: 2, members: [config['members'][0], config['members'][0]] }),
      /^93 Found two member configurations with same _id field, 0/,
    ],
    [
      'no electable member',
      (config: Document) => ({ ...config, version: 2, members: [{ ...config['members'][0], priority: 0 }] }),
      /^93 .* at least one non-arbiter member with priority > 0/,
    ],
    [
      'two votes of a member',
      (config: Document) => ({ ...config, version: 2, members: [{ ...config['members'][0], votes: 2 }] }),
      /^93 votes field value is 2 but must be 0 or 1/,
    ],
    [
      'an unknown field',
      (config: Document) => ({ ...config, version: 2, nonsense: 1 }),
      /^40415 .*ReplSetConfig.nonsense/,
    ],
    [
      'none of the known members',
      (config: Document) => ({ ...config, version: 2, members: (config['members'] as Document[]).slice(1) }),
      /^74 No host described in new configuration/,
    ],
  ])('rejects a configuration with %s', async (_what, made, refusal) => {
    const set = members(3);
    const replSetReconfig = made(await configOf(set));
    expect(await set.clients[0]!.refusal({ replSetReconfig }, 'admin')).toMatch(refusal);
    await set.close();
  });
});

describe('replSetGetStatus', () => {
  test('describes all members as the queried member sees them', async () => {
    const set = members([{}, {}, {}, { arbiterOnly: true }]);
    set.crash(2);
    const status: Document = await set.clients[1]!.plain({ replSetGetStatus: 1 }, 'admin');
    expect(status).toMatchObject({
      set: 'rs0',
      myState: 2,
      syncSourceHost: hostOf(0),
      majorityVoteCount: 3,
      writeMajorityCount: 3,
      votingMembersCount: 4,
      writableVotingMembersCount: 3,
      members: [
        { _id: 0, name: hostOf(0), health: 1, stateStr: 'PRIMARY' },
        { _id: 1, name: hostOf(1), health: 1, stateStr: 'SECONDARY', self: true },
        { _id: 2, name: hostOf(2), health: 0, state: 8, stateStr: '(not reachable/healthy)' },
        { _id: 3, name: hostOf(3), health: 1, state: 7, stateStr: 'ARBITER' },
      ],
    });
    await set.close();
  });
});

test('a set rejects more than seven members and configurations that mongod rejects', () => {
  expect(() => members(8)).toThrow('A replica set must have 1 to 7 members, not 8.');
  expect(() => members([{ priority: 0 }])).toThrow('at least one non-arbiter member with priority > 0');
  expect(() => members([{}, { hidden: true, priority: 1 }])).toThrow('priority must be 0 when hidden=true');
});
