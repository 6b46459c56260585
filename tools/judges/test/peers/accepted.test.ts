import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accepted as folder } from '../../src/folders.js';
import { acceptedOf, readAccepted } from '../../src/peers/accepted.js';
import { peers } from '../../src/peers/peers.js';

const lists = readdirSync(folder);

test.each(lists)('every entry of %s names a file of its client and has a reason', list => {
  const peer = peers.find(({ name }) => `${name}.json` === list)!;
  for (const { id } of readAccepted(readFileSync(join(folder, list), 'utf8'))) {
    expect(peer.files).toContain(id.split('::')[0]);
  }
});

test('an entry applies to deployments that match all words of one of its places', () => {
  const everywhere = acceptedOf('pymongo', []).length;
  expect(acceptedOf('pymongo', ['replicaset', 'auth', 'tls']).length).toBeGreaterThanOrEqual(everywhere);
  expect(acceptedOf('unknown', ['standalone'])).toEqual([]);
});

test('rejects an entry without a reason, and an entry that is listed twice', () => {
  const list = (...groups: readonly object[]): string => JSON.stringify(groups);
  expect(() => readAccepted(list({ ids: ['f::a'], reason: ' ' }))).toThrow('f::a is accepted without a reason.');
  expect(() => readAccepted(list({ ids: ['f::a', 'f::a'], reason: 'r' }))).toThrow('f::a is accepted twice.');
  expect(
    readAccepted(list({ ids: ['f::a'], reason: 'r', on: ['sharded'] }, { ids: ['f::a'], reason: 's', on: ['auth'] })),
  ).toEqual([
    { id: 'f::a', reason: 'r', on: ['sharded'] },
    { id: 'f::a', reason: 's', on: ['auth'] },
  ]);
});

test.each(peers)('the short run of $name is a subset of its files', ({ files, short }) => {
  for (const file of short) expect(files).toContain(file);
});
