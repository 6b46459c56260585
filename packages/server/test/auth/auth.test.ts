import { describe, expect, test } from 'vitest';
import { Binary, UUID } from 'bson';
import { Client, world } from '../client.js';
import type { Reply } from '../client.js';
import { clientFirst, logIn } from './scram-client.js';

const ada = { user: 'ada', pwd: 'pencil' };
const guarded = () => world({ users: [ada] });
const outcome = (replies: readonly Reply[]): unknown => {
  const { ok, code, errmsg, done } = replies.at(-1)!;
  return ok === 1 ? { done } : { code, errmsg };
};
const FAILED = { code: 18, errmsg: 'Authentication failed.' };

describe('a server with users', () => {
  test('lets an unauthenticated client run hello, ping and connectionStatus, but no command that requires privileges', async () => {
    const { client } = guarded();
    for (const command of [{ find: 'c' }, { insert: 'c', documents: [{}] }, { listDatabases: 1 }, { usersInfo: 1 }])
      expect(await client.refusal(command, 'admin')).toBe(
        `13 Command ${Object.keys(command)[0]} requires authentication`,
      );
    for (const command of [{ hello: 1 }, { isMaster: 1 }, { ping: 1 }, { buildInfo: 1 }, { connectionStatus: 1 }])
      expect(await client.plain(command, 'admin')).toMatchObject({ ok: 1 });
    expect(await client.refusal({ nonsense: 1 })).toBe("59 no such command: 'nonsense'");
  });

  test('does not store sessions of unauthenticated clients', async () => {
    const { server, client } = guarded();
    const lsid = { id: new UUID('00112233-4455-6677-8899-aabbccddeeff') };
    await client.plain({ ping: 1, lsid }, 'admin');
    const known = new Client(server);
    await logIn(known, 'ada', 'pencil');
    const count = async (): Promise<unknown> =>
      (await known.plain({ serverStatus: 1 }, 'admin'))['logicalSessionRecordCache'];
    expect(await count()).toEqual({ activeSessionsCount: 0 });
    await known.plain({ ping: 1, lsid }, 'admin');
    expect(await count()).toEqual({ activeSessionsCount: 1 });
  });

  test('writes "command" in lower case in the error before version 7.0', async () => {
    const { client } = world({ users: [ada], version: '6.0.5' });
    expect(await client.refusal({ find: 'c' })).toBe('13 command find requires authentication');
  });

  test.each(['SCRAM-SHA-1', 'SCRAM-SHA-256'] as const)(
    '%s: authenticates the user and proves that the server has the credentials',
    async mechanism => {
      const { client } = guarded();
      expect(outcome(await logIn(client, 'ada', 'pencil', { mechanism }))).toEqual({ done: true });
      expect(await client.plain({ find: 'c' })).toMatchObject({ ok: 1 });
      expect((await client.plain({ connectionStatus: 1 }))['authInfo']).toEqual({
        authenticatedUsers: [{ user: 'ada', db: 'admin' }],
        authenticatedUserRoles: [{ role: 'root', db: 'admin' }],
      });
    },
  );

  test('without skipEmptyExchange, an empty exchange completes the conversation', async () => {
    const { client } = guarded();
    const replies = await logIn(client, 'ada', 'pencil', { skipEmptyExchange: false });
    expect(replies.map(({ done }) => done)).toEqual([false, false, true]);
    expect(await client.plain({ find: 'c' })).toMatchObject({ ok: 1 });
  });

  test('a wrong password, an unknown user and another database fail alike, after the same number of steps', async () => {
    const { client } = guarded();
    for (const replies of [
      await logIn(client, 'ada', 'wrong'),
      await logIn(client, 'nobody', 'pencil'),
      await logIn(client, 'ada', 'pencil', { db: 'shop' }),
    ])
      expect([replies.length, outcome(replies)]).toEqual([2, FAILED]);
    expect(await client.refusal({ find: 'c' })).toBe('13 Command find requires authentication');
  });

  test('a login applies to one connection only', async () => {
    const { server, client } = guarded();
    await logIn(client, 'ada', 'pencil');
    expect(await new Client(server).refusal({ find: 'c' })).toBe('13 Command find requires authentication');
  });

  test('logout removes the authentication of the connection', async () => {
    const { client } = guarded();
    await logIn(client, 'ada', 'pencil');
    expect(await client.plain({ logout: 1 }, 'admin')).toEqual({ ok: 1 });
    expect(await client.refusal({ find: 'c' })).toBe('13 Command find requires authentication');
  });
});

describe('a SASL conversation', () => {
  const start = (payload: unknown, mechanism: unknown = 'SCRAM-SHA-256') => ({ saslStart: 1, mechanism, payload });
  const bytes = (text: string): Binary => new Binary(Buffer.from(text));

  test('fails with code 334 if the mechanism is unknown or not enabled', async () => {
    const { client } = guarded();
    for (const mechanism of ['PLAIN', 'MONGODB-X509', 'constructor'])
      expect(await client.refusal(start(bytes('\0ada\0pencil'), mechanism), 'admin')).toBe(
        `334 Received authentication for mechanism ${mechanism} which is unknown or not enabled`,
      );
    expect(await client.refusal({ authenticate: 1, mechanism: 'MONGODB-CR' }, '$external')).toBe(
      '334 Received authentication for mechanism MONGODB-CR which is unknown or not enabled',
    );
  });

  test('fails if the payload is malformed or missing', async () => {
    const { client } = guarded();
    for (const text of ['', 'n,,', 'p=tls,,n=ada,r=abc', 'n,a=root,n=ada,r=abc', 'n,,n=ada', 'n,,n=a=da,r=abc', '\0\0'])
      expect(await client.refusal(start(bytes(text)), 'admin')).toBe('18 Authentication failed.');
    expect(await client.refusal(start(5), 'admin')).toBe(
      '14 Wrong type for field (payload): it must be BinData or a base64 string',
    );
    expect(await client.refusal({ saslStart: 1, mechanism: 'SCRAM-SHA-256' }, 'admin')).toBe(
      "40414 BSON field 'saslStart.payload' is missing but a required field",
    );
  });

  test('continues only if one is open, with its conversation id, and at most once after a failure', async () => {
    const { client } = guarded();
    const more = { saslContinue: 1, conversationId: 1, payload: bytes('c=biws,r=x,p=eA==') };
    expect(await client.refusal(more, 'admin')).toBe('17 No SASL session state found');
    await client.plain(start(bytes(`n,,${clientFirst('ada').bare}`)), 'admin');
    expect(await client.refusal({ ...more, conversationId: 2 }, 'admin')).toBe('17 sasl: Mismatched conversation id');
    await client.plain(start(bytes(`n,,${clientFirst('ada').bare}`)), 'admin');
    expect(await client.refusal(more, 'admin')).toBe('18 Authentication failed.');
    expect(await client.refusal(more, 'admin')).toBe('17 No SASL session state found');
  });

  test('sends the same salt for the same unknown user each time', async () => {
    const { client } = guarded();
    const salt = async (user: string): Promise<string> => {
      const reply = await client.plain(start(bytes(`n,,${clientFirst(user).bare}`)), 'admin');
      return Buffer.from((reply['payload'] as Binary).value())
        .toString()
        .split(',')[1]!;
    };
    expect(await salt('nobody')).toBe(await salt('nobody'));
    expect(await salt('nobody')).not.toBe(await salt('no one'));
  });

  test('is not recorded by the profiler, and neither are passwords in other commands', async () => {
    const { client } = world();
    await client.plain({ profile: 2 }, 'admin');
    await client.plain({ createUser: 'bob', pwd: 'hunter2', roles: [] }, 'admin');
    await client.plain(start(bytes(`n,,${clientFirst('bob').bare}`)), 'admin');
    await client.plain({ explain: { createUser: 'eve', pwd: 'hunter2', roles: [] } }, 'admin');
    await client.plain({ hello: 1, speculativeAuthenticate: { ...start(bytes('x')), db: 'admin' } }, 'admin');
    await client.plain({ ping: 1 }, 'admin');
    const { cursor } = await client.plain({ find: 'system.profile' }, 'admin');
    expect(cursor.firstBatch.map(({ command }) => Object.keys(command as object)[0])).toEqual(['ping']);
  });
});

describe('MongoDB Handshake', () => {
  test('saslSupportedMechs lists the mechanisms of an existing user, and is absent for unknown users', async () => {
    const { client } = world({ users: [ada, { user: 'old.one', pwd: 'x', db: 'shop', mechanisms: ['SCRAM-SHA-1'] }] });
    const mechanismsOf = async (name: string): Promise<unknown> =>
      (await client.plain({ hello: 1, saslSupportedMechs: name }, 'admin'))['saslSupportedMechs'];
    expect([
      await mechanismsOf('admin.ada'),
      await mechanismsOf('shop.old.one'),
      await mechanismsOf('admin.nobody'),
      await mechanismsOf('x'),
    ]).toEqual([['SCRAM-SHA-1', 'SCRAM-SHA-256'], ['SCRAM-SHA-1'], undefined, undefined]);
  });

  test('"Speculative Authentication": hello returns the reply to the saslStart that it contains', async () => {
    const { client } = guarded();
    const payload = new Binary(Buffer.from(`n,,${clientFirst('ada').bare}`));
    const speculativeAuthenticate = { saslStart: 1, mechanism: 'SCRAM-SHA-256', payload, db: 'admin' };
    const reply = await client.plain({ hello: 1, speculativeAuthenticate }, 'admin');
    expect(reply['speculativeAuthenticate']).toMatchObject({ conversationId: 1, done: false });
  });

  test('hello succeeds without speculativeAuthenticate if the speculative authentication fails', async () => {
    const { client } = world({ users: [{ ...ada, mechanisms: ['SCRAM-SHA-1'] }] });
    const payload = new Binary(Buffer.from(`n,,${clientFirst('ada').bare}`));
    for (const speculativeAuthenticate of [
      { saslStart: 1, mechanism: 'SCRAM-SHA-256', payload, db: 'admin' },
      { saslStart: 1, mechanism: 'PLAIN', payload, db: 'admin' },
      { saslStart: 1, mechanism: 'SCRAM-SHA-1', payload },
      { authenticate: 1, mechanism: 'MONGODB-X509', db: '$external' },
      {},
    ]) {
      const reply = await client.plain({ hello: 1, speculativeAuthenticate }, 'admin');
      expect([reply.ok, reply['speculativeAuthenticate']]).toEqual([1, undefined]);
    }
  });
});

describe('users', () => {
  test('"Localhost Exception": without users, an unauthenticated client can create the first user, and only the first', async () => {
    const { client } = world({ auth: true });
    const first = { createUser: 'ada', pwd: 'pencil', roles: ['root'] };
    expect(await client.refusal({ ...first }, 'shop')).toBe('13 Command createUser requires authentication');
    expect(await client.plain(first, 'admin')).toEqual({ ok: 1 });
    expect(await client.refusal({ ...first, createUser: 'bob' }, 'admin')).toBe(
      '13 Command createUser requires authentication',
    );
    expect(outcome(await logIn(client, 'ada', 'pencil'))).toEqual({ done: true });
  });

  test('are created, listed, updated and dropped', async () => {
    const { client } = world();
    const bob = {
      createUser: 'bob',
      pwd: 'hunter2',
      roles: ['read', { role: 'root', db: 'admin' }],
      customData: { a: 1 },
    };
    expect(await client.plain(bob, 'shop')).toEqual({ ok: 1 });
    const { users } = await client.plain({ usersInfo: 'bob' }, 'shop');
    const info = {
      _id: 'shop.bob',
      userId: (users as Reply[])[0]!['userId'],
      user: 'bob',
      db: 'shop',
      customData: { a: 1 },
      roles: [
        { role: 'read', db: 'shop' },
        { role: 'root', db: 'admin' },
      ],
      mechanisms: ['SCRAM-SHA-1', 'SCRAM-SHA-256'],
    };
    expect(users).toEqual([info]);
    expect(
      await client.plain({ updateUser: 'bob', pwd: 'hunter3', roles: [], mechanisms: ['SCRAM-SHA-1'] }, 'shop'),
    ).toEqual({
      ok: 1,
    });
    expect((await client.plain({ usersInfo: { user: 'bob', db: 'shop' } }, 'admin'))['users']).toEqual([
      { ...info, roles: [], mechanisms: ['SCRAM-SHA-1'] },
    ]);
    const mechanism = 'SCRAM-SHA-1';
    expect(outcome(await logIn(client, 'bob', 'hunter2', { db: 'shop', mechanism }))).toEqual(FAILED);
    expect(outcome(await logIn(client, 'bob', 'hunter3', { db: 'shop', mechanism }))).toEqual({ done: true });
    expect(outcome(await logIn(client, 'bob', 'hunter3', { db: 'shop' }))).toEqual(FAILED);
    expect(await client.plain({ dropUser: 'bob' }, 'shop')).toEqual({ ok: 1 });
    expect(await client.refusal({ dropUser: 'bob' }, 'shop')).toBe("11 User 'bob@shop' not found");
  });

  test('lose their authentication when they are dropped, even if a new user gets the same name', async () => {
    const { server, client } = guarded();
    await logIn(client, 'ada', 'pencil');
    await client.plain({ createUser: 'bob', pwd: 'pen', roles: ['read'] }, 'shop');
    const bob = new Client(server);
    await logIn(bob, 'bob', 'pen', { db: 'shop' });
    expect(await bob.plain({ find: 'c' }, 'shop')).toMatchObject({ ok: 1 });
    await client.plain({ dropUser: 'bob' }, 'shop');
    await client.plain({ createUser: 'bob', pwd: 'other', roles: ['dbOwner'] }, 'shop');
    expect(await bob.refusal({ find: 'c' }, 'shop')).toBe('13 Command find requires authentication');
  });

  test('are listed for one database, for all databases, by name and by filter', async () => {
    const { client } = world();
    for (const [user, db] of [
      ['b', 'one'],
      ['a', 'one'],
      ['a', 'two'],
    ] as const)
      await client.plain({ createUser: user, pwd: 'x', roles: [], mechanisms: ['SCRAM-SHA-1'] }, db);
    const ids = async (command: object): Promise<unknown> =>
      ((await client.plain({ ...command }, 'one'))['users'] as Reply[]).map(({ _id }) => _id);
    expect(await ids({ usersInfo: 1 })).toEqual(['one.a', 'one.b']);
    expect(await ids({ usersInfo: { forAllDBs: true } })).toEqual(['one.a', 'two.a', 'one.b']);
    expect(await ids({ usersInfo: ['b', { user: 'a', db: 'two' }] })).toEqual(['two.a', 'one.b']);
    expect(await ids({ usersInfo: 1, filter: { user: 'b' } })).toEqual(['one.b']);
    expect(await client.plain({ dropAllUsersFromDatabase: 1 }, 'one')).toEqual({ n: 2, ok: 1 });
    expect(await ids({ usersInfo: { forAllDBs: true } })).toEqual(['two.a']);
  });

  test('are rejected if a field is invalid or the name is taken', async () => {
    const { client } = world();
    const make = { createUser: 'bob', pwd: 'x', roles: [] };
    await client.plain(make, 'shop');
    const refusals = async (...commands: readonly object[]): Promise<string[]> => {
      const errors: string[] = [];
      for (const command of commands) errors.push(await client.refusal({ ...command }, 'shop'));
      return errors;
    };
    expect(
      await refusals(
        make,
        { createUser: 'eve', pwd: 'x' },
        { createUser: 'eve', roles: [] },
        { ...make, createUser: '' },
        { ...make, createUser: 'eve', pwd: '' },
        { ...make, createUser: 'eve', pwd: 'x\u0007' },
        { ...make, createUser: 'eve', mechanisms: [] },
        { ...make, createUser: 'eve', mechanisms: ['PLAIN'] },
        { ...make, createUser: 'eve', roles: ['emperor'] },
        { updateUser: 'eve', roles: [] },
        { usersInfo: { name: 'eve' } },
      ),
    ).toEqual([
      '51003 User "bob@shop" already exists',
      "40414 BSON field 'createUser.roles' is missing but a required field",
      "2 Must provide a 'pwd' field for all user documents, except those with '$external' as the user's source db",
      "2 User document needs 'user' field to be a non-empty string",
      '2 Password cannot be empty',
      '2 Error preparing password: it contains a character that SASLprep forbids',
      '2 mechanisms field must not be empty',
      "2 Unknown auth mechanism 'PLAIN'",
      '31 Could not find role: emperor@shop',
      "11 User 'eve@shop' not found",
      '2 UserName must either be a string or an object with fields "user" and "db"',
    ]);
  });

  test('Authentication, test plan, step 4: passwords are prepared with SASLprep, user names are not', async () => {
    const { client } = world({ users: [{ user: '\u2168', pwd: '\u2163', mechanisms: ['SCRAM-SHA-256'] }] });
    expect(outcome(await logIn(client, '\u2168', 'IV'))).toEqual({ done: true });
    expect(outcome(await logIn(client, 'IX', 'IV'))).toEqual(FAILED);
  });
});
