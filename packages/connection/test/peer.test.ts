import { describe, expect, test } from 'vitest';
import { FirstBytes } from '../src/peer.js';
import { utf8Cut, utf8Length } from '../src/utf8.js';

const described = (...parts: readonly (Uint8Array | string)[]): string | undefined => {
  const first = new FirstBytes();
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part;
    first.room(bytes);
    first.filled(bytes.length);
  }
  return first.describe();
};
/** A message header with this length and opcode, which the tests may cut short. */
const header = (length: number, opCode: number): Uint8Array => {
  const bytes = Buffer.alloc(16);
  bytes.writeInt32LE(length, 0);
  bytes.writeInt32LE(opCode, 12);
  return bytes;
};
const no = "which are not MongoDB's protocol";

describe('the first bytes of a peer', () => {
  test('may be MongoDB: nothing, a part of a header, or a header with a valid length and opcode', () => {
    for (const opCode of [1, 2012, 2013])
      for (const length of [16, 48_016_384]) expect(described(header(length, opCode))).toBeUndefined();
    for (const count of [0, 1, 3, 4, 15]) expect(described(header(16, 9).subarray(0, count))).toBeUndefined();
  });

  test('are not MongoDB if the length or opcode is invalid', () => {
    const hex = (bytes: Uint8Array): string =>
      Buffer.from(bytes)
        .toString('hex')
        .replace(/..(?=.)/g, '$& ');
    for (const bytes of [header(15, 2013), header(48_016_385, 2013), header(-1, 2013), header(16, 2), header(16, 2014)])
      expect(described(bytes)).toBe(`the bytes ${hex(bytes)}, ${no}`);
    expect(described(header(15, 1).subarray(0, 4))).toBe(`the bytes 0f 00 00 00, ${no}`);
  });

  test('are TLS if they are an alert or a handshake of major version 3', () => {
    const tls = 'TLS; the port requires TLS, so connect with tls=true';
    expect([described('\x15\x03'), described('\x16\x03\x01')]).toEqual([tls, tls]);
    expect(described('\x16\x02\xff\xff\xff')).toBe(`the bytes 16 02 ff ff ff, ${no}`);
    expect(described('\x17\x03\xff\xff\xff')).toBe(`the bytes 17 03 ff ff ff, ${no}`);
  });

  test('are described by their first line if they are text', () => {
    expect(described('abcd\nnext')).toBe('"abcd", which is not MongoDB\'s protocol');
    expect(described('ab c~\rnext')).toBe('"ab c~", which is not MongoDB\'s protocol');
    expect(described('abc\x7f')).toBe(`the bytes 61 62 63 7f, ${no}`);
    expect(described('SSH-2')).toBe('SSH ("SSH-2"); check that the SSH tunnel is open');
    expect(described('HTTP/1')).toBe('HTTP ("HTTP/1"); check that the port belongs to MongoDB');
    expect(described('xHTTP/1')).toBe('"xHTTP/1", which is not MongoDB\'s protocol');
  });

  test('are collected from several packets, up to 48 bytes', () => {
    expect(described('HTTP', '/1.1 ', '200\r\n')).toBe('HTTP ("HTTP/1.1 200"); check that the port belongs to MongoDB');
    expect(described('a'.repeat(40), 'b'.repeat(40))).toBe(
      `"${'a'.repeat(40)}${'b'.repeat(8)}", which is not MongoDB's protocol`,
    );
  });
});

describe('UTF-8', () => {
  const texts = ['', 'a', '\x7f', '\x80', '߿', 'ࠀ', '￿', '😀', 'aé€😀'];
  test.each(texts)('utf8Length returns the length of "%s"', text => {
    expect(utf8Length(text)).toBe(Buffer.byteLength(text));
  });

  test('utf8Cut cuts between characters', () => {
    const text = 'aé€😀';
    expect([0, 1, 2, 3, 5, 6, 9, 10, 99].map(most => utf8Cut(text, most))).toEqual([
      ...['', 'a', 'a', 'aé', 'aé', 'aé€', 'aé€', text, text],
    ]);
  });
});
