import { describe, expect, test } from 'vitest';
import { MongoError } from '@tessera/contracts';
import type { Authenticator, Connection, Conversation, Document } from '@tessera/contracts';
import { createStage, HELLO, Note, settle, unreadable } from './stage.js';

const FIRST = { saslStart: 1, mechanism: 'TEST', db: 'admin' };

/** Sends one command and accepts any reply. */
const singleStep = (
  conversation: Partial<Conversation> = {},
): Authenticator & { received: unknown[]; begun: number } => {
  const made = {
    mechanism: 'TEST',
    received: [] as unknown[],
    begun: 0,
    begin: () => {
      made.begun += 1;
      return {
        finish: async (connection: Connection, answer: Document | undefined, deadline: number) => {
          made.received.push(answer);
          await connection.command('admin', { saslStart: made.begun }, deadline);
        },
        ...conversation,
      };
    },
  };
  return made;
};

const failure = async (connecting: Promise<unknown>): Promise<MongoError> => {
  try {
    await connecting;
  } catch (error) {
    return error as MongoError;
  }
  throw new Error('connected');
};

const OK = { ok: 1 };
const EXPIRED = { ok: 0, code: 391, codeName: 'ReauthenticationRequired', errmsg: 'who are you?' };

/** Opens an authenticated connection. Returns it with the peer that serves its later commands. */
const authenticated = async (authenticator: Authenticator, wants: Parameters<typeof createStage>[0] = {}) => {
  const stage = createStage({ authenticator, ...wants });
  const { peer, connecting } = await stage.dial();
  peer.reply(HELLO);
  await settle();
  peer.reply(OK);
  const connection = await connecting;
  peer.frames.length = 0;
  return { ...stage, peer, connection };
};

describe('Authentication "Authentication Handshake"', () => {
  test('hello carries the first message of the mechanism and the user whose mechanisms it requests', async () => {
    const { peer } = await createStage({ authenticator: singleStep({ first: FIRST, user: 'admin.me' }) }).dial();
    const { saslSupportedMechs, speculativeAuthenticate } = peer.last.command;
    expect({ saslSupportedMechs, speculativeAuthenticate }).toEqual({
      saslSupportedMechs: 'admin.me',
      speculativeAuthenticate: FIRST,
    });
  });

  test("passes the server's reply to the mechanism and does not keep it in the hello document", async () => {
    const authenticator = singleStep({ first: FIRST });
    const stage = createStage({ authenticator });
    const { peer, connecting } = await stage.dial();
    peer.reply({ ...HELLO, speculativeAuthenticate: { done: false, payload: 'salt' } });
    await settle();
    peer.reply(OK);
    expect((await connecting).hello.document).toEqual(HELLO);
    expect(authenticator.received).toEqual([{ done: false, payload: 'salt' }]);
  });

  test('authenticates directly after hello, and completes the connection only afterwards', async () => {
    const { peer, connecting } = await createStage({ authenticator: singleStep() }).dial();
    peer.reply(HELLO);
    await settle();
    expect(peer.requests.map(({ command }) => Object.keys(command)[0])).toEqual(['isMaster', 'saslStart']);
    let isOpen = false;
    void connecting.then(() => (isOpen = true));
    await settle();
    expect(isOpen).toBe(false);
  });

  test('does not authenticate monitors and requests no mechanisms for them', async () => {
    const authenticator = singleStep({ first: FIRST, user: 'admin.me' });
    const { peer, connecting } = await createStage({ authenticator }).dial({ use: 'monitor' });
    expect(Object.keys(peer.last.command)).toEqual([
      'isMaster',
      'helloOk',
      'client',
      'compression',
      'backpressure',
      '$db',
    ]);
    peer.reply(HELLO);
    await connecting;
    expect([authenticator.begun, peer.frames.length]).toEqual([0, 1]);
  });

  test('does not authenticate to an arbiter', async () => {
    const { peer, connecting } = await createStage({ authenticator: singleStep() }).dial();
    peer.reply({ ...HELLO, arbiterOnly: true });
    await connecting;
    expect(peer.frames).toHaveLength(1);
  });

  test('emits no events for the commands of the authentication', async () => {
    const { events } = await authenticated(singleStep(), { wants: ['commandStarted', 'commandSucceeded'] });
    expect(events).toEqual([]);
  });

  test("closes the connection after a failed authentication, with an error of the phase 'auth'", async () => {
    const { peer, connecting } = await createStage({ authenticator: singleStep() }).dial();
    peer.reply(HELLO);
    await settle();
    peer.reply({ ok: 0, code: 18, codeName: 'AuthenticationFailed', errmsg: 'Authentication failed.' });
    const error = await failure(connecting);
    expect([error.kind, error.code, error.origin?.phase, error.origin?.address]).toEqual([
      'server',
      18,
      'auth',
      'db:27017',
    ]);
    expect(peer.destroyed).toBe(true);
  });

  test("a connection that is lost during authentication fails with a network error of the phase 'auth'", async () => {
    const { peer, connecting } = await createStage({ authenticator: singleStep() }).dial();
    peer.reply(HELLO);
    await settle();
    peer.close();
    const error = await failure(connecting);
    expect([error.kind, error.origin?.phase]).toEqual(['network', 'auth']);
  });

  test('limits the authentication to the deadline of the handshake', async () => {
    const stage = createStage({ authenticator: singleStep() });
    const { peer, connecting } = await stage.dial({ deadline: stage.clock.now() + 100 });
    peer.reply(HELLO);
    await settle();
    stage.clock.advance(200);
    const error = await failure(connecting);
    expect([error.kind, error.origin?.phase]).toEqual(['timeout', 'auth']);
  });

  test('Client Side Operations Timeout, "Background Connection Pooling": a limit per command replaces the deadline until authentication is complete', async () => {
    const steps = 2;
    const authenticator = singleStep({
      finish: async connection => {
        for (let step = 1; step <= steps; step++) await connection.command('admin', { saslContinue: step }, Infinity);
      },
    });
    const stage = createStage({ authenticator });
    const limited = { commandLimit: 50, deadline: Infinity };
    const open = await stage.dial(limited);
    stage.clock.advance(60);
    open.peer.reply(HELLO);
    await settle();
    for (let step = 1; step <= steps; step++) {
      stage.clock.advance(49);
      open.peer.reply(OK);
      await settle();
    }
    const connection = await open.connecting;
    const note = new Note();
    connection.start(note, Infinity);
    stage.clock.advance(1000);
    expect(note.received).toEqual([]);
    const late = await stage.dial(limited);
    late.peer.reply(HELLO);
    await settle();
    stage.clock.advance(50);
    const error = await failure(late.connecting);
    expect([error.kind, error.message]).toEqual([
      'timeout',
      "'saslContinue' at db:27017 was not answered within 50 ms.",
    ]);
  });

  test('omits the message of an error that is not a MongoError, because it may contain a secret', async () => {
    const authenticator = singleStep({ finish: () => Promise.reject(new TypeError('hunter2 is not a function')) });
    const { peer, connecting } = await createStage({ authenticator }).dial();
    peer.reply(HELLO);
    const error = await failure(connecting);
    expect([error.kind, error.message, error.cause, error.origin?.phase]).toEqual([
      'auth',
      'Authentication at db:27017 failed inside the driver: TypeError.',
      undefined,
      'auth',
    ]);
  });

  test('aborting does not wait for a mechanism that waits for something outside of the connection', async () => {
    const controller = new AbortController();
    const authenticator = singleStep({ finish: () => new Promise(() => undefined) });
    const { peer, connecting } = await createStage({ authenticator }).dial({ signal: controller.signal });
    peer.reply(HELLO);
    await settle();
    controller.abort();
    expect((await failure(connecting)).kind).toBe('aborted');
    await settle();
    expect(peer.destroyed).toBe(true);
  });
});

describe('Authentication "Reauthentication"', () => {
  const names = ({ peer }: Awaited<ReturnType<typeof authenticated>>): unknown[] =>
    peer.requests.map(({ command }) => command['saslStart'] ?? Object.keys(command)[0]);

  test('after code 391, authenticates the connection again without hello and sends the command again', async () => {
    const stage = await authenticated(singleStep());
    const note = new Note({ find: 'c' });
    stage.connection.start(note, Infinity);
    stage.peer.reply(EXPIRED);
    await settle();
    stage.peer.reply(OK);
    await settle();
    stage.peer.reply({ ok: 1, n: 1 });
    expect([names(stage), note.received]).toEqual([
      ['find', 2, 'find'],
      [{ ok: 1, n: 1 }, 'end'],
    ]);
  });

  test('throws the error if the command fails with code 391 a second time', async () => {
    const stage = await authenticated(singleStep());
    const note = new Note({ find: 'c' });
    stage.connection.start(note, Infinity);
    stage.peer.reply(EXPIRED);
    await settle();
    stage.peer.reply(OK);
    await settle();
    stage.peer.reply(EXPIRED);
    await settle();
    expect([names(stage), note.received]).toEqual([
      ['find', 2, 'find'],
      [EXPIRED, 'end'],
    ]);
  });

  test('throws the error of the reauthentication and keeps the connection open', async () => {
    const stage = await authenticated(singleStep());
    const note = new Note({ find: 'c' });
    stage.connection.start(note, Infinity);
    stage.peer.reply(EXPIRED);
    await settle();
    stage.peer.reply({ ok: 0, code: 18, errmsg: 'no' });
    await settle();
    expect([note.received, note.error?.code, stage.connection.closed]).toEqual([['fail: server'], 18, false]);
  });

  test('passes code 391 to the mechanism, without another attempt, when the server rejects the authentication itself', async () => {
    const stage = await authenticated(singleStep());
    const note = new Note({ find: 'c' });
    stage.connection.start(note, Infinity);
    stage.peer.reply(EXPIRED);
    await settle();
    stage.peer.reply(EXPIRED);
    await settle();
    expect([names(stage), note.received, note.error?.code]).toEqual([['find', 2], ['fail: server'], 391]);
  });

  test('a reply whose code cannot be read fails the message and closes the connection', async () => {
    const { peer, connection } = await authenticated(singleStep());
    const note = new Note();
    connection.start(note, Infinity);
    peer.reply(unreadable());
    expect([note.received, note.error?.kind, connection.closed]).toEqual([['fail: protocol'], 'protocol', true]);
  });

  test('without an authenticator, treats code 391 like any other error', async () => {
    const { peer, connection } = await createStage().open();
    const note = new Note({ find: 'c' });
    connection.start(note, Infinity);
    peer.reply(EXPIRED);
    expect(note.received).toEqual([EXPIRED, 'end']);
  });

  test('emits commandFailed for the first attempt, and events for the second', async () => {
    const stage = await authenticated(singleStep(), { wants: ['commandStarted', 'commandSucceeded', 'commandFailed'] });
    stage.connection.start(new Note({ find: 'c' }), Infinity);
    stage.peer.reply(EXPIRED);
    await settle();
    stage.peer.reply(OK);
    await settle();
    stage.peer.reply(OK);
    expect(
      stage.events.map(event => 'commandName' in event && [event.name, event.commandName]).filter(Boolean),
    ).toEqual([
      ['commandStarted', 'find'],
      ['commandFailed', 'find'],
      ['commandStarted', 'saslStart'],
      ['commandSucceeded', 'saslStart'],
      ['commandStarted', 'find'],
      ['commandSucceeded', 'find'],
    ]);
  });

  test('the command keeps its deadline across the reauthentication', async () => {
    const stage = await authenticated(singleStep());
    const note = new Note({ find: 'c' });
    stage.connection.start(note, stage.clock.now() + 100);
    stage.peer.reply(EXPIRED);
    await settle();
    stage.clock.advance(200);
    await settle();
    expect(note.received).toEqual(['fail: timeout']);
  });

  test('abandoning a command during its reauthentication closes the connection, and the command fails once', async () => {
    const stage = await authenticated(singleStep());
    const note = new Note({ find: 'c' });
    stage.connection.start(note, Infinity);
    stage.peer.reply(EXPIRED);
    const usable = stage.connection.detach(new MongoError('aborted', 'enough'));
    await settle();
    expect([usable, note.received, stage.connection.closed]).toEqual([false, ['fail: aborted'], true]);
  });
});
