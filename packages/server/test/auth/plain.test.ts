import { Binary } from 'bson';
import { describe, expect, test } from 'vitest';
import type { UserOption } from '../../src/auth/given-users.js';
import { createServer } from '../../src/index.js';
import { Client, testRuntime } from '../client.js';

/**
 * A server with two PLAIN users. Its `logIn` returns the error code, and how many times the server ran PBKDF2 for this
 * login.
 */
const guarded = (...more: readonly UserOption[]) => {
  const runtime = testRuntime();
  let stretched = 0;
  const crypto = {
    ...runtime.crypto,
    pbkdf2: (...given: Parameters<typeof runtime.crypto.pbkdf2>) => {
      stretched += 1;
      return runtime.crypto.pbkdf2(...given);
    },
  };
  const users = [...['ada', 'bob'].map(user => ({ user, pwd: 'pencil', db: '$external' })), ...more];
  const client = new Client(createServer({ ...runtime, crypto }, { users }));
  const logIn = async (user: string, pwd: string, db = '$external'): Promise<readonly [number, number]> => {
    stretched = 0;
    const payload = new Binary(Buffer.from(`\0${user}\0${pwd}`));
    const { code = 0 } = await client.plain({ saslStart: 1, mechanism: 'PLAIN', payload }, db);
    return [code, stretched];
  };
  return { client, logIn };
};

const attempts = [
  ['ada', 'wrong', '$external'],
  ['nobody', 'pencil', '$external'],
  ['ada', 'pencil', 'admin'],
] as const;

describe('PLAIN', () => {
  test('authenticates a user with the right password', async () => {
    const { client, logIn } = guarded();
    expect((await logIn('ada', 'pencil'))[0]).toBe(0);
    expect(await client.plain({ find: 'c' })).toMatchObject({ ok: 1 });
  });

  test('a password that cannot be prepared with SASLprep locks out only its own user', async () => {
    const { logIn } = guarded({ user: 'eve', pwd: 'bell\u0007', db: '$external' });
    expect((await logIn('ada', 'pencil'))[0]).toBe(0);
    expect((await logIn('eve', 'pencil'))[0]).not.toBe(0);
  });

  test('calls PBKDF2 as often for a wrong password, an unknown user and another database as for a right password', async () => {
    const { logIn } = guarded();
    await logIn('nobody', 'wrong');
    for (const [user, pwd, db] of attempts) expect(await logIn(user, pwd, db)).toEqual([18, 1]);
    expect(await logIn('bob', 'pencil')).toEqual([0, 1]);
  });

  test.each(attempts)(
    'calls PBKDF2 equally often on the first login to a server: %s, %s, %s',
    async (user, pwd, db) => {
      expect(await guarded().logIn(user, pwd, db)).toEqual([18, 3]);
    },
  );
});
