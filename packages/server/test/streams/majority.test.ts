import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import { settled } from '../client.js';
import type { Members } from '../../../cluster/test/cluster/members.js';
import { insert, members, nearest, stepDown } from '../../../cluster/test/cluster/members.js';
import type { Watched, Where } from './stream.js';
import { watch } from './stream.js';

/** Opens a stream on one member of the set. */
const watchAt = (set: Members, member: number, options: Document = {}, where: Where = {}): Promise<Watched> =>
  watch({ client: set.connect(member), clock: set.clock } as never, options, { ...where, more: nearest });

const idsIn = async (stream: Watched): Promise<readonly unknown[]> =>
  (await stream.more()).map(event => (event['documentKey'] as Document)['_id']);

describe('a change stream of a replica set with three members', () => {
  test('reports a majority-committed write on each member', async () => {
    const set = members(3);
    const streams = await Promise.all([0, 1, 2].map(member => watchAt(set, member)));
    await insert(set.clients[0]!, 1);
    for (const stream of streams) expect(await idsIn(stream)).toEqual([1]);
    await set.close();
  });

  test('reports a write when it becomes majority-committed, not when it is written', async () => {
    const set = members(3);
    const stream = await watchAt(set, 0);
    set.lag(1, Number.POSITIVE_INFINITY);
    set.lag(2, Number.POSITIVE_INFINITY);
    await insert(set.clients[0]!, 1, { writeConcern: { w: 1 } });
    expect(await idsIn(stream)).toEqual([]);
    const waiting = stream.more({ maxTimeMS: 60_000 });
    let received: readonly unknown[] | undefined;
    void waiting.then(events => (received = events));
    await set.clock.advance(5_000);
    expect(received).toBeUndefined();
    set.lag(1, 0);
    await set.clock.advance(100);
    expect((await waiting).map(event => event['operationType'])).toEqual(['insert']);
    await set.close();
  });

  test('never reports a write that is rolled back', async () => {
    const set = members(3);
    const old = await watchAt(set, 0);
    set.partition([0], [1, 2]);
    await insert(set.clients[0]!, 'lost', { writeConcern: { w: 1 } });
    expect(await idsIn(old)).toEqual([]);
    await set.elect(1);
    const young = await watchAt(set, 1);
    await insert(set.clients[1]!, 'kept');
    await set.clock.advance(10_000);
    set.heal();
    await set.clock.advance(10_000);
    expect(await idsIn(young)).toEqual(['kept']);
    expect(await idsIn(await resumed(set, 0, old))).toEqual(['kept']);
    await set.close();
  });

  test('resumes on another member with the token of the first', async () => {
    const set = members(3);
    const first = await watchAt(set, 0);
    await insert(set.clients[0]!, 1);
    expect(await idsIn(first)).toEqual([1]);
    await stepDown(set);
    await settled();
    const primary = set.members.indexOf(set.primary!);
    expect(primary).not.toBe(0);
    await insert(set.clients[primary]!, 2);
    for (const member of [0, 1, 2]) expect(await idsIn(await resumed(set, member, first))).toEqual([2]);
    expect(await idsIn(first)).toEqual([2]);
    await set.close();
  });
});

/** Opens a stream that resumes after another one, with an empty first batch. */
const resumed = (set: Members, member: number, { token }: Watched): Promise<Watched> =>
  watchAt(set, member, { resumeAfter: token }, { cursor: { batchSize: 0 } });
