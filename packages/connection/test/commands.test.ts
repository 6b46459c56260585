import { describe, expect, test } from 'vitest';
import { MongoError } from '@tessera/contracts';
import type { Compressor, Connection, Origin } from '@tessera/contracts';
import { createStage, HELLO, Note, settle } from './stage.js';

/** Returns the origin of an error of a command on the connection. */
const originOf = ({ hello }: Connection, sent: boolean): Origin => ({
  phase: 'command',
  sent,
  address: 'db:27017',
  serviceId: undefined,
  maxWireVersion: hello.maxWireVersion,
  hasSessions: hello.logicalSessionTimeoutMinutes !== undefined,
});

describe('a command and its reply', () => {
  test('writes one contiguous frame; reads the reply and frees the connection before it calls end', async () => {
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
    expect(first.received).toEqual([{ ok: 1, n: 1 }, 'end']);
    expect(peer.last.command).toEqual({ ping: 1, $db: 'test' });
    peer.reply({ ok: 1 });
    expect(second.received).toEqual([{ ok: 1 }, 'end']);
  });

  test('request ids increase across all connections of one Connect', async () => {
    const stage = createStage();
    const [a, b] = [await stage.open(), await stage.open({ id: 2 })];
    a.connection.start(new Note(), Infinity);
    b.connection.start(new Note(), Infinity);
    expect([a.peer.last.id, b.peer.last.id]).toEqual([3, 4]);
  });

  test('passes a reply with ok: 0 to the message like any other', async () => {
    const { peer, connection } = await createStage().open();
    const note = new Note();
    connection.start(note, Infinity);
    peer.reply({ ok: 0, code: 11602, errmsg: 'interrupted' });
    expect(note.received).toEqual([{ ok: 0, code: 11602, errmsg: 'interrupted' }, 'end']);
    expect(connection.closed).toBe(false);
  });

  test('answer "none": sends the command with moreToCome, ends the message at once and frees the connection', async () => {
    const { peer, connection } = await createStage().open();
    const notes = [new Note({ insert: 'c' }, { answer: 'none' }), new Note({ insert: 'c' }, { answer: 'none' })];
    for (const note of notes) connection.start(note, Infinity);
    expect(peer.requests.map(({ flags }) => flags)).toEqual([2, 2]);
    expect(notes.map(({ received }) => received)).toEqual([['end'], ['end']]);
  });

  test('answer "none" into a full socket: ends the message when the socket has drained', async () => {
    const { peer, connection } = await createStage().open();
    peer.flowing = false;
    const note = new Note({ insert: 'c' }, { answer: 'none' });
    connection.start(note, Infinity);
    expect(note.received).toEqual([]);
    const refused = new Note();
    connection.start(refused, Infinity);
    expect(refused.error?.kind).toBe('usage');
    peer.sink.drained();
    expect(note.received).toEqual(['end']);
    connection.start(new Note(), Infinity);
    expect(peer.frames).toHaveLength(2);
  });

  test('a full socket does not delay a message that has a reply', async () => {
    const { peer, connection } = await createStage().open();
    peer.flowing = false;
    const note = new Note();
    connection.start(note, Infinity);
    peer.sink.drained();
    expect(note.received).toEqual([]);
    peer.reply({ ok: 1 });
    expect(note.received).toEqual([{ ok: 1 }, 'end']);
  });

  test('reuses the memory of a large message only after the socket has sent it, even if the reply arrives earlier', async () => {
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

  test('does not reuse the memory of a large message while its events may read it', async () => {
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

  test('OP_MSG "exhaustAllowed": answer "many" receives every reply, each answering the previous one', async () => {
    const { peer, connection } = await createStage().open();
    const note = new Note({ hello: 1 }, { answer: 'many' });
    connection.start(note, Infinity);
    expect(peer.last.flags).toBe(1 << 16);
    peer.reply({ n: 1 }, { more: true, id: 501 });
    peer.reply({ n: 2 }, { to: 501, more: true, id: 502 });
    expect(note.received).toEqual([{ n: 1 }, { n: 2 }]);
    peer.reply({ n: 3 }, { to: 502 });
    expect(note.received).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }, 'end']);
    connection.start(new Note(), Infinity);
    expect(peer.frames).toHaveLength(2);
  });

  test('accepts many replies that all answer the request, and rejects a reply to anything else', async () => {
    const { peer, connection } = await createStage().open();
    const note = new Note({ hello: 1 }, { answer: 'many' });
    connection.start(note, Infinity);
    peer.reply({ n: 1 }, { more: true, id: 501 });
    peer.reply({ n: 2 }, { more: true, id: 502 });
    expect(note.received).toEqual([{ n: 1 }, { n: 2 }]);
    peer.reply({ n: 3 }, { to: 501 });
    expect([note.error?.kind, connection.closed]).toEqual(['protocol', true]);
  });

  test('reads several replies from one packet', async () => {
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
    expect(note.received).toEqual([{ n: 1 }, { n: 2 }, 'end']);
  });
});

describe('rejected commands', () => {
  test('rejects a second command on a busy connection with a usage error, and the first continues', async () => {
    const { peer, connection } = await createStage().open();
    const [first, second] = [new Note(), new Note({ find: 'c' })];
    connection.start(first, Infinity);
    connection.start(second, Infinity);
    expect([second.error?.kind, second.error?.message]).toEqual([
      'usage',
      "'find' was not sent: the connection to db:27017 is busy, and a connection runs one command at a time.",
    ]);
    expect(second.error?.origin).toEqual(originOf(connection, false));
    peer.reply({ ok: 1 });
    expect(first.received).toEqual([{ ok: 1 }, 'end']);
  });

  test('rejects a command on a closed connection as unsent, with the cause of the close', async () => {
    const { connection } = await createStage().open();
    const why = new MongoError('pool', 'cleared');
    connection.close(why);
    const note = new Note();
    connection.start(note, Infinity);
    expect([note.error?.kind, note.error?.message, note.error?.cause, note.error?.origin?.sent]).toEqual([
      'network',
      "'ping' was not sent: the connection to db:27017 is closed.",
      why,
      false,
    ]);
  });

  test('fails a message that cannot be encoded, and keeps the connection free', async () => {
    const { peer, connection } = await createStage().open();
    const own = new MongoError('usage', 'no such value');
    for (const thrown of [own, new Error('toBSON said no')]) {
      const note = new Note();
      note.body = () => {
        throw thrown;
      };
      connection.start(note, Infinity);
      expect(note.received).toEqual(['fail: usage']);
      expect(note.error === thrown || note.error?.cause === thrown).toBe(true);
      expect(note.error?.origin).toMatchObject({ phase: 'command', sent: false, address: 'db:27017' });
    }
    expect(peer.frames).toEqual([]);
    connection.start(new Note(), Infinity);
    expect(peer.frames).toHaveLength(1);
  });

  test("OP_MSG: does not send a message larger than the server's maxMessageSizeBytes", async () => {
    const { peer, connection } = await createStage().open({}, { ...HELLO, maxMessageSizeBytes: 1000 });
    const note = new Note({ insert: 'c', text: 'x'.repeat(1000) });
    connection.start(note, Infinity);
    expect(note.error?.message).toMatch(
      /^'insert' has 1\d{3} bytes, but db:27017 accepts at most 1000\. Split it into smaller commands\.$/,
    );
    expect([note.error?.kind, peer.frames.length]).toEqual(['usage', 0]);
  });
});

describe('a getter that acts while its command is encoded', () => {
  /** Runs `meddle` from a getter in the command's filter. */
  const meddling = (meddle: () => void): Note => {
    const filter = {
      get x() {
        meddle();
        return 1;
      },
    };
    return Object.assign(new Note({ find: 'c', filter }), { sections: undefined });
  };

  test('Stable API: a command that it sends on another connection changes neither the answer nor the sections of the first', async () => {
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

  test('a command that it sends on the same connection is sent first, and the command that was being encoded is rejected', async () => {
    const { peer, connection } = await createStage().open();
    const ping = new Note({ ping: 1 });
    const find = meddling(() => {
      connection.start(ping, Infinity);
    });
    connection.start(find, Infinity);
    expect(peer.requests.map(({ command }) => command)).toEqual([{ ping: 1, $db: 'test' }]);
    expect(find.error).toMatchObject({ kind: 'usage', origin: { sent: false } });
    peer.reply({ ok: 1 });
    expect(ping.received).toEqual([{ ok: 1 }, 'end']);
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

describe('errors that close a connection', () => {
  test('a peer that closes or a socket that fails: the message fails with a network error and counts as sent', async () => {
    for (const [cause, sentence] of [
      [undefined, "db:27017 closed the connection while 'find' was under way."],
      [
        new Error('read ECONNRESET'),
        "The connection to db:27017 was lost while 'find' was under way: read ECONNRESET.",
      ],
    ] as const) {
      const { peer, connection } = await createStage().open();
      const note = new Note({ find: 'c' });
      connection.start(note, Infinity);
      peer.close(cause);
      expect(note.received).toEqual(['fail: network']);
      expect([note.error?.message, note.error?.cause]).toEqual([sentence, cause]);
      expect(note.error?.origin).toEqual(originOf(connection, true));
      expect(connection.closed).toBe(true);
    }
  });

  test('an idle connection notices that its peer closed', async () => {
    const { peer, connection } = await createStage().open();
    peer.close();
    expect(connection.closed).toBe(true);
  });

  test('reports once that an idle connection ended; a busy connection reports it through its command', async () => {
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
    expect([note.received, ended]).toEqual([['fail: network'], 1]);
    const failing = await createStage().dial({ ended: tell });
    failing.peer.close();
    await expect(failing.connecting).rejects.toThrow();
    expect(ended).toBe(1);
  });

  test.each([
    ['a reply to another request', { to: 4711 }, 'it sent a reply to request 4711, but the reply to 2 was expected'],
    [
      'a reply with moreToCome to a request for one reply',
      { more: true },
      'it set moreToCome, but the request allows only one reply',
    ],
  ])('%s fails with a protocol error and closes the connection', async (_, how, sentence) => {
    const { peer, connection } = await createStage().open();
    const note = new Note();
    connection.start(note, Infinity);
    peer.reply({ ok: 1 }, how);
    expect([note.error?.kind, note.error?.message]).toEqual([
      'protocol',
      `db:27017 violates MongoDB's protocol: ${sentence}.`,
    ]);
    expect([note.received, connection.closed]).toEqual([['fail: protocol'], true]);
    await settle();
    expect(peer.destroyed).toBe(true);
  });

  test('closes the connection on a reply without a request', async () => {
    const { peer, connection } = await createStage().open();
    peer.reply({ ok: 1 }, { to: 5 });
    expect(connection.closed).toBe(true);
  });

  test('bytes that are not a frame: a protocol error whose cause is the error of the codec', async () => {
    const { peer, connection } = await createStage().open();
    const note = new Note();
    connection.start(note, Infinity);
    peer.send(new Uint8Array(16));
    expect([note.error?.kind, (note.error!.cause as MongoError).message]).toEqual([
      'protocol',
      'Invalid message length of 0 bytes: it must be from 16 to 48016384.',
    ]);
  });

  test('delivers nothing after the connection is closed, not even a reply from the same packet', async () => {
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
    expect(note.received).toEqual([{ n: 1 }, 'fail: aborted']);
  });

  test('a message that throws while it reads its reply fails; a reply that is not BSON also closes the connection', async () => {
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
      expect(note.received).toEqual([{ ok: 1 }, `fail: ${thrown.kind}`]);
      expect([note.error, connection.closed]).toEqual([thrown, closed]);
    }
  });

  test('close fails the message in progress once, with the given cause', async () => {
    const { peer, connection } = await createStage().open();
    const note = new Note();
    connection.start(note, Infinity);
    const why = new MongoError('pool', 'interrupted');
    connection.close(why);
    connection.close(new MongoError('pool', 'again'));
    await settle();
    expect([note.received, note.error, connection.closed, peer.destroyed]).toEqual([['fail: pool'], why, true, true]);
  });
});

describe('connection.command', () => {
  test('sends a document and resolves to the reply document', async () => {
    const { peer, connection } = await createStage().open();
    const asked = { listDatabases: 1, nameOnly: true };
    const answer = connection.command('admin', asked, Infinity);
    expect(peer.last.command).toEqual({ listDatabases: 1, nameOnly: true, $db: 'admin' });
    peer.reply({ databases: [{ name: 'a' }], ok: 1 });
    expect(await answer).toEqual({ databases: [{ name: 'a' }], ok: 1 });
    expect(asked).toEqual({ listDatabases: 1, nameOnly: true });
  });

  test('throws a server error with code, codeName, labels, reply and origin for ok: 0', async () => {
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
  ])('formats the message of an ok: 0 reply: %j', async (reply, words) => {
    const { peer, connection } = await createStage().open();
    const answer = connection.command('admin', { ping: 1 }, Infinity);
    peer.reply({ ok: 0, ...reply });
    await expect(answer).rejects.toMatchObject({ message: `'ping' failed at db:27017: ${words}` });
  });

  test('throws the error that closes the connection', async () => {
    const { peer, connection } = await createStage().open();
    const answer = connection.command('admin', { ping: 1 }, Infinity);
    peer.close();
    await expect(answer).rejects.toMatchObject({ kind: 'network' });
  });
});

describe('asynchronous compression', () => {
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

  test('sends the command after it is compressed', async () => {
    const { peer, connection, release } = await opened();
    const note = new Note();
    connection.start(note, Infinity);
    expect(peer.frames).toEqual([]);
    await release();
    expect(peer.requests.map(({ opCode }) => opCode)).toEqual([2012]);
    peer.reply({ ok: 1 });
    expect(note.received).toEqual([{ ok: 1 }, 'end']);
  });

  test('a command that is abandoned before it is compressed is not sent, and the next command is unaffected', async () => {
    const { peer, connection, release } = await opened();
    const [first, second] = [new Note(), new Note({ hello: 1 })];
    connection.start(first, Infinity);
    expect(connection.detach(new MongoError('aborted', 'stop'))).toBe(true);
    expect([first.received, first.error?.kind]).toEqual([['fail: aborted'], 'aborted']);
    connection.start(second, Infinity);
    await release();
    expect(peer.requests.map(({ command }) => Object.keys(command)[0])).toEqual(['hello']);
  });

  test('a failed compression fails the message as unsent, and the connection stays free', async () => {
    const { peer, connection, release } = await opened();
    const note = new Note();
    connection.start(note, Infinity);
    await release(new Error('out of memory'));
    expect([note.error?.message, note.error?.origin?.sent]).toEqual([
      "'ping' could not be written: out of memory.",
      false,
    ]);
    connection.start(new Note({ hello: 1 }), Infinity);
    expect(peer.frames).toHaveLength(1);
  });

  test('a connection that is closed during the compression sends nothing', async () => {
    const { peer, connection, release } = await opened();
    const note = new Note();
    connection.start(note, Infinity);
    connection.close();
    await release();
    expect([peer.frames, note.received]).toEqual([[], ['fail: network']]);
    expect(note.error?.origin?.sent).toBe(false);
  });
});

describe('an exception while a command is being sent', () => {
  const fail = (): never => {
    throw new RangeError('thrown at this step');
  };

  test('before any byte is sent: the command fails, and the connection is free', async () => {
    const stage = createStage({ wants: ['commandStarted'] });
    const { connection, peer } = await stage.open();
    const push = stage.events.push.bind(stage.events);
    stage.events.push = fail;
    const [first, second] = [new Note(), new Note()];
    connection.start(first, Infinity);
    expect([first.received, first.error?.origin?.sent]).toEqual([['fail: usage'], false]);
    stage.events.push = push;
    connection.start(second, Infinity);
    peer.reply({ ok: 1 });
    expect(second.received).toEqual([{ ok: 1 }, 'end']);
  });

  test('from the socket: the command fails, and the connection is closed', async () => {
    const { connection, peer } = await createStage().open();
    Object.defineProperty(peer, 'flowing', { get: fail });
    const note = new Note();
    connection.start(note, Infinity);
    expect([note.received, note.error?.origin?.sent, connection.closed]).toEqual([['fail: network'], true, true]);
  });
});
