import { expect, test } from 'vitest';
import { BinaryValue, Doc } from '@tessera/mql/engine';
import { sessionKeyOf, Sessions } from '../../src/engine/sessions.js';

const lsidOf = (n: number): Doc => {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setUint32(4, n);
  return Doc.of([['id', new BinaryValue(4, bytes)]]);
};

test('a session is stored once, with its last use', () => {
  const sessions = new Sessions();
  for (const [n, nowMs] of [
    [1, 10],
    [2, 20],
    [1, 30],
  ] as const) {
    sessions.used(sessionKeyOf(lsidOf(n)), lsidOf(n), nowMs);
  }
  expect([...sessions].map(({ id, lastUse }) => [id, lastUse])).toEqual([
    [lsidOf(1).get('id'), 30],
    [lsidOf(2).get('id'), 20],
  ]);
});

test('overflow returns the least recently used half of the sessions once there are too many', () => {
  const sessions = new Sessions(6);
  const over = [0, 1, 2, 3, 4, 5, 0, 6].map((n, nowMs) => {
    sessions.used(sessionKeyOf(lsidOf(n)), lsidOf(n), nowMs);
    return sessions.overflow();
  });
  const few: readonly string[] = [];
  expect(over).toEqual([few, few, few, few, few, few, few, [1, 2, 3].map(n => sessionKeyOf(lsidOf(n)))]);
});
