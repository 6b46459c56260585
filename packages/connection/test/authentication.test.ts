import { describe, expect, test } from 'vitest';
import { MongoError } from '@tessera/contracts';
import type { Authenticator, Connection, Conversation, Document } from '@tessera/contracts';
import { createStage, HELLO, Note, settle, unreadable } from './stage.js';

const FIRST = { saslStart: 1, mechanism: 'TEST', db: 'admin' };

/** Asks once, and takes whatever is answered. */
const asking = (conversation: Partial<Conversation> = {}): Authenticator & { heard: unknown[]; begun: number } => {
  const made = {
    mechanism: 'TEST',
    heard: [] as unknown[],
    begun: 0,
    begin: () => {
      made.begun += 1;
      return {
        finish: async (connection: Connection, answer: Document | undefined, deadline: number) => {
          made.heard.push(answer);
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

/** A connection that was authenticated, and what its peer is asked after that. */
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
  test('what the mechanism says first and whose mechanisms it asks for go with hello', async () => {
    const { peer } = await createStage({ authenticator: asking({ first: FIRST, user: 'admin.me' }) }).dial();
    const { saslSupportedMechs, speculativeAuthenticate } = peer.last.command;
    expect({ saslSupportedMechs, speculativeAuthenticate }).toEqual({
      saslSupportedMechs: 'admin.me',
      speculativeAuthenticate: FIRST,
    });
  });

  test('the answer to it reaches the mechanism, and is not kept in the hello', async () => {
    const authenticator = asking({ first: FIRST });
    const stage = createStage({ authenticator });
    const { peer, connecting } = await stage.dial();
    peer.reply({ ...HELLO, speculativeAuthenticate: { done: false, payload: 'salt' } });
    await settle();
    peer.reply(OK);
    expect((await connecting).hello.document).toEqual(HELLO);
    expect(authenticator.heard).toEqual([{ done: false, payload: 'salt' }]);
  });

  test('it comes at once behind hello, and nothing else before it is done', async () => {
    const { peer, connecting } = await createStage({ authenticator: asking() }).dial();
    peer.reply(HELLO);
    await settle();
    expect(peer.requests.map(({ command }) => Object.keys(command)[0])).toEqual(['isMaster', 'saslStart']);
    let isOpen = false;
    void connecting.then(() => (isOpen = true));
    await settle();
    expect(isOpen).toBe(false);
  });

  test('monitors do not authenticate, and ask for no mechanisms', async () => {
    const authenticator = asking({ first: FIRST, user: 'admin.me' });
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

  test('nobody authenticates to an arbiter', async () => {
    const { peer, connecting } = await createStage({ authenticator: asking() }).dial();
    peer.reply({ ...HELLO, arbiterOnly: true });
    await connecting;
    expect(peer.frames).toHaveLength(1);
  });

  test('its commands are no events', async () => {
    const { events } = await authenticated(asking(), { wants: ['commandStarted', 'commandSucceeded'] });
    expect(events).toEqual([]);
  });

  test('when it fails the connection is closed, and the error says in which phase', async () => {
    const { peer, connecting } = await createStage({ authenticator: asking() }).dial();
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

  test('a connection lost meanwhile is a network error of the phase auth', async () => {
    const { peer, connecting } = await createStage({ authenticator: asking() }).dial();
    peer.reply(HELLO);
    await settle();
    peer.close();
    const error = await failure(connecting);
    expect([error.kind, error.origin?.phase]).toEqual(['network', 'auth']);
  });

  test('its time is limited by the deadline of the handshake', async () => {
    const stage = createStage({ authenticator: asking() });
    const { peer, connecting } = await stage.dial({ deadline: stage.clock.now() + 100 });
    peer.reply(HELLO);
    await settle();
    stage.clock.advance(200);
    const error = await failure(connecting);
    expect([error.kind, error.origin?.phase]).toEqual(['timeout', 'auth']);
  });

  test('Client Side Operations Timeout, "Background Connection Pooling": a limit of each command takes the place of the deadline, until it is done', async () => {
    const steps = 2;
    const authenticator = asking({
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
    expect(note.heard).toEqual([]);
    const late = await stage.dial(limited);
    late.peer.reply(HELLO);
    await settle();
    stage.clock.advance(50);
    const error = await failure(late.connecting);
    expect([error.kind, error.message]).toEqual([
      'timeout',
      "'saslContinue' at db:27017 was not answered within 50 ms",
    ]);
  });

  test('what a mechanism throws that is no MongoError is not told: it may hold a secret', async () => {
    const authenticator = asking({ finish: () => Promise.reject(new TypeError('hunter2 is not a function')) });
    const { peer, connecting } = await createStage({ authenticator }).dial();
    peer.reply(HELLO);
    const error = await failure(connecting);
    expect([error.kind, error.message, error.cause, error.origin?.phase]).toEqual([
      'auth',
      'Authentication at db:27017 failed inside the driver: TypeError',
      undefined,
      'auth',
    ]);
  });

  test('whoever aborts need not wait for a mechanism that asks outside of the connection', async () => {
    const controller = new AbortController();
    const authenticator = asking({ finish: () => new Promise(() => undefined) });
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

  test('after code 391 the connection is authenticated anew without hello, and the command is sent once more', async () => {
    const stage = await authenticated(asking());
    const note = new Note({ find: 'c' });
    stage.connection.start(note, Infinity);
    stage.peer.reply(EXPIRED);
    await settle();
    stage.peer.reply(OK);
    await settle();
    stage.peer.reply({ ok: 1, n: 1 });
    expect([names(stage), note.heard]).toEqual([
      ['find', 2, 'find'],
      [{ ok: 1, n: 1 }, 'end'],
    ]);
  });

  test('what fails with 391 again is raised', async () => {
    const stage = await authenticated(asking());
    const note = new Note({ find: 'c' });
    stage.connection.start(note, Infinity);
    stage.peer.reply(EXPIRED);
    await settle();
    stage.peer.reply(OK);
    await settle();
    stage.peer.reply(EXPIRED);
    await settle();
    expect([names(stage), note.heard]).toEqual([
      ['find', 2, 'find'],
      [EXPIRED, 'end'],
    ]);
  });

  test('what the authentication fails with is raised, and the connection stays', async () => {
    const stage = await authenticated(asking());
    const note = new Note({ find: 'c' });
    stage.connection.start(note, Infinity);
    stage.peer.reply(EXPIRED);
    await settle();
    stage.peer.reply({ ok: 0, code: 18, errmsg: 'no' });
    await settle();
    expect([note.heard, note.error?.code, stage.connection.closed]).toEqual([['fail: server'], 18, false]);
  });

  test('a server that answers the authentication itself with 391 is not asked for ever: the mechanism hears it', async () => {
    const stage = await authenticated(asking());
    const note = new Note({ find: 'c' });
    stage.connection.start(note, Infinity);
    stage.peer.reply(EXPIRED);
    await settle();
    stage.peer.reply(EXPIRED);
    await settle();
    expect([names(stage), note.heard, note.error?.code]).toEqual([['find', 2], ['fail: server'], 391]);
  });

  test('a reply that cannot be read, and so does not tell its code, fails the message and closes the connection', async () => {
    const { peer, connection } = await authenticated(asking());
    const note = new Note();
    connection.start(note, Infinity);
    peer.reply(unreadable());
    expect([note.heard, note.error?.kind, connection.closed]).toEqual([['fail: protocol'], 'protocol', true]);
  });

  test('without an authenticator 391 is an answer as any other', async () => {
    const { peer, connection } = await createStage().open();
    const note = new Note({ find: 'c' });
    connection.start(note, Infinity);
    peer.reply(EXPIRED);
    expect(note.heard).toEqual([EXPIRED, 'end']);
  });

  test('listeners hear that the command failed, and then the command once more', async () => {
    const stage = await authenticated(asking(), { wants: ['commandStarted', 'commandSucceeded', 'commandFailed'] });
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

  test('the command keeps its deadline', async () => {
    const stage = await authenticated(asking());
    const note = new Note({ find: 'c' });
    stage.connection.start(note, stage.clock.now() + 100);
    stage.peer.reply(EXPIRED);
    await settle();
    stage.clock.advance(200);
    await settle();
    expect(note.heard).toEqual(['fail: timeout']);
  });

  test('whoever gives up a command meanwhile loses the connection, and the command fails once', async () => {
    const stage = await authenticated(asking());
    const note = new Note({ find: 'c' });
    stage.connection.start(note, Infinity);
    stage.peer.reply(EXPIRED);
    const usable = stage.connection.detach(new MongoError('aborted', 'enough'));
    await settle();
    expect([usable, note.heard, stage.connection.closed]).toEqual([false, ['fail: aborted'], true]);
  });
});
