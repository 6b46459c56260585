import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readName, readUtf8, utf8 } from '../../src/value/utf8.js';

const texts = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', 'Aa', 'BB', '\ufeff', 'é', '_id'),
);

test('decodes what it encoded, at any offset, as a value and as a name', () => {
  fc.assert(
    fc.property(texts, fc.nat(9), (text, before) => {
      const written = utf8(text);
      const bytes = new Uint8Array(before + written.length + 3).fill(0x78);
      bytes.set(written, before);
      const [start, end] = [before, before + written.length];
      const read = [readUtf8(bytes, start, end), readName(bytes, start, end), readName(bytes, start, end)];
      expect(read).toEqual([text, text, text]);
    }),
    { numRuns: 2000 },
  );
});

test('malformed bytes become U+FFFD, and names with equal hashes are distinguished', () => {
  const bytes = Uint8Array.of(0x61, 0xff, 0x62);
  expect([readUtf8(bytes, 0, 3), readName(bytes, 0, 3)]).toEqual(['a\ufffdb', 'a\ufffdb']);
  const names = ['Aa', 'BB', 'Aa', 'AaBB', 'BBAa', 'BBBB'];
  expect(names.map(name => readName(utf8(name), 0, name.length))).toEqual(names);
});
