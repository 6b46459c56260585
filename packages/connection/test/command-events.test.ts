import { describe, expect, test } from 'vitest';
import { ObjectId } from 'bson';
import { MongoError } from '@tessera/contracts';
import type { Document, EventName, Reply } from '@tessera/contracts';
import { createStage, encode, HELLO, Note, unreadable } from './stage.js';

const ALL: readonly EventName[] = ['commandStarted', 'commandSucceeded', 'commandFailed'];
const common = {
  address: 'db:27017',
  connectionId: 1,
  serverConnectionId: 77n,
  serviceId: undefined,
  requestId: 2,
  operationId: 5,
  databaseName: 'test',
};

describe('Command Logging and Monitoring', () => {
  test('emits commandStarted with document sequences as arrays, then commandSucceeded with the reply and the duration', async () => {
    const stage = createStage({ wants: ALL });
    const { peer, connection } = await stage.open();
    connection.start(new Note({ insert: 'c', ordered: true }, { sequence: [{ _id: 1 }, { _id: 2 }] }), Infinity);
    stage.clock.advance(7);
    peer.reply({ ok: 1, n: 2 });
    expect(stage.events).toEqual([
      {
        name: 'commandStarted',
        ...common,
        commandName: 'insert',
        command: { insert: 'c', ordered: true, $db: 'test', documents: [{ _id: 1 }, { _id: 2 }] },
      },
      { name: 'commandSucceeded', ...common, commandName: 'insert', duration: 7, reply: { ok: 1, n: 2 } },
    ]);
  });

  test('emits commandSucceeded before the message receives its reply', async () => {
    const stage = createStage({ wants: ALL });
    const { peer, connection } = await stage.open();
    const note = new Note();
    let events = 0;
    note.onReply = () => (events = stage.events.length);
    connection.start(note, Infinity);
    peer.reply({ ok: 1 });
    expect(events).toBe(2);
  });

  test.each<readonly EventName[]>([ALL, ['commandSucceeded'], ['commandFailed'], ['commandStarted']])(
    'a reply that cannot be decoded fails the message and counts as a failed command, with any listeners: %s %s %s',
    async (...wants) => {
      const stage = createStage({ wants });
      const { peer, connection } = await stage.open();
      const note = new Note();
      connection.start(note, Infinity);
      peer.reply(unreadable());
      const told = ALL.filter(name => wants.includes(name) && name !== 'commandSucceeded');
      expect(stage.events.map(({ name }) => name)).toEqual(told);
      expect([note.received, note.error?.kind, connection.closed]).toEqual([['fail: protocol'], 'protocol', true]);
    },
  );

  test('includes text that is not valid UTF-8, in a command given as bytes or in a reply, without failing the command', async () => {
    const stage = createStage({ wants: ALL });
    const { peer, connection } = await stage.open();
    const broken = encode({ ok: 1, text: 'a?b' });
    broken[broken.indexOf('?'.charCodeAt(0))] = 0xff;
    const note = new Note({ insert: 'c' }, { sequence: [broken] });
    const received: boolean[] = [];
    connection.start(Object.assign(note, { reply: ({ ok }: Reply) => void received.push(ok) }), Infinity);
    peer.reply(broken);
    const text = 'a\ufffdb';
    expect(stage.events).toMatchObject([
      { name: 'commandStarted', command: { documents: [{ ok: 1, text }] } },
      { name: 'commandSucceeded', reply: { ok: 1, text } },
    ]);
    expect([received, note.received, connection.closed]).toEqual([[true], ['end'], false]);
  });

  test('"Succeeded or Failed": ok: 0 is a failure, a write error is not', async () => {
    const stage = createStage({ wants: ALL });
    const { peer, connection } = await stage.open();
    connection.start(new Note(), Infinity);
    peer.reply({ ok: 0, errmsg: 'no', code: 2, codeName: 'BadValue', errorLabels: ['x'] });
    connection.start(new Note(), Infinity);
    peer.reply({ ok: 1, writeErrors: [{ index: 0, code: 11000 }] });
    expect(stage.events.map(({ name }) => name)).toEqual([
      'commandStarted',
      'commandFailed',
      'commandStarted',
      'commandSucceeded',
    ]);
    expect((stage.events[1] as Document)['failure']).toMatchObject({
      kind: 'server',
      code: 2,
      codeName: 'BadValue',
      labels: ['x'],
      message: 'no',
    });
  });

  test('"Unacknowledged Writes": emits commandSucceeded with { ok: 1 }', async () => {
    const stage = createStage({ wants: ALL });
    const { connection } = await stage.open();
    connection.start(new Note({ insert: 'c' }, { answer: 'none' }), Infinity);
    expect(stage.events[1]).toEqual({
      name: 'commandSucceeded',
      ...common,
      commandName: 'insert',
      duration: 0,
      reply: { ok: 1 },
    });
  });

  test('"Error Handling": emits commandFailed with the error of the command when the connection is lost, abandoned or closed', async () => {
    const stop = new MongoError('aborted', 'stop');
    const ways: readonly ((room: Awaited<ReturnType<ReturnType<typeof createStage>['open']>>) => void)[] = [
      ({ peer }) => {
        peer.close();
      },
      ({ connection }) => void connection.detach(stop),
      ({ connection }) => {
        connection.close(stop);
      },
    ];
    for (const way of ways) {
      const stage = createStage({ wants: ALL });
      const room = await stage.open();
      const note = new Note();
      room.connection.start(note, Infinity);
      way(room);
      expect(stage.events.map(({ name }) => name)).toEqual(['commandStarted', 'commandFailed']);
      expect((stage.events[1] as Document)['failure']).toBe(note.error);
    }
  });

  test('"Guarantees": emits no second event for a reply that arrives after the command was abandoned', async () => {
    const stage = createStage({ wants: ALL });
    const { peer, connection } = await stage.open();
    connection.start(new Note(), Infinity);
    void connection.detach(new MongoError('aborted', 'stop'));
    peer.reply({ ok: 1 });
    expect(stage.events).toHaveLength(2);
  });

  test('Load Balancers "Events": includes the serviceId', async () => {
    const stage = createStage({ wants: ALL, options: { loadBalanced: true } });
    const serviceId = new ObjectId();
    const { connection } = await stage.open({}, { ...HELLO, serviceId });
    connection.start(new Note(), Infinity);
    expect((stage.events[0] as Document)['serviceId']).toEqual(serviceId);
  });

  test('emits no events for handshakes and monitors', async () => {
    const stage = createStage({ wants: ALL });
    const { peer, connection } = await stage.open({ use: 'monitor' });
    void connection.command('admin', { hello: 1 }, Infinity);
    peer.reply(HELLO);
    await stage.open();
    expect(stage.events).toEqual([]);
  });

  test('without listeners, builds no event and calls the sink once per command', async () => {
    const stage = createStage();
    const { peer, connection } = await stage.open();
    connection.start(new Note(), Infinity);
    peer.reply({ ok: 1 });
    expect(stage.asked).toEqual(ALL);
    expect(stage.events).toEqual([]);
  });

  test('a sink that wants only commandStarted receives only that, with or without a reply', async () => {
    for (const answer of ['one', 'none'] as const) {
      const stage = createStage({ wants: ['commandStarted'] });
      const { peer, connection } = await stage.open();
      connection.start(new Note({ ping: 1 }, { answer }), Infinity);
      if (answer === 'one') peer.reply({ ok: 1 });
      expect(stage.events.map(({ name }) => name)).toEqual(['commandStarted']);
    }
  });

  test('a sink that wants only the completion receives only that', async () => {
    const stage = createStage({ wants: ['commandSucceeded'] });
    const { peer, connection } = await stage.open();
    connection.start(new Note(), Infinity);
    peer.reply({ ok: 1 });
    expect(stage.events.map(({ name }) => name)).toEqual(['commandSucceeded']);
  });
});

describe('Command Logging and Monitoring "Security"', () => {
  const told = async (command: Document, reply: Document): Promise<readonly Document[]> => {
    const stage = createStage({ wants: ALL });
    const { peer, connection } = await stage.open();
    connection.start(new Note(command), Infinity);
    peer.reply(reply);
    return stage.events;
  };

  const speculative = { speculativeAuthenticate: { saslStart: 1, payload: 'secret' } };
  test.each<Document>([
    ...['authenticate', 'saslStart', 'saslContinue', 'getnonce', 'createUser', 'updateUser'].map(name => ({
      [name]: 'secret',
    })),
    ...['copydbgetnonce', 'copydbsaslstart', 'copydb'].map(name => ({ [name]: 'secret' })),
    { hello: 1, ...speculative },
    { isMaster: 1, ...speculative },
    { ismaster: 1, ...speculative },
  ])('omits the command, the reply and the error message of %o', async command => {
    const [started, succeeded] = await told(command, { ok: 1, payload: 'secret' });
    expect([started?.['command'], succeeded?.['reply']]).toEqual([{}, {}]);
    expect(started?.['commandName']).toBe(Object.keys(command)[0]);
    const [, failed] = await told(command, {
      ok: 0,
      errmsg: 'secret',
      code: 18,
      codeName: 'AuthenticationFailed',
      errorLabels: ['x'],
    });
    const failure = failed?.['failure'] as MongoError;
    expect([failure.code, failure.codeName, failure.labels, failure.reply]).toEqual([
      18,
      'AuthenticationFailed',
      ['x'],
      undefined,
    ]);
    expect(JSON.stringify([failure.message, failure.cause ?? null])).not.toContain('secret');
  });

  test('includes a hello without credentials', async () => {
    for (const name of ['hello', 'isMaster']) {
      const [started, succeeded] = await told({ [name]: 1 }, { ok: 1, isWritablePrimary: true });
      expect([started?.['command'], succeeded?.['reply']]).toEqual([
        { [name]: 1, $db: 'test' },
        { ok: 1, isWritablePrimary: true },
      ]);
    }
  });

  test('omits the reply to a hello with credentials when commandStarted is not wanted', async () => {
    const stage = createStage({ wants: ['commandSucceeded'] });
    const { peer, connection } = await stage.open();
    connection.start(new Note({ hello: 1, ...speculative }), Infinity);
    peer.reply({ ok: 1, speculativeAuthenticate: { payload: 'secret' } });
    expect((stage.events[0] as Document)['reply']).toEqual({});
  });
});
