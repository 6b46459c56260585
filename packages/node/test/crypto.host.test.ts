import * as v8 from 'node:v8';
import { afterEach, describe, expect, test } from 'vitest';
import { createNode } from '@tessera/node';

const { crypto, random } = createNode();
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const hex = (data: Uint8Array): string => Buffer.from(data).toString('hex');

test('Crypto: returns the published digests of "abc"', () => {
  expect(hex(crypto.hash('md5', bytes('abc')))).toBe('900150983cd24fb0d6963f7d28e17f72');
  expect(hex(crypto.hash('sha1', bytes('abc')))).toBe('a9993e364706816aba3e25717850c26c9cd0d89d');
  expect(hex(crypto.hash('sha256', bytes('abc')))).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});

test('Crypto: RFC 2202, test case 2 of HMAC-SHA-1', () => {
  expect(hex(crypto.hmac('sha1', bytes('Jefe'), bytes('what do ya want for nothing?')))).toBe(
    'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79',
  );
});

test('Crypto: RFC 6070, second vector of PBKDF2', async () => {
  const key = await crypto.pbkdf2('sha1', bytes('password'), bytes('salt'), 2, 20);
  expect(hex(key)).toBe('ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957');
});

test('Random: returns a number in [0, 1), and the requested number of bytes', () => {
  const unit = random.unit();
  expect(unit >= 0 && unit < 1).toBe(true);
  expect(random.bytes(24)).toHaveLength(24);
  expect(hex(random.bytes(24))).not.toBe(hex(random.bytes(24)));
});

test("Crypto: rejects with the host's error if a key cannot be derived", async () => {
  await expect(crypto.pbkdf2('sha1', bytes('password'), bytes('salt'), 0, 20)).rejects.toThrow('iterations');
});

describe('Random: callbacks for processes that start from a snapshot', () => {
  // oxlint-disable-next-line nodejs/no-unsupported-features/node-builtins -- experimental, but all versions have it
  const { startupSnapshot } = v8;
  const { isBuildingSnapshot, addDeserializeCallback } = startupSnapshot;
  afterEach(() => {
    Object.assign(startupSnapshot, { isBuildingSnapshot, addDeserializeCallback });
  });

  /** Returns the callbacks passed to the host while it reports whether it builds a snapshot. */
  const callbacksWhile = (answer: () => unknown): readonly unknown[] => {
    const given: unknown[] = [];
    Object.assign(startupSnapshot, {
      isBuildingSnapshot: answer,
      addDeserializeCallback: (callback: unknown) => given.push(callback),
    });
    random.onCopied?.(renew);
    return given;
  };
  const renew = (): void => undefined;

  test.each([true, 1])('are registered if this process builds a snapshot (%j)', answer => {
    expect(callbacksWhile(() => answer)).toEqual([renew]);
  });

  test('are not registered if the host builds no snapshot, or cannot report it', () => {
    const cannotTell = (): never => {
      throw new Error('not implemented');
    };
    expect([callbacksWhile(() => 0), callbacksWhile(() => false), callbacksWhile(cannotTell)]).toEqual([[], [], []]);
  });
});
