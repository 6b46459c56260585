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
    '%j lets in whose certificate has the name of a user',
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

  test('goes with hello: whoever is known is in at once, and who is not learns nothing', async () => {
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

  test.each([
    ['no certificate was shown', undefined, start, '$external', '18 Authentication failed.'],
    [
      'the user is another than that of the certificate',
      subject,
      { ...start, user: 'CN=eve' },
      '$external',
      '18 Authentication failed.',
    ],
    [
      'nobody is known by that name',
      'CN=eve',
      start,
      '$external',
      '11 Could not find user "CN=eve" for db "$external"',
    ],
    [
      'the database is another',
      subject,
      start,
      'admin',
      '17 X.509 authentication must always use the $external database.',
    ],
    [
      'the mechanism is another',
      subject,
      { ...start, mechanism: 'GSSAPI' },
      '$external',
      '334 Received authentication for mechanism GSSAPI which is unknown or not enabled',
    ],
  ])('refuses where %s', async (_why, name, command, db, refusal) => {
    const client = new Client(guarded(), name);
    expect(await client.refusal(command, db)).toBe(refusal);
    expect(await client.refusal({ find: 'c' })).toMatch(/^13 /);
  });

  test('its users are made without a password, and told as external', async () => {
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

  test('is no way around a password elsewhere', () => {
    expect(() => createServer(testRuntime(), { users: [{ user: 'ada' }] })).toThrow(
      'The user ada of admin needs a password (pwd); only users of $external have none',
    );
  });
});
