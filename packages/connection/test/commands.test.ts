import { describe, expect, test } from 'vitest';
import { MongoError } from '@tessera/contracts';
import type { Compressor, Connection, Origin } from '@tessera/contracts';
import { createStage, HELLO, Note, settle } from './stage.js';

/** The origin of an error of a command on the connection. */
const originOf = ({ hello }: Connection, sent: boolean): Origin => ({
  phase: 'command',
  sent,
  address: 'db:27017',
  serviceId: undefined,
  maxWireVersion: hello.maxWireVersion,
  hasSessions: hello.logicalSessionTimeoutMinutes !== undefined,
});

describe('a command and its reply', () => {
  test('one contiguous frame out; the reply is read and the connection is free before end is called', async () => {
    const { peer, connection } = await createStage().open();
    const first = new Note({ insert: 'c' }, { sequence: [{ _id: 1 }] });
    const second = new Note({ ping: 1 });
    first.onEnd = () => {
      connection.start(second, Infinity);
    };
    connection.start(first, Infinity);
    expect(peer.frames).toHaveLength(1);
    expect(peer.last.command).toEqual({ insert: 'c', $db: 'test', documents: [{ _id: 1 }] });
    peer.reply({ ok: 1, n: 1 });
    expect(first.heard).toEqual([{ ok: 1, n: 1 }, 'end']);
    expect(peer.last.command).toEqual({ ping: 1, $db: 'test' });
    peer.reply({ ok: 1 });
    expect(second.heard).toEqual([{ ok: 1 }, 'end']);
  });

  test('request ids rise over all connections of one Connect', async () => {
    const stage = createStage();
    const [a, b] = [await stage.open(), await stage.open({ id: 2 })];
    a.connection.start(new Note(), Infinity);
    b.connection.start(new Note(), Infinity);
    expect([a.peer.last.id, b.peer.last.id]).toEqual([3, 4]);
  });

  test('ok: 0 goes to reply like any other answer', async () => {
    const { peer, connection } = await createStage().open();
    const note = new Note();
    connection.start(note, Infinity);
    peer.reply({ ok: 0, code: 11602, errmsg: 'interrupted' });
    expect(note.heard).toEqual([{ ok: 0, code: 11602, errmsg: 'interrupted' }, 'end']);
    expect(connection.closed).toBe(false);
  });

  test('answer "none": sent with moreToCome, ended at once, free at once', async () => {
    const { peer, connection } = await createStage().open();
    const notes = [new Note({ insert: 'c' }, { answer: 'none' }), new Note({ insert: 'c' }, { answer: 'none' })];
    for (const note of notes) connection.start(note, Infinity);
    expect(peer.requests.map(({ flags }) => flags)).toEqual([2, 2]);
    expect(notes.map(({ heard }) => heard)).toEqual([['end'], ['end']]);
  });

  test('answer "none" into a socket that is full: ended when it has drained', async () => {
    const { peer, connection } = await createStage().open();
    peer.flowing = false;
    const note = new Note({ insert: 'c' }, { answer: 'none' });
    connection.start(note, Infinity);
    expect(note.heard).toEqual([]);
    const refused = new Note();
    connection.start(refused, Infinity);
    expect(refused.error?.kind).toBe('usage');
    peer.sink.drained();
    expect(note.heard).toEqual(['end']);
    connection.start(new Note(), Infinity);
    expect(peer.frames).toHaveLength(2);
  });

  test('a socket that is full does not matter to whoever waits for an answer anyway', async () => {
    const { peer, connection } = await createStage().open();
    peer.flowing = false;
    const note = new Note();
    connection.start(note, Infinity);
    peer.sink.drained();
    expect(note.heard).toEqual([]);
    peer.reply({ ok: 1 });
    expect(note.heard).toEqual([{ ok: 1 }, 'end']);
  });

  test('the memory of a large message is used again when it has left, and not before, whatever was answered', async () => {
    const { peer, connection } = await createStage().open();
    peer.flowing = false;
    const large = (): unknown => {
      connection.start(new Note({ insert: 'c', text: 'x'.repeat(300_000) }), Infinity);
      return peer.memory;
    };
    const first = large();
    peer.reply({ ok: 1 });
    const second = large();
    expect(second).not.toBe(first);
    peer.sink.drained();
    peer.reply({ ok: 1 });
    expect(large()).toBe(second);
  });

  test('the memory of a large message stays what it is while its events may show it', async () => {
    const { peer, connection } = await createStage({ wants: ['commandStarted'] }).open();
    peer.flowing = false;
    const memories = [1, 2].map(() => {
      connection.start(new Note({ insert: 'c', text: 'x'.repeat(300_000) }), Infinity);
      peer.sink.drained();
      peer.reply({ ok: 1 });
      return peer.memory;
    });
    expect(memories[0]).not.toBe(memories[1]);
  });

  test('OP_MSG "exhaustAllowed": answer "many" hears every reply, each answering the one before', async () => {
    const { peer, connection } = await createStage().open();
    const note = new Note({ hello: 1 }, { answer: 'many' });
    connection.start(note, Infinity);
    expect(peer.last.flags).toBe(1 << 16);
    peer.reply({ n: 1 }, { more: true, id: 501 });
    peer.reply({ n: 2 }, { to: 501, more: true, id: 502 });
    expect(note.heard).toEqual([{ n: 1 }, { n: 2 }]);
    peer.reply({ n: 3 }, { to: 502 });
    expect(note.heard).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, 'end']);
    connection.start(new Note(), Infinity);
    expect(peer.frames).toHaveLength(2);
  });

  test('many replies that all answer the request are taken too, any other is not', async () => {
    const { peer, connection } = await createStage().open();
    const note = new Note({ hello: 1 }, { answer: 'many' });
    connection.start(note, Infinity);
    peer.reply({ n: 1 }, { more: true, id: 501 });
    peer.reply({ n: 2 }, { more: true, id: 502 });
    expect(note.heard).toEqual([{ n: 1 }, { n: 2 }]);
    peer.reply({ n: 3 }, { to: 501 });
    expect([note.error?.kind, connection.closed]).toEqual(['protocol', true]);
  });

  test('several replies in one packet', async () => {
    const { peer, connection } = await createStage().open();
    const note = new Note({ hello: 1 }, { answer: 'many' });
    connection.start(note, Infinity);
    const { last } = peer;
    const packet: Uint8Array[] = [];
    peer.send = bytes => void packet.push(bytes);
    peer.reply({ n: 1 }, { to: last.id, more: true, id: 501 });
    peer.reply({ n: 2 }, { to: 501 });
    Reflect.deleteProperty(peer, 'send');
    peer.send(Buffer.concat(packet));
    expect(note.heard).toEqual([{ n: 1 }, { n: 2 }, 'end']);
  });
});

describe('what is refused', () => {
  test('a second command on a busy connection: usage, and the first goes on', async () => {
    const { peer, connection } = await createStage().open();
    const [first, second] = [new Note(), new Note({ find: 'c' })];
    connection.start(first, Infinity);
    connection.start(second, Infinity);
    expect([second.error?.kind, second.error?.message]).toEqual([
      'usage',
      "'find' was not sent: the connection to db:27017 is busy, and it takes one command at a time",
    ]);
    expect(second.error?.origin).toEqual(originOf(connection, false));
    peer.reply({ ok: 1 });
    expect(first.heard).toEqual([{ ok: 1 }, 'end']);
  });

  test('a command on a closed connection: network, not sent, and why it was closed', async () => {
    const { connection } = await createStage().open();
    const why = new MongoError('pool', 'cleared');
    connection.close(why);
    const note = new Note();
    connection.start(note, Infinity);
    expect([note.error?.kind, note.error?.message, note.error?.cause, note.error?.origin?.sent]).toEqual([
      'network',
      "'ping' was not sent: the connection to db:27017 is closed",
      why,
      false,
    ]);
  });

  test('a message that cannot be written fails, and the connection stays free', async () => {
    const { peer, connection } = await createStage().open();
    const own = new MongoError('usage', 'no such value');
    for (const thrown of [own, new Error('toBSON said no')]) {
      const note = new Note();
      note.body = () => {
        throw thrown;
      };
      connection.start(note, Infinity);
      expect(note.heard).toEqual(['fail: usage']);
      expect(note.error === thrown || note.error?.cause === thrown).toBe(true);
      expect(note.error?.origin).toMatchObject({ phase: 'command', sent: false, address: 'db:27017' });
    }
    expect(peer.frames).toEqual([]);
    connection.start(new Note(), Infinity);
    expect(peer.frames).toHaveLength(1);
  });

  test("OP_MSG: a message over the server's maxMessageSizeBytes is not sent", async () => {
    const { peer, connection } = await createStage().open({}, { ...HELLO, maxMessageSizeBytes: 1000 });
    const note = new Note({ insert: 'c', text: 'x'.repeat(1000) });
    connection.start(note, Infinity);
    expect(note.error?.message).toMatch(
      /^'insert' has 1\d{3} bytes, but db:27017 takes messages of 1000 at most; split it$/,
    );
    expect([note.error?.kind, peer.frames.length]).toEqual(['usage', 0]);
  });
});

describe('what a getter does while its command is being written', () => {
  /** The command's filter runs this. */
  const meddling = (meddle: () => void): Note => {
    const filter = {
      get x() {
        meddle();
        return 1;
      },
    };
    return Object.assign(new Note({ find: 'c', filter }), { sections: undefined });
  };

  test('Stable API: a command that it sends elsewhere takes neither the answer nor the sections of the first', async () => {
    const stage = createStage({ options: { serverApi: '1' } });
    const [first, second] = [await stage.open(), await stage.open()];
    const insert = new Note({ insert: 'd' }, { answer: 'none', sequence: [{ _id: 1 }] });
    const find = meddling(() => {
      second.connection.start(insert, Infinity);
    });
    first.connection.start(find, Infinity);
    const api = { apiVersion: '1', $db: 'test' };
    expect(second.peer.last).toMatchObject({ flags: 2, command: { insert: 'd', documents: [{ _id: 1 }], ...api } });
    expect(first.peer.last).toMatchObject({ flags: 0, command: { find: 'c', filter: { x: 1 }, ...api } });
    expect(first.peer.last.command).not.toHaveProperty('documents');
  });

  test('a command that it sends on the same connection goes first; the one that was being written is refused', async () => {
    const { peer, connection } = await createStage().open();
    const ping = new Note({ ping: 1 });
    const find = meddling(() => {
      connection.start(ping, Infinity);
    });
    connection.start(find, Infinity);
    expect(peer.requests.map(({ command }) => command)).toEqual([{ ping: 1, $db: 'test' }]);
    expect(find.error).toMatchObject({ kind: 'usage', origin: { sent: false } });
    peer.reply({ ok: 1 });
    expect(ping.heard).toEqual([{ ok: 1 }, 'end']);
  });

  test('closing the connection fails the command, which is not sent', async () => {
    const { peer, connection } = await createStage().open();
    const find = meddling(() => {
      connection.close();
    });
    connection.start(find, Infinity);
    expect(peer.frames).toEqual([]);
    expect(find.error).toMatchObject({ kind: 'network', origin: { sent: false } });
    expect(connection.closed).toBe(true);
  });
});

describe('what breaks a connection', () => {
  test('the peer ends the stream or the socket fails: the message fails as network, sent', async () => {
    for (const [cause, sentence] of [
      [undefined, "db:27017 closed the connection while 'find' was under way"],
      [new Error('read ECONNRESET'), "The connection to db:27017 was lost while 'find' was under way: read ECONNRESET"],
    ] as const) {
      const { peer, connection } = await createStage().open();
      const note = new Note({ find: 'c' });
      connection.start(note, Infinity);
      peer.close(cause);
      expect(note.heard).toEqual(['fail: network']);
      expect([note.error?.message, note.error?.cause]).toEqual([sentence, cause]);
      expect(note.error?.origin).toEqual(originOf(connection, true));
      expect(connection.closed).toBe(true);
    }
  });

  test('a free connection notices that its peer has gone', async () => {
    const { peer, connection } = await createStage().open();
    peer.close();
    expect(connection.closed).toBe(true);
  });

  test('who opened it is told once that a free connection has ended; while a command is under way, the command is', async () => {
    let ended = 0;
    const tell = (): void => void (ended += 1);
    const free = await createStage().open({ ended: tell });
    expect(ended).toBe(0);
    free.peer.close();
    free.connection.close();
    expect(ended).toBe(1);
    const busy = await createStage().open({ ended: tell });
    const note = new Note();
    busy.connection.start(note, Infinity);
    busy.peer.close();
    expect([note.heard, ended]).toEqual([['fail: network'], 1]);
    const failing = await createStage().dial({ ended: tell });
    failing.peer.close();
    await expect(failing.connecting).rejects.toThrow();
    expect(ended).toBe(1);
  });

  test.each([
    ['a reply to another request', { to: 4711 }, 'it sent a reply to request 4711, but the reply to 2 was awaited'],
    ['more replies than were asked for', { more: true }, 'it said that more replies will come, but one was asked for'],
  ])('%s: protocol, closed', async (_, how, sentence) => {
    const { peer, connection } = await createStage().open();
    const note = new Note();
    connection.start(note, Infinity);
    peer.reply({ ok: 1 }, how);
    expect([note.error?.kind, note.error?.message]).toEqual([
      'protocol',
      `db:27017 does not keep to MongoDB's protocol: ${sentence}`,
    ]);
    expect([note.heard, connection.closed]).toEqual([['fail: protocol'], true]);
    await settle();
    expect(peer.destroyed).toBe(true);
  });

  test('a reply when nothing was asked: closed', async () => {
    const { peer, connection } = await createStage().open();
    peer.reply({ ok: 1 }, { to: 5 });
    expect(connection.closed).toBe(true);
  });

  test('bytes that are no frame: protocol, and the cause is what the codec found', async () => {
    const { peer, connection } = await createStage().open();
    const note = new Note();
    connection.start(note, Infinity);
    peer.send(new Uint8Array(16));
    expect([note.error?.kind, (note.error?.cause as MongoError).message]).toEqual([
      'protocol',
      'Invalid message length of 0 bytes: it must be from 16 to 48016384.',
    ]);
  });

  test('nothing is heard after the close, even of what stood in the same packet', async () => {
    const { peer, connection } = await createStage().open();
    const note = new Note({ hello: 1 }, { answer: 'many' });
    note.onReply = () => {
      connection.close(new MongoError('aborted', 'enough'));
    };
    connection.start(note, Infinity);
    const { last } = peer;
    const packet: Uint8Array[] = [];
    peer.send = bytes => void packet.push(bytes);
    peer.reply({ n: 1 }, { to: last.id, more: true, id: 501 });
    peer.reply({ n: 2 }, { to: 501 });
    Reflect.deleteProperty(peer, 'send');
    peer.send(Buffer.concat(packet));
    expect(note.heard).toEqual([{ n: 1 }, 'fail: aborted']);
  });

  test('a message that cannot read its reply fails; what is not BSON also closes the connection', async () => {
    for (const [thrown, closed] of [
      [new MongoError('server', 'write errors'), false],
      [new MongoError('protocol', 'not BSON'), true],
    ] as const) {
      const { peer, connection } = await createStage().open();
      const note = new Note();
      note.onReply = () => {
        throw thrown;
      };
      connection.start(note, Infinity);
      peer.reply({ ok: 1 });
      expect(note.heard).toEqual([{ ok: 1 }, `fail: ${thrown.kind}`]);
      expect([note.error, connection.closed]).toEqual([thrown, closed]);
    }
  });

  test('close fails the message under way with the cause given, once', async () => {
    const { peer, connection } = await createStage().open();
    const note = new Note();
    connection.start(note, Infinity);
    const why = new MongoError('pool', 'interrupted');
    connection.close(why);
    connection.close(new MongoError('pool', 'again'));
    await settle();
    expect([note.heard, note.error, connection.closed, peer.destroyed]).toEqual([['fail: pool'], why, true, true]);
  });
});

describe('command, the easy way', () => {
  test('a document out, a document in', async () => {
    const { peer, connection } = await createStage().open();
    const asked = { listDatabases: 1, nameOnly: true };
    const answer = connection.command('admin', asked, Infinity);
    expect(peer.last.command).toEqual({ listDatabases: 1, nameOnly: true, $db: 'admin' });
    peer.reply({ databases: [{ name: 'a' }], ok: 1 });
    expect(await answer).toEqual({ databases: [{ name: 'a' }], ok: 1 });
    expect(asked).toEqual({ listDatabases: 1, nameOnly: true });
  });

  test('ok: 0 is thrown: kind server with code, codeName, labels, reply and origin', async () => {
    const { peer, connection } = await createStage().open();
    const answer = connection.command('admin', { saslStart: 1 }, Infinity);
    const reply = {
      ok: 0,
      errmsg: 'Authentication failed.',
      code: 18,
      codeName: 'AuthenticationFailed',
      errorLabels: ['A', 'B'],
    };
    peer.reply(reply);
    await expect(answer).rejects.toMatchObject({
      kind: 'server',
      message: "'saslStart' failed at db:27017: Authentication failed. (code 18, AuthenticationFailed)",
      code: 18,
      codeName: 'AuthenticationFailed',
      labels: ['A', 'B'],
      reply,
      origin: { phase: 'command', sent: true, address: 'db:27017' },
    });
  });

  test.each([
    [{ errmsg: 'no', code: 5 }, 'no (code 5)'],
    [{ errmsg: 'no' }, 'no'],
    [{ code: 5, codeName: 'X' }, 'the server gave no reason (code 5, X)'],
    [{}, 'the server gave no reason'],
  ])('the words of ok: 0 with %j', async (reply, words) => {
    const { peer, connection } = await createStage().open();
    const answer = connection.command('admin', { ping: 1 }, Infinity);
    peer.reply({ ok: 0, ...reply });
    await expect(answer).rejects.toMatchObject({ message: `'ping' failed at db:27017: ${words}` });
  });

  test('what breaks the connection is thrown too', async () => {
    const { peer, connection } = await createStage().open();
    const answer = connection.command('admin', { ping: 1 }, Infinity);
    peer.close();
    await expect(answer).rejects.toMatchObject({ kind: 'network' });
  });
});

describe('compression in another thread', () => {
  const slow = (): { compressor: Compressor; release: (error?: Error) => Promise<void> } => {
    let settleOne: ((error?: Error) => void) | undefined;
    return {
      compressor: {
        id: 2,
        name: 'zlib',
        compress: bytes =>
          new Promise((resolve, reject) => {
            settleOne = error => {
              if (error === undefined) resolve(bytes.slice());
              else reject(error);
            };
          }),
        decompress: bytes => bytes,
      },
      release: async error => {
        settleOne?.(error);
        await settle();
      },
    };
  };
  const opened = async () => {
    const { compressor, release } = slow();
    const stage = createStage({ compressors: [compressor], options: { compressors: ['zlib'] } });
    return { ...(await stage.open({}, { ...HELLO, compression: ['zlib'] })), release, stage };
  };

  test('the command is sent when it is compressed', async () => {
    const { peer, connection, release } = await opened();
    const note = new Note();
    connection.start(note, Infinity);
    expect(peer.frames).toEqual([]);
    await release();
    expect(peer.requests.map(({ opCode }) => opCode)).toEqual([2012]);
    peer.reply({ ok: 1 });
    expect(note.heard).toEqual([{ ok: 1 }, 'end']);
  });

  test('given up before: nothing is sent, nothing owed, and the next command does not meet it', async () => {
    const { peer, connection, release } = await opened();
    const [first, second] = [new Note(), new Note({ hello: 1 })];
    connection.start(first, Infinity);
    expect(connection.detach(new MongoError('aborted', 'stop'))).toBe(true);
    expect([first.heard, first.error?.kind]).toEqual([['fail: aborted'], 'aborted']);
    connection.start(second, Infinity);
    await release();
    expect(peer.requests.map(({ command }) => Object.keys(command)[0])).toEqual(['hello']);
  });

  test('its failure fails the message, unsent, and the connection stays free', async () => {
    const { peer, connection, release } = await opened();
    const note = new Note();
    connection.start(note, Infinity);
    await release(new Error('out of memory'));
    expect([note.error?.message, note.error?.origin?.sent]).toEqual([
      "'ping' could not be written: out of memory",
      false,
    ]);
    connection.start(new Note({ hello: 1 }), Infinity);
    expect(peer.frames).toHaveLength(1);
  });

  test('a connection closed meanwhile sends nothing', async () => {
    const { peer, connection, release } = await opened();
    const note = new Note();
    connection.start(note, Infinity);
    connection.close();
    await release();
    expect([peer.frames, note.heard]).toEqual([[], ['fail: network']]);
    expect(note.error?.origin?.sent).toBe(false);
  });
});

describe('what throws when a command is about to be sent', () => {
  const fail = (): never => {
    throw new RangeError('thrown at this step');
  };

  test('before anything was sent: the command fails, and the connection is free for the next', async () => {
    const stage = createStage({ wants: ['commandStarted'] });
    const { connection, peer } = await stage.open();
    const push = stage.events.push.bind(stage.events);
    stage.events.push = fail;
    const [first, second] = [new Note(), new Note()];
    connection.start(first, Infinity);
    expect([first.heard, first.error?.origin?.sent]).toEqual([['fail: usage'], false]);
    stage.events.push = push;
    connection.start(second, Infinity);
    peer.reply({ ok: 1 });
    expect(second.heard).toEqual([{ ok: 1 }, 'end']);
  });

  test('by the socket: the command fails, and the connection is closed', async () => {
    const { connection, peer } = await createStage().open();
    Object.defineProperty(peer, 'flowing', { get: fail });
    const note = new Note();
    connection.start(note, Infinity);
    expect([note.heard, note.error?.origin?.sent, connection.closed]).toEqual([['fail: network'], true, true]);
  });
});
