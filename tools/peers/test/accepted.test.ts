import { expect, test } from 'vitest';
import { acceptedOf, readAccepted } from '../src/accepted.js';
import { peers } from '../src/peers.js';

const list = (...entries: readonly unknown[]): string => JSON.stringify(entries);

test('every entry has a reason, and stands there once', () => {
  const entry = { id: 'f::C::t', reason: 'because' };
  expect(readAccepted(list(entry))).toEqual([entry]);
  expect(() => readAccepted(list({ ...entry, reason: ' ' }))).toThrow('f::C::t is accepted without a reason.');
  expect(() => readAccepted(list(entry, entry))).toThrow('f::C::t is accepted twice.');
});

test.each(peers)('what is accepted of $name is in files of it that are run', ({ name, files, short }) => {
  for (const { id } of acceptedOf(name)) expect(files).toContain(id.split('::')[0]);
  for (const file of short) expect(files).toContain(file);
});
