import { describe, expect, test } from 'vitest';
import { hello, hostOf, idsAt, insert, members, stepDown } from './members.js';

const states = (set: ReturnType<typeof members>): readonly string[] => set.members.map(({ state }) => state);

describe('election', () => {
  test('a set starts with one primary that all members agree on', async () => {
    const set = members(3);
    expect(states(set)).toEqual(['primary', 'secondary', 'secondary']);
    for (const client of set.clients) expect(await hello(client)).toMatchObject({ primary: hostOf(0), setName: 'rs0' });
    await set.close();
    expect(set.clock.pending).toBe(0);
  });

  test('replaces a crashed primary exactly after the election timeout, with a later electionId', async () => {
    const set = members(3);
    const before = await hello(set.clients[0]!);
    set.crash(0);
    await set.clock.advance(9_999);
    expect(set.primary).toBeUndefined();
    expect(await hello(set.clients[1]!)).not.toHaveProperty('primary');
    await set.clock.advance(1_501);
    const [, second, third] = states(set);
    expect([second, third].sort()).toEqual(['primary', 'secondary']);
    const winner = set.members.indexOf(set.primary!);
    const after = await hello(set.clients[winner]!);
    expect(String(after['electionId']) > String(before['electionId'])).toBe(true);
    expect(after['setVersion']).toBe(before['setVersion']);
    await set.close();
  });

  test('uses the configured election timeout', async () => {
    const set = members(3, { settings: { electionTimeoutMillis: 100 } });
    set.crash(0);
    await set.clock.advance(115);
    expect(set.primary).toBeDefined();
    await set.close();
  });

  test('elects no primary without a majority of the votes', async () => {
    const set = members(3);
    set.crash(0);
    set.crash(1);
    await set.clock.advance(60_000);
    expect(set.members[2]!.state).toBe('secondary');
    await expect(set.elect(2)).rejects.toThrow('not elected: 1 of 2 votes');
    await set.restart(1);
    await set.clock.advance(12_000);
    expect(set.primary).toBeDefined();
    await set.close();
  });

  test('a voter rejects a candidate that lacks its newest entry', async () => {
    const set = members(3);
    set.lag(1, Number.POSITIVE_INFINITY);
    await insert(set.clients[0]!, 1);
    set.crash(0);
    await set.clock.advance(11_500);
    expect(set.primary).toBe(set.members[2]);
    expect(set.set.run(set.set.members[1]!)).toMatch('data is staler than mine');
    await set.close();
  });

  test('a partitioned primary considers itself primary until its timeout, while the others elect a primary with a later electionId', async () => {
    const set = members(3);
    set.partition([0], [1, 2]);
    await set.elect(1);
    const [old, young] = [await hello(set.clients[0]!), await hello(set.clients[1]!)];
    expect([old['isWritablePrimary'], young['isWritablePrimary']]).toEqual([true, true]);
    expect(String(young['electionId']) > String(old['electionId'])).toBe(true);
    await set.clock.advance(10_000);
    expect(states(set)).toEqual(['secondary', 'primary', 'secondary']);
    expect(await hello(set.clients[0]!)).not.toHaveProperty('primary');
    set.heal();
    expect(await hello(set.clients[0]!)).toMatchObject({ primary: hostOf(1) });
    await set.close();
  });

  test('the member with the highest priority becomes primary once it has caught up', async () => {
    const set = members([{}, {}, { priority: 2 }]);
    expect(set.primary).toBe(set.members[2]);
    set.crash(2);
    await set.clock.advance(11_500);
    expect(set.primary).not.toBe(set.members[2]);
    await set.restart(2);
    await insert(set.clients[set.members.indexOf(set.primary!)]!, 1);
    await set.clock.advance(11_500);
    expect(set.primary).toBe(set.members[2]);
    expect(await idsAt(set.connect(2))).toEqual([1]);
    await set.close();
  });

  test.each([
    ['with a priority of 0', { priority: 0 }],
    ['that is hidden', { hidden: true }],
    ['with a replication delay', { secondaryDelaySecs: 60 }],
    ['that is an arbiter', { arbiterOnly: true }],
  ])('a member %s is never elected', async (_what, member) => {
    const set = members([{}, member]);
    await expect(set.elect(1)).rejects.toThrow(/db1:27017 (is an arbiter|has a priority of 0)/);
    set.partition([0], [1]);
    await set.clock.advance(60_000);
    expect(set.primary).toBeUndefined();
    await set.close();
  });

  test('elects exactly one primary if messages are delayed', async () => {
    const set = members(5);
    set.latency(50);
    set.crash(0);
    await set.clock.advance(12_000);
    expect(states(set).filter(state => state === 'primary')).toHaveLength(1);
    const term = set.primary && set.set.primary!.term;
    await set.clock.advance(60_000);
    expect(set.set.primary!.term).toBe(term);
    for (const { term: known, isUp } of set.set.members) if (isUp) expect(known).toBe(term);
    await set.close();
  });

  test('a new primary starts its term with a no-op entry', async () => {
    const set = members(3);
    await insert(set.clients[0]!, 1);
    await stepDown(set);
    const primary = set.set.primary!;
    expect(primary.log.last).toMatchObject({ at: { term: 2n }, ops: [{ kind: 'noop', message: 'new primary' }] });
    for (const member of set.set.members) expect(member.log.last).toBe(primary.log.last);
    await set.close();
  });
});

describe('frozen process', () => {
  test('does not reply, is replaced, and learns after thawing that it is no longer primary', async () => {
    const set = members(3);
    set.freeze(0);
    const asked = insert(set.clients[0]!, 1);
    await set.clock.advance(11_500);
    expect(set.clients[0]!.received).toEqual([]);
    expect(set.members.slice(1).some(({ isPrimary }) => isPrimary)).toBe(true);
    set.thaw(0);
    expect(await asked).toMatchObject({ ok: 0, code: 10107 });
    expect(set.members[0]!.state).toBe('secondary');
    await set.close();
  });
});
