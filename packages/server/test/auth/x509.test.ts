import { describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.js';
import { createServer } from '../../src/index.js';
import { Client, testRuntime } from '../client.js';

const subject = 'CN=ada,O=Tessera';
const start = { authenticate: 1, mechanism: 'MONGODB-X509' };

const guarded = (): Server =>
  createServer(testRuntime(), { users: [{ user: subject, db: '$external', roles: [{ role: 'read', db: 'shop' }] }] });

describe('MONGODB-X509', () => {
  test.each([start, { ...start, user: subject }])(
    '%j authenticates a client whose certificate subject is the name of a user',
    async command => {
      const client = new Client(guarded(), subject);
      expect(await client.plain(command, '$external')).toEqual({ dbname: '$external', user: subject, ok: 1 });
      expect((await client.plain({ connectionStatus: 1 }))['authInfo']).toEqual({
        authenticatedUsers: [{ user: subject, db: '$external' }],
        authenticatedUserRoles: [{ role: 'read', db: 'shop' }],
      });
      expect(await client.plain({ find: 'c' }, 'shop')).toMatchObject({ ok: 1 });
      expect(await client.plain({ logout: 1 }, '$external')).toEqual({ ok: 1 });
      expect(await client.refusal({ find: 'c' })).toMatch(/^13 /);
    },
  );

  test('speculative authentication in hello succeeds for a known subject, and is omitted from the reply for an unknown one', async () => {
    const server = guarded();
    const hello = { hello: 1, speculativeAuthenticate: { ...start, db: '$external' } };
    const client = new Client(server, subject);
    expect((await client.plain(hello, 'admin'))['speculativeAuthenticate']).toEqual({
      dbname: '$external',
      user: subject,
    });
    expect(await client.plain({ find: 'c' }, 'shop')).toMatchObject({ ok: 1 });
    const stranger = new Client(server, 'CN=eve');
    expect(await stranger.plain(hello, 'admin')).not.toHaveProperty('speculativeAuthenticate');
    expect(await stranger.refusal({ find: 'c' })).toMatch(/^13 /);
  });

  test('speculative authentication without a database is one in $external', async () => {
    const client = new Client(guarded(), subject);
    expect(await client.plain({ hello: 1, speculativeAuthenticate: start }, 'admin')).toMatchObject({
      speculativeAuthenticate: { dbname: '$external', user: subject },
    });
    expect(await client.plain({ find: 'c' }, 'shop')).toMatchObject({ ok: 1 });
  });

  test.each([
    ['the client has no certificate', undefined, start, '$external', '18 Authentication failed.'],
    [
      'the user differs from the certificate subject',
      subject,
      { ...start, user: 'CN=eve' },
      '$external',
      '18 Authentication failed.',
    ],
    [
      'no user has the certificate subject as its name',
      'CN=eve',
      start,
      '$external',
      '11 Could not find user "CN=eve" for db "$external"',
    ],
    [
      'the database is not $external',
      subject,
      start,
      'admin',
      '17 X.509 authentication must always use the $external database.',
    ],
    [
      'the mechanism is not enabled',
      subject,
      { ...start, mechanism: 'GSSAPI' },
      '$external',
      '334 Received authentication for mechanism GSSAPI which is unknown or not enabled',
    ],
  ])('rejects the login if %s', async (_why, name, command, db, refusal) => {
    const client = new Client(guarded(), name);
    expect(await client.refusal(command, db)).toBe(refusal);
    expect(await client.refusal({ find: 'c' })).toMatch(/^13 /);
  });

  test('users of $external are created without a password, with the mechanism "external"', async () => {
    const server = createServer(testRuntime());
    const client = new Client(server, subject);
    const roles = [{ role: 'readWrite', db: 'shop' }];
    expect(await client.plain({ createUser: subject, roles }, '$external')).toEqual({ ok: 1 });
    expect((await client.plain({ usersInfo: subject }, '$external'))['users']).toMatchObject([
      { user: subject, db: '$external', roles, mechanisms: ['external'] },
    ]);
    expect(await client.plain(start, '$external')).toMatchObject({ ok: 1 });
    const hello = await client.plain({ hello: 1, saslSupportedMechs: `$external.${subject}` }, 'admin');
    expect(hello['saslSupportedMechs']).toEqual(['external']);
  });

  test('a user of another database must have a password', () => {
    expect(() => createServer(testRuntime(), { users: [{ user: 'ada' }] })).toThrow(
      'The user "ada" of the database "admin" requires a password: set "pwd". Only users of "$external" can omit it.',
    );
  });
});
