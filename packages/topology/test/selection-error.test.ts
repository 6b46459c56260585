import { MongoError } from '@tessera/contracts';
import type { Request, Selection, ServerDescription, TopologyDescription } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import {
  clientIsClosed,
  closedUnderWay,
  incompatible,
  invalidSelection,
  noServer,
  selectionAborted,
  serverLeft,
} from '../src/selection/selection-error.js';
import { unknownServer } from '../src/description/server-description.js';
import { emptyTopology } from '../src/description/topology-description.js';
import { summaryOf } from '../src/selection/server-summary.js';
import { a, b, member, server, topology } from './described.js';

const seen = { now: 2501, heartbeatFrequencyMS: 10_000 };
const said = (
  one: ServerDescription,
  selection: Selection,
  of: TopologyDescription = emptyTopology,
  now = seen.now,
): string => summaryOf(one, of, selection, { ...seen, now });

describe('the summary of a server', () => {
  const plain = ' (checked 2.5 s ago)';

  test('states its type and how long ago it was checked', () => {
    expect(said(server(a, 'Mongos'), { mode: 'primary' })).toBe(`a:27017 is Mongos${plain}`);
    expect(said(server(a, 'Mongos'), { mode: 'primary' }, emptyTopology, 1000.6)).toBe(
      'a:27017 is Mongos (checked 1000 ms ago)',
    );
    expect(said(server(a, 'Mongos'), { mode: 'primary' }, emptyTopology, 1001)).toBe(
      'a:27017 is Mongos (checked 1.0 s ago)',
    );
  });

  test('states that it was never checked, or its last error', () => {
    const error = new MongoError('network', 'refused');
    expect(said(unknownServer(a, { error }), { mode: 'primary' })).toBe('a:27017 is Unknown (it has not answered yet)');
    expect(said(unknownServer(a, { error, lastUpdateTime: 1 }), { mode: 'primary' })).toBe(
      'a:27017 is Unknown (checked 2.5 s ago: refused)',
    );
  });

  test.each([
    ['RSArbiter', 'nearest', ', which holds no data'],
    ['RSGhost', 'nearest', ', which serves no operations'],
    ['RSOther', 'nearest', ', which serves no operations'],
    ['RSPrimary', 'secondary', ', not a secondary'],
    ['RSPrimary', 'nearest', ' with the tags {dc: ny, disk: ssd}'],
    ['RSSecondary', 'primary', ', not the primary'],
    ['RSSecondary', 'secondary', ' with the tags {dc: ny, disk: ssd}'],
    ['Standalone', 'secondary', ''],
    ['Mongos', 'secondary', ''],
    ['LoadBalancer', 'secondary', ''],
    ['PossiblePrimary', 'secondary', ''],
    ['Unknown', 'secondary', ''],
  ] as const)('explains why %s is not suitable for %s with tags', (type, mode, why) => {
    const one = server(a, type, { tags: { dc: 'ny', disk: 'ssd' } });
    expect(said(one, { mode, tags: [{ dc: 'la' }] })).toBe(`a:27017 is ${type}${why}${plain}`);
  });

  test('lists its tags only if the read preference has tags', () => {
    const one = member(a, 'RSSecondary', { tags: { dc: 'ny' } });
    for (const tags of [undefined, []])
      expect(said(one, { mode: 'secondary', tags })).toBe(`a:27017 is RSSecondary${plain}`);
    expect(said(member(a, 'RSSecondary'), { mode: 'secondary', tags: [{ dc: 'la' }] })).toBe(
      `a:27017 is RSSecondary with the tags {}${plain}`,
    );
  });

  test('states its staleness only if that exceeds the limit', () => {
    const late = member(b, 'RSSecondary', { lastWriteDate: 400_000 });
    const set = topology('ReplicaSetWithPrimary', [member(a, 'RSPrimary', { lastWriteDate: 500_000 }), late]);
    const behind = (maxStalenessSeconds: number | undefined) =>
      said(late, { mode: 'secondary', maxStalenessSeconds }, set);
    expect(behind(109)).toBe(`b:27017 is RSSecondary, about 110.0 s behind${plain}`);
    for (const limit of [110, 0, -1, undefined]) expect(behind(limit)).toBe(`b:27017 is RSSecondary${plain}`);
  });
});

describe('"Server selection errors"', () => {
  const requestOf = (selection: Selection, signal?: unknown): Request<unknown> =>
    ({ operation: { name: 'find', selection }, signal }) as unknown as Request<unknown>;
  const failed = (
    of: TopologyDescription,
    selection: Selection = { mode: 'primary' },
    at?: string,
    removed?: ServerDescription,
  ) => noServer(requestOf(selection), at, { topology: of, removed, ...seen }, 2999.7);
  const advice = (of: TopologyDescription, mode: Selection['mode'] = 'primary') =>
    /(?<=\. )[^.]+\.$/.exec(failed(of, { mode }).message)?.[0];
  const inShort = (error: MongoError) => [error.kind, error.message, error.origin, error.cause];
  const nowhereSent = (address?: string, waited?: number) => ({ phase: 'select', sent: false, address, waited });

  test("states the operation, the time waited, the topology, each server's state and what to do", () => {
    const error = new MongoError('network', 'refused');
    const set = topology(
      'ReplicaSetNoPrimary',
      [unknownServer(a, { error, lastUpdateTime: 1 }), member(b, 'RSSecondary')],
      { setName: 'rs' },
    );
    expect(inShort(failed(set))).toEqual([
      'selection',
      'No server for find (primary) within 3000 ms. The deployment is ReplicaSetNoPrimary of rs: ' +
        'a:27017 is Unknown (checked 2.5 s ago: refused); b:27017 is RSSecondary, not the primary (checked 2.5 s ago). ' +
        'Wait for an election (serverSelectionTimeoutMS sets the limit), or read with secondaryPreferred.',
      nowhereSent(undefined, 2999.7),
      error,
    ]);
  });

  test('the cause is the first error of a server', () => {
    const [first, second] = [new MongoError('network', 'refused'), new MongoError('network', 'reset')];
    const servers = [server(b, 'Mongos'), unknownServer(a, { error: first }), unknownServer('c:1', { error: second })];
    expect(failed(topology('Sharded', servers)).cause).toBe(first);
  });

  test('lists at most fifty servers', () => {
    const many = (count: number) =>
      topology(
        'Sharded',
        Array.from({ length: count }, (_, index) => server(`h${index}:1`, 'Mongos')),
      );
    const told = (count: number) => failed(many(count)).message.match(/h\d+:1 is Mongos|and \d+ more/g);
    const fifty = Array.from({ length: 50 }, (_, index) => `h${index}:1 is Mongos`);
    expect([told(50), told(52)]).toEqual([fifty, [...fifty, 'and 2 more']]);
  });

  test('contains the parts of the read preference that are set, and the address if there is one', () => {
    const wanted = (selection: Selection, at?: string) =>
      /(?<=for ).*(?= within)/.exec(failed(emptyTopology, selection, at).message)?.[0];
    const full = { mode: 'nearest', tags: [{ dc: 'ny', disk: 'ssd' }, {}], maxStalenessSeconds: 120 } as const;
    expect(wanted(full, a)).toBe('find (nearest, tags {dc: ny, disk: ssd} or {}, at most 120 s stale) at a:27017');
    expect(wanted({ mode: 'nearest', tags: [], maxStalenessSeconds: 0 })).toBe('find (nearest)');
    expect(wanted({ mode: 'nearest', maxStalenessSeconds: -1 })).toBe('find (nearest)');
    expect(failed(emptyTopology, full, a).origin).toEqual(nowhereSent(a, 2999.7));
  });

  test('without servers, advises to check the seeds', () => {
    expect(inShort(failed(emptyTopology))).toEqual([
      'selection',
      'No server for find (primary) within 3000 ms. The deployment is Unknown: no servers are left. ' +
        'Check that the seeds and the option replicaSet name the intended deployment.',
      nowhereSent(undefined, 2999.7),
      undefined,
    ]);
  });

  test('names the replica set of a server that was removed because of another name', () => {
    const empty = topology('ReplicaSetNoPrimary', [], { setName: 'rs1' });
    const said = (removed: ServerDescription) => failed(empty, undefined, undefined, removed).message;
    const before = 'No server for find (primary) within 3000 ms. ';
    const after =
      'The deployment is ReplicaSetNoPrimary of rs1: no servers are left. ' +
      'Check that the seeds and the option replicaSet name the intended deployment.';
    expect(said(member(a, 'RSPrimary', { setName: 'rs0' }))).toBe(
      `${before}a:27017 belongs to the replica set rs0, but this client expects rs1. ${after}`,
    );
    expect(said(server(a, 'Standalone'))).toBe(
      `${before}a:27017 belongs to no replica set, but this client expects rs1. ${after}`,
    );
    expect(said(member(a, 'RSPrimary', { setName: 'rs1' }))).toBe(`${before}${after}`);
  });

  test('the advice depends on the state of the deployment', () => {
    const reach =
      'Check that the servers run, and that addresses, firewalls and TLS settings let this client reach them.';
    const elect = 'Wait for an election (serverSelectionTimeoutMS sets the limit), or read with secondaryPreferred.';
    const less =
      'Check that members of this kind are up, or relax the read preference: another mode, other tags, a greater maxStalenessSeconds.';
    const up = 'Check that the servers are up and belong to one deployment.';
    const [unknown, second] = [unknownServer(a), member(b, 'RSSecondary')];
    expect(advice(topology('ReplicaSetNoPrimary', [unknown]))).toBe(reach);
    expect(advice(topology('ReplicaSetNoPrimary', [unknown, second]))).toBe(elect);
    expect(advice(topology('ReplicaSetNoPrimary', [second]), 'secondary')).toBe(less);
    expect(advice(topology('ReplicaSetWithPrimary', [second]))).toBe(less);
    expect(advice(topology('Sharded', [unknown, server(b, 'Mongos')]))).toBe(up);
  });

  test('the other errors say what failed, where, and what to do', () => {
    const { signal } = { signal: { reason: 'enough' } };
    const set = topology('Sharded', [server(a, 'Mongos')]);
    expect(
      [
        serverLeft(requestOf({ mode: 'primary' }), b, { topology: set, removed: undefined, ...seen }),
        incompatible({ ...set, compatibilityError: 'too old' }),
        incompatible(set),
        invalidSelection(requestOf({ mode: 'primary' }), 'it cannot be'),
        clientIsClosed(),
        closedUnderWay(),
        selectionAborted(requestOf({ mode: 'primary' }, signal)),
        selectionAborted(requestOf({ mode: 'primary' })),
      ].map(inShort),
    ).toEqual([
      [
        'selection',
        'b:27017, where find has to run because a cursor or transaction is bound to that server, is no longer part of ' +
          'the deployment. The deployment is Sharded: a:27017 is Mongos (checked 2.5 s ago). Start the cursor or transaction again.',
        nowhereSent(b),
        undefined,
      ],
      ['selection', 'too old', nowhereSent(), undefined],
      ['selection', 'A server speaks no common wire version.', nowhereSent(), undefined],
      ['usage', 'Cannot select a server for find: it cannot be.', nowhereSent(), undefined],
      ['closed', 'The client is closed. Create a new MongoClient to run more operations.', nowhereSent(), undefined],
      [
        ...['closed', 'The client was closed before the server replied. Close it after all operations have completed.'],
        ...[undefined, undefined],
      ],
      ['aborted', 'find was aborted by its signal during server selection.', nowhereSent(), 'enough'],
      ['aborted', 'find was aborted by its signal during server selection.', nowhereSent(), undefined],
    ]);
  });
});
