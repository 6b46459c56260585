import { inspect } from 'node:util';
import { Binary } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Conversation, Document } from '@tessera/contracts';
import { createScram, credentialOf } from '@tessera/auth';
import type { Credential, CredentialOptions } from '@tessera/auth';
import { ADDRESS, binary, failure, scripted, world } from './scripted.js';

const credential = (options: CredentialOptions = {}): Credential =>
  credentialOf({ username: 'user', password: 'pencil', ...options })!;

const begin = async (options: CredentialOptions, nonce?: string): Promise<Conversation> =>
  createScram(
    world(nonce === undefined ? undefined : new Uint8Array(Buffer.from(nonce, 'base64'))),
    credential(options),
  ).begin(ADDRESS);

const step = (text: string, done = false): Document => ({ conversationId: 1, payload: binary(text), done, ok: 1 });

/** The conversations of the specification. That of SCRAM-SHA-256 is the example of RFC 7677. */
const examples = {
  'SCRAM-SHA-1': {
    nonce: 'fyko+d2lbbFgONRv9qkxdawL',
    clientFirst: 'n,,n=user,r=fyko+d2lbbFgONRv9qkxdawL',
    serverFirst: 'r=fyko+d2lbbFgONRv9qkxdawLHo+Vgk7qvUOKUwuWLIWg4l/9SraGMHEE,s=rQ9ZY3MntBeuP3E1TDVC4w==,i=10000',
    clientFinal: 'c=biws,r=fyko+d2lbbFgONRv9qkxdawLHo+Vgk7qvUOKUwuWLIWg4l/9SraGMHEE,p=MC2T8BvbmWRckDw8oWl5IVghwCY=',
    serverFinal: 'v=UMWeI25JD1yNYZRMpZ4VHvhZ9e0=',
  },
  'SCRAM-SHA-256': {
    nonce: 'rOprNGfwEbeRWgbNEkqO',
    clientFirst: 'n,,n=user,r=rOprNGfwEbeRWgbNEkqO',
    serverFirst: 'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096',
    clientFinal:
      'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=',
    serverFinal: 'v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=',
  },
} as const;
const sha256 = examples['SCRAM-SHA-256'];

const startOf = (mechanism: string, payload: string): Document => ({
  saslStart: 1,
  mechanism,
  payload,
  autoAuthorize: 1,
  options: { skipEmptyExchange: true },
});

describe.each(Object.entries(examples))('Authentication "%s"', (mechanism, example) => {
  const options = { authMechanism: mechanism };

  test('follows the conversation of the specification', async () => {
    const { connection, asked } = scripted([step(example.serverFirst), step(example.serverFinal, true)]);
    await (await begin(options, example.nonce)).finish(connection, undefined, Infinity);
    expect(asked).toEqual([
      ['admin', startOf(mechanism, example.clientFirst)],
      ['admin', { saslContinue: 1, conversationId: 1, payload: example.clientFinal }],
    ]);
  });

  test('Authentication, prose test 5: continues with the second message if it was started in hello', async () => {
    const { connection, asked } = scripted([step(example.serverFinal, true)]);
    const conversation = await begin({ ...options, authSource: 'people' }, example.nonce);
    expect(Object.keys(conversation.first ?? {})).toEqual([
      'saslStart',
      'mechanism',
      'payload',
      'autoAuthorize',
      'options',
      'db',
    ]);
    expect([conversation.first?.['db'], conversation.user]).toEqual(['people', undefined]);
    await conversation.finish(connection, step(example.serverFirst), Infinity);
    expect(asked).toEqual([['people', { saslContinue: 1, conversationId: 1, payload: example.clientFinal }]]);
  });

  test('"Backwards Compatibility": sends one more empty message to servers before 4.4', async () => {
    const { connection, asked } = scripted([
      step(example.serverFirst),
      step(example.serverFinal, false),
      step('', true),
    ]);
    await (await begin(options, example.nonce)).finish(connection, undefined, Infinity);
    expect(asked[2]).toEqual(['admin', { saslContinue: 1, conversationId: 1, payload: '' }]);
  });

  test('Authentication, prose test 6: rejects fewer than 4096 iterations without sending a proof', async () => {
    const { connection, asked } = scripted([step(example.serverFirst.replace(/i=\d+$/, 'i=4095'))]);
    const error = await failure((await begin(options, example.nonce)).finish(connection, undefined, Infinity));
    expect([error.kind, error.message, asked.length]).toEqual([
      'protocol',
      `db:27017 violates ${mechanism}: it asks for fewer than 4096 iterations, which would weaken the password.`,
      1,
    ]);
  });
});

describe('Authentication "Default Authentication Methods"', () => {
  const mechanismOf = async (hello: Document, answer?: Document): Promise<unknown> => {
    const { connection, asked } = scripted([{ ok: 0, code: 18, errmsg: 'enough' }], hello);
    await failure((await begin({})).finish(connection, answer, Infinity));
    return asked[0]?.[1]['mechanism'];
  };

  test('sends SCRAM-SHA-256 with hello, and the raw user name with its database', async () => {
    const conversation = await begin({ username: 'Ⅸ', authSource: 'people' });
    expect([conversation.user, conversation.first?.['mechanism']]).toEqual(['people.Ⅸ', 'SCRAM-SHA-256']);
  });

  test('Authentication, prose test 2.3: uses SCRAM-SHA-256 if the user has it, else SCRAM-SHA-1', async () => {
    expect(await mechanismOf({ saslSupportedMechs: ['SCRAM-SHA-1', 'SCRAM-SHA-256'] })).toBe('SCRAM-SHA-256');
    expect(await mechanismOf({ saslSupportedMechs: ['SCRAM-SHA-1'] })).toBe('SCRAM-SHA-1');
    expect(await mechanismOf({ saslSupportedMechs: ['PLAIN', 'whatever'] })).toBe('SCRAM-SHA-1');
    expect(await mechanismOf({ saslSupportedMechs: [] })).toBe('SCRAM-SHA-1');
    expect(await mechanismOf({})).toBe('SCRAM-SHA-1');
  });

  test('MongoDB Handshake, prose test 2: ignores an unknown mechanism in saslSupportedMechs', async () => {
    const replies = [step(sha256.serverFirst), step(sha256.serverFinal, true)];
    const { connection, asked } = scripted(replies, { saslSupportedMechs: ['SCRAM-SHA-256', 'SCRAM-SHA-512'] });
    await (await begin({}, sha256.nonce)).finish(connection, undefined, Infinity);
    expect(asked.map(([, command]) => Object.keys(command)[0])).toEqual(['saslStart', 'saslContinue']);
  });

  test('ignores the reply to SCRAM-SHA-256 for a user without that mechanism', async () => {
    const hello = { saslSupportedMechs: ['SCRAM-SHA-1'] };
    expect(await mechanismOf(hello, step(sha256.serverFirst))).toBe('SCRAM-SHA-1');
  });

  test('uses the reply to SCRAM-SHA-256', async () => {
    for (const hello of [{}, { saslSupportedMechs: ['SCRAM-SHA-256'] }]) {
      const { connection, asked } = scripted([step(sha256.serverFinal, true)], hello);
      await (await begin({}, sha256.nonce)).finish(connection, step(sha256.serverFirst), Infinity);
      expect(asked.map(([, command]) => Object.keys(command)[0])).toEqual(['saslContinue']);
    }
  });
});

describe('Authentication "Caching credentials in SCRAM"', () => {
  test('derives keys once per salt and iteration count, also for concurrent connections', async () => {
    const derived: string[] = [];
    const deps = world(new Uint8Array(Buffer.from(sha256.nonce, 'base64')));
    const { crypto } = deps;
    const counted = {
      ...deps,
      crypto: {
        ...crypto,
        pbkdf2: (...given: Parameters<typeof crypto.pbkdf2>) => {
          derived.push(`${Buffer.from(given[2]).toString('base64')} ${given[3]}`);
          return crypto.pbkdf2(...given);
        },
      },
    };
    const authenticator = createScram(counted, credential({ authMechanism: 'SCRAM-SHA-256' }));
    const run = async (serverFirst: string): Promise<void> => {
      const { connection } = scripted([step(serverFirst), step(sha256.serverFinal, true)]);
      await (await authenticator.begin(ADDRESS)).finish(connection, undefined, Infinity);
    };
    await Promise.all([run(sha256.serverFirst), run(sha256.serverFirst)]);
    await run(sha256.serverFirst);
    expect(derived).toEqual(['W22ZaJ0SNY7soEsUEjb6gQ== 4096']);
    await failure(run(sha256.serverFirst.replace('i=4096', 'i=4097')));
    expect(derived).toEqual(['W22ZaJ0SNY7soEsUEjb6gQ== 4096', 'W22ZaJ0SNY7soEsUEjb6gQ== 4097']);
  });

  /** Logs in with separate clients, and records the password of each derivation. */
  const watched = () => {
    const derived: string[] = [];
    const deps = world(new Uint8Array(Buffer.from(sha256.nonce, 'base64')));
    const crypto = {
      ...deps.crypto,
      pbkdf2: (...given: Parameters<typeof deps.crypto.pbkdf2>) => {
        derived.push(Buffer.from(given[1]).toString());
        return deps.crypto.pbkdf2(...given);
      },
    };
    const login = async (password: string, username = 'user'): Promise<void> => {
      const named = credential({ authMechanism: 'SCRAM-SHA-256', username, password });
      const { connection } = scripted([step(sha256.serverFirst), step(sha256.serverFinal, true)]);
      const { finish } = await createScram({ ...deps, crypto }, named).begin(ADDRESS);
      await finish(connection, undefined, Infinity).catch(() => undefined);
    };
    return { derived, login };
  };

  test('clients with the same crypto, user and password share the keys, and others derive their own', async () => {
    const [one, other] = [watched(), watched()];
    await one.login('pencil');
    await one.login('pencil');
    await one.login('crayon');
    await one.login('pencil', 'other');
    await one.login('pencil');
    await other.login('pencil');
    expect([one.derived, other.derived]).toEqual([['pencil', 'crayon', 'pencil'], ['pencil']]);
  });

  test('the next connection retries a failed derivation', async () => {
    const deps = world(new Uint8Array(Buffer.from(sha256.nonce, 'base64')));
    let derivations = 0;
    const crypto = {
      ...deps.crypto,
      pbkdf2: (...given: Parameters<typeof deps.crypto.pbkdf2>) =>
        ++derivations === 1 ? Promise.reject(new Error('out of memory')) : deps.crypto.pbkdf2(...given),
    };
    const authenticator = createScram({ ...deps, crypto }, credential({ authMechanism: 'SCRAM-SHA-256' }));
    const login = async (): Promise<void> => {
      const { connection } = scripted([step(sha256.serverFirst), step(sha256.serverFinal, true)]);
      await (await authenticator.begin(ADDRESS)).finish(connection, undefined, Infinity);
    };
    await expect(login()).rejects.toThrow('out of memory');
    await login();
    expect(derivations).toBe(2);
  });

  test('keeps the 64 most recently used keys', async () => {
    const { derived, login } = watched();
    for (let number = 0; number < 64; number++) await login(`p${number}`);
    await login('p0');
    await login('p64');
    derived.length = 0;
    for (const password of ['p0', 'p64', 'p2', 'p1']) await login(password);
    expect(derived).toEqual(['p1']);
  });
});

describe('RFC 5802', () => {
  test("reads a payload up to the end of its Binary, not of the Binary's memory", async () => {
    const roomy = (text: string): Binary => {
      const payload = new Binary();
      payload.write(Buffer.from(text), 0);
      expect(payload.buffer.length).toBeGreaterThan(text.length);
      return payload;
    };
    const { connection, asked } = scripted([
      { ...step(''), payload: roomy(sha256.serverFirst) },
      { ...step('', true), payload: roomy(sha256.serverFinal) },
    ]);
    const conversation = await begin({ authMechanism: 'SCRAM-SHA-256' }, sha256.nonce);
    await conversation.finish(connection, undefined, Infinity);
    expect(asked.at(-1)?.[1]).toMatchObject({ payload: sha256.clientFinal });
  });

  test('"5.1": escapes "=" and "," in a user name', async () => {
    const { first } = await begin({ username: 'a=b,c', authMechanism: 'SCRAM-SHA-256' });
    expect(Buffer.from(first?.['payload'].value()).toString()).toMatch(/^n,,n=a=3Db=2Cc,r=[A-Za-z0-9+/]{32}$/);
  });

  test('every conversation has its own nonce', async () => {
    const [one, other] = [await begin({}), await begin({})];
    expect(one.first?.['payload']).not.toEqual(other.first?.['payload']);
  });
});

describe('Authentication "SCRAM-SHA-256": prepares passwords with SASLprep, but not user names', () => {
  /** Returns the proof for a password with a fixed nonce, salt and iteration count. */
  const proofFor = async (password: string): Promise<unknown> => {
    const { connection, asked } = scripted([step(sha256.serverFirst), { ok: 0, code: 18, errmsg: 'enough' }]);
    await failure(
      (await begin({ authMechanism: 'SCRAM-SHA-256', password }, sha256.nonce)).finish(connection, undefined, Infinity),
    );
    return asked[1]?.[1]['payload'];
  };

  test('removes soft hyphens and replaces compatibility characters', async () => {
    expect(await proofFor('I\u00ADX')).toBe(await proofFor('IX'));
    expect(await proofFor('\u2163')).toBe(await proofFor('IV'));
    expect(await proofFor('IV')).not.toBe(await proofFor('IX'));
  });

  test('rejects a forbidden character without revealing the password', async () => {
    const { connection } = scripted([step(sha256.serverFirst)]);
    const conversation = await begin({ authMechanism: 'SCRAM-SHA-256', password: 'hunter2\u0007' }, sha256.nonce);
    const error = await failure(conversation.finish(connection, undefined, Infinity));
    expect([error.kind, error.message]).toEqual([
      'usage',
      'The password contains a character that SASLprep (RFC 4013) forbids. Change the password.',
    ]);
    expect(inspect(error, { depth: 9 })).not.toContain('hunter2');
  });

  test('"SCRAM-SHA-1": does not prepare passwords', async () => {
    const { connection, asked } = scripted([
      step(examples['SCRAM-SHA-1'].serverFirst),
      { ok: 0, code: 18, errmsg: 'enough' },
    ]);
    const conversation = await begin(
      { authMechanism: 'SCRAM-SHA-1', password: 'hunter2\u0007' },
      examples['SCRAM-SHA-1'].nonce,
    );
    expect((await failure(conversation.finish(connection, undefined, Infinity))).code).toBe(18);
    expect(asked).toHaveLength(2);
  });
});

describe('a server that violates the mechanism causes one clear error, and receives nothing more', () => {
  const good = [step(sha256.serverFirst), step(sha256.serverFinal, true)];
  const first = (text: string): Document[] => [step(text)];
  const { serverFirst } = sha256;

  const plays: readonly (readonly [what: string, answers: readonly Document[], said: string])[] = [
    ['another nonce', first(serverFirst.replace('r=rO', 'r=xx')), "its nonce does not begin with the client's nonce"],
    [
      'the nonce as it was sent',
      first(serverFirst.replace(/r=[^,]*/, `r=${sha256.nonce}`)),
      "its nonce does not begin with the client's nonce",
    ],
    [
      'a wrong signature',
      [good[0]!, step('v=AAAATRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=', true)],
      'its signature is wrong: it does not know the password',
    ],
    ['a short signature', [good[0]!, step('v=6rri', true)], 'its signature is wrong: it does not know the password'],
    ['no signature', [good[0]!, step('', true)], 'its last message has no signature'],
    [
      'an error instead of a signature',
      [good[0]!, step('e=other-error', true)],
      "it ends with the error 'other-error'",
    ],
    [
      'an error of 16 KB instead of a signature',
      [good[0]!, step(`e=${'x'.repeat(16_000)}`, true)],
      `it ends with the error '${'x'.repeat(100)}'`,
    ],
    [
      '2^31 iterations',
      first(serverFirst.replace('i=4096', 'i=2147483648')),
      'it asks for more than 1000000 iterations',
    ],
    [
      'one iteration more than a million',
      first(serverFirst.replace('i=4096', 'i=1000001')),
      'it asks for more than 1000000 iterations',
    ],
    [
      'negative iterations',
      first(serverFirst.replace('i=4096', 'i=-4096')),
      'it asks for fewer than 4096 iterations, which would weaken the password',
    ],
    ['no salt', first(serverFirst.replace(/s=[^,]*,/, '')), 'its first message lacks nonce, salt or iteration count'],
    [
      'an empty salt',
      first(serverFirst.replace(/s=[^,]*/, 's=')),
      'its first message lacks nonce, salt or iteration count',
    ],
    [
      'salt that is no base64',
      first(serverFirst.replace(/s=W/, 's=*')),
      'its first message lacks nonce, salt or iteration count',
    ],
    [
      'no iteration count',
      first(serverFirst.replace(',i=4096', '')),
      'its first message lacks nonce, salt or iteration count',
    ],
    ['nothing at all', first(''), 'its first message lacks nonce, salt or iteration count'],
    ['a mandatory extension', first(`m=x,${serverFirst}`), 'it requires an unknown extension'],
    ['the end at the beginning', [step(serverFirst, true)], 'it ends the conversation too early'],
    ['no end', [good[0]!, step(sha256.serverFinal, false), step('', false)], 'it does not end the conversation'],
    ['no payload', [{ conversationId: 1, done: false, ok: 1 }], 'its reply has no payload'],
    [
      'a text for payload',
      [{ conversationId: 1, done: false, payload: serverFirst, ok: 1 }],
      'its reply has no payload',
    ],
    ['no conversation', [{ done: false, payload: binary(serverFirst), ok: 1 }], 'its reply has no conversation ID'],
    [
      'nothing about the end',
      [{ conversationId: 1, payload: binary(serverFirst), ok: 1 }],
      'it did not say whether the conversation is done',
    ],
    [
      'a payload without measure',
      first(serverFirst + ','.repeat(20_000)),
      'its payload has 20086 bytes, more than the maximum of 16384',
    ],
    ['another mechanism', [{ ...good[0]!, mechanism: 'PLAIN' }], 'it continued with another mechanism'],
  ];

  test.each(plays)('%s', async (_what, answers, said) => {
    const { connection, asked } = scripted(answers);
    const conversation = await begin({ authMechanism: 'SCRAM-SHA-256' }, sha256.nonce);
    const error = await failure(conversation.finish(connection, undefined, Infinity));
    expect([error.kind, error.message, asked.length]).toEqual([
      'protocol',
      `db:27017 violates SCRAM-SHA-256: ${said}.`,
      answers.length,
    ]);
    expect(inspect(error, { depth: 9 })).not.toMatch(/pencil|W22Z|rOpr|dHzb/);
  });

  test('a violation in the hello reply causes the same error', async () => {
    const { connection, asked } = scripted([]);
    const conversation = await begin({ authMechanism: 'SCRAM-SHA-256' }, sha256.nonce);
    const error = await failure(conversation.finish(connection, { done: true }, Infinity));
    expect([error.message, asked]).toEqual(['db:27017 violates SCRAM-SHA-256: its reply has no conversation ID.', []]);
  });

  test('rejects saslSupportedMechs that is not a list', async () => {
    const { connection, asked } = scripted([], { saslSupportedMechs: 'SCRAM-SHA-256' });
    const error = await failure((await begin({})).finish(connection, undefined, Infinity));
    expect([error.kind, error.message, asked]).toEqual([
      'protocol',
      'db:27017 violates SCRAM-SHA-256: its saslSupportedMechs is not a list of mechanisms.',
      [],
    ]);
  });
});

describe('a server that rejects the login', () => {
  test('is quoted with advice, and without its reply', async () => {
    const refused = { ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'Authentication failed.' };
    const { connection } = scripted([step(sha256.serverFirst), refused]);
    const conversation = await begin({ authMechanism: 'SCRAM-SHA-256' }, sha256.nonce);
    const error = await failure(conversation.finish(connection, undefined, Infinity));
    expect([error.kind, error.code, error.codeName, error.message, error.reply, error.origin?.phase]).toEqual([
      'auth',
      18,
      'AuthenticationFailed',
      'Authentication failed. (SCRAM-SHA-256 at db:27017, authSource admin. Check the user name, the password and "authSource".)',
      undefined,
      'auth',
    ]);
  });

  test("causes a server error if the problem is the server's, such as a shutdown", async () => {
    const leaving = { ok: 0, code: 91, codeName: 'ShutdownInProgress', errmsg: 'bye' };
    const { connection } = scripted([leaving]);
    const error = await failure((await begin({})).finish(connection, undefined, Infinity));
    expect([error.kind, error.code, error.reply]).toEqual(['server', 91, leaving]);
  });
});

test('printing never reveals the password', async () => {
  const given = credential({ password: 'hunter2' });
  const authenticator = createScram(world(), given);
  const conversation = await authenticator.begin(ADDRESS);
  expect(inspect([given, authenticator, conversation], { depth: 9 })).not.toContain('hunter2');
  expect(JSON.stringify({ ...given })).not.toContain('hunter2');
});
