import * as npm from 'bson';
import fc from 'fast-check';
import { afterAll, describe, expect, test, vi } from 'vitest';
import * as usual from '@tessera/bson';
import { documents, similar } from './values.js';

const hex = (bytes: Uint8Array): string => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');

/** The query makes Vitest load the sources, so that it can load them again. */
const source = '../src/index.ts?again';

/** Loads the package as on a host with these globals replaced. */
const elsewhere = async (globals: Readonly<Record<string, unknown>>): Promise<typeof usual> => {
  vi.resetModules();
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  try {
    return (await import(source)) as typeof usual;
  } finally {
    vi.unstubAllGlobals();
  }
};

const forbidden = function (): never {
  throw new EvalError('Code generation from strings disallowed for this context');
};

const withoutBuffer = await elsewhere({ Buffer: undefined });
const withoutGeneration = await elsewhere({ Function: forbidden });
const withoutBoth = await elsewhere({ Buffer: undefined, Function: forbidden });

afterAll(() => vi.resetModules());

describe.each([
  ['without Buffer', withoutBuffer],
  ['where code must not be generated', withoutGeneration],
  ['without either', withoutBoth],
])('%s', (_, there) => {
  test('loads another copy of the package', () => {
    expect(there.bson).not.toBe(usual.bson);
  });

  test('writes the same bytes and reads the same values', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(documents(), document => {
        const bytes = usual.encode({ document });
        expect(hex(there.encode({ document }))).toBe(hex(bytes));
        expect(hex(there.encode(there.decode(bytes, { keepTypes: true })))).toBe(
          hex(usual.encode(usual.decode(bytes, { keepTypes: true }))),
        );
        expect(usual.stringifyExtendedJson(there.decode(bytes))).toBe(usual.stringifyExtendedJson(usual.decode(bytes)));
      }),
    );
  });

  test("learns a collection's documents", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(similar(), collection => {
        const shape = there.bson.shape();
        for (const document of collection) {
          const bytes = npm.serialize({ document }, { ignoreUndefined: false });
          expect(hex(there.encode(there.decode(bytes, shape), shape))).toBe(hex(usual.encode(usual.decode(bytes))));
        }
      }),
      { numRuns: 4 },
    );
  });

  test('rejects text that is not UTF-8, and accepts U+FFFD', () => {
    const bytes = usual.encode({ a: 'ü\ufffd and so on' });
    expect(there.decode(bytes)).toEqual({ a: 'ü\ufffd and so on' });
    bytes[11] = 0xff;
    expect(() => there.decode(bytes)).toThrow(/a string that is not UTF-8 at byte 11/);
    expect(there.decode(bytes, { enableUtf8Validation: false })).toEqual(
      npm.deserialize(bytes, { validation: { utf8: false } }),
    );
  });

  test('writes unpaired surrogates as U+FFFD, and keeps a byte order mark', () => {
    const text = `\ufeffa\ud800b${'x'.repeat(100)}\udc00`;
    expect(there.decode(there.encode({ text }))).toEqual({ text: text.toWellFormed() });
  });
});

test('returns the content of binaries as a Uint8Array without Buffer', () => {
  const bytes = usual.encode({
    a: new npm.Binary(Uint8Array.of(1, 2)),
    long: Uint8Array.from({ length: 100 }, (_, i) => i),
  });
  expect(withoutBuffer.decode(bytes, { promoteBuffers: true })).toEqual({
    a: Uint8Array.of(1, 2),
    long: Uint8Array.from({ length: 100 }, (_, i) => i),
  });
});
