import type { Connection, Document, DriverEvent } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { expectEqual, expectError, expectRejection, expectTrue } from '../case.js';
import type { ContractCase } from '../case.js';
import { address, noteOf } from './bench.js';
import type { ConnectBench, ConnectCase, Note } from './bench.js';

/** Starts a ping that the server leaves unanswered. Returns the function that replies to it. */
const startUnanswered = async (
  { server, clock }: ConnectBench,
  connection: Connection,
  note: Note,
  deadline = Infinity,
): Promise<(reply: Document, more?: boolean) => void> => {
  server.serve = () => undefined;
  connection.start(note, deadline);
  await clock.sleep(1);
  server.serve = asked => asked.reply({ ok: 1 });
  return server.asked.at(-1)!.reply;
};

const stop = (): MongoError => new MongoError('aborted', 'stop');

/** Cases about one command at a time. Rule: OP_MSG. */
export const commands = (one: ConnectCase): readonly ContractCase[] => [
  one('Message: body and sections are sent; reply is called before end, also for ok: 0', async bench => {
    const { create, server, clock } = bench;
    const connection = await create()();
    const insert = noteOf(
      { insert: 'users' },
      {
        sections: writer => {
          writer.section('documents');
          writer.document({ n: 1 });
        },
      },
    );
    connection.start(insert, Infinity);
    await clock.sleep(3);
    const refused = noteOf();
    server.serve = asked => asked.reply({ ok: 0, code: 11_602 });
    connection.start(refused, Infinity);
    await clock.sleep(3);
    const sent = { insert: 'users', $db: 'db', documents: [{ n: 1 }] };
    expectEqual(server.asked[1]?.command, sent, 'the command');
    expectEqual(
      [insert.heard, refused.heard, connection.closed],
      [[{ ok: 1 }, 'end'], [{ ok: 0, code: 11_602 }, 'end'], false],
      'heard, closed',
    );
  }),
  one('Message.end: the connection is free when it is called', async ({ create, clock }) => {
    const connection = await create()();
    const second = noteOf();
    const first = noteOf({ ping: 1 }, { end: () => connection.start(second, Infinity) });
    connection.start(first, Infinity);
    await clock.sleep(6);
    expectEqual([first.heard, second.heard], [[{ ok: 1 }], [{ ok: 1 }, 'end']], 'heard');
  }),
  one('Connection.start: a second command fails as usage and is not sent; the first continues', async bench => {
    const connection = await bench.create()();
    const [first, second] = [noteOf(), noteOf()];
    const answer = await startUnanswered(bench, connection, first);
    connection.start(second, Infinity);
    expectEqual(expectError(second.error, { kind: 'usage' }, 'the second').origin?.sent, false, 'sent');
    answer({ ok: 1 });
    await bench.clock.sleep(3);
    expectEqual([first.heard, bench.server.names.length], [[{ ok: 1 }, 'end'], 2], 'heard by the first, commands');
  }),
  one('Connection.start: a message that cannot be sent fails, and the connection stays free', async bench => {
    const { create, server, clock } = bench;
    server.hello = { ...server.hello, maxMessageSizeBytes: 1000 };
    const connection = await create()();
    const cause = new MongoError('usage', 'cannot be written');
    const unwritable = noteOf(undefined, {
      body: () => {
        throw cause;
      },
    });
    const [tooLong, tooLate, next] = [noteOf({ insert: 'x'.repeat(1000) }), noteOf(), noteOf()];
    connection.start(unwritable, Infinity);
    connection.start(tooLong, Infinity);
    connection.start(tooLate, clock.now());
    for (const [note, kind] of [
      [unwritable, 'usage'] as const,
      [tooLong, 'usage'] as const,
      [tooLate, 'timeout'] as const,
    ])
      expectEqual(expectError(note.error, { kind, phase: 'command' }, kind).origin?.sent, false, 'sent');
    expectTrue(unwritable.error === cause, 'what the body threw');
    connection.start(next, Infinity);
    await clock.sleep(3);
    expectEqual([next.heard, server.names.length], [[{ ok: 1 }, 'end'], 2], 'heard by the next, commands');
  }),
  one('OP_MSG "moreToCome": a message without a reply ends once it is sent', async bench => {
    const { create, server, clock } = bench;
    const connection = await create()();
    server.serve = () => undefined;
    const notes = [1, 2].map(() => noteOf({ insert: 'users' }, { answer: 'none' }));
    for (const note of notes) connection.start(note, Infinity);
    await clock.sleep(3);
    expectEqual([notes.map(({ heard }) => heard), server.asked.at(-1)?.flags], [[['end'], ['end']], 2], 'heard, flags');
  }),
  one('OP_MSG "exhaustAllowed": a message with many replies receives each, then end', async bench => {
    const { create, server, clock } = bench;
    const connection = await create()();
    const note = noteOf(undefined, { answer: 'many', replyLimit: 50 });
    const answer = await startUnanswered(bench, connection, note, clock.now() + 50);
    expectEqual(server.asked.at(-1)?.flags, 0x10000, 'flags');
    for (const [n, more] of [[1, true] as const, [2, true] as const, [3, false] as const]) {
      await clock.sleep(40);
      answer({ n, ok: 1 }, more);
    }
    await clock.sleep(3);
    expectEqual(note.heard, [{ n: 1, ok: 1 }, { n: 2, ok: 1 }, { n: 3, ok: 1 }, 'end'], 'heard');
  }),
  one(
    'Connection.start: at its deadline a message fails as timeout; the connection skips the late reply and is free',
    async bench => {
      const { create, clock } = bench;
      const connection = await create()();
      const [note, next] = [noteOf(), noteOf()];
      const answer = await startUnanswered(bench, connection, note, clock.now() + 50);
      await clock.sleep(48);
      expectEqual(note.heard, [], 'heard before the deadline');
      await clock.sleep(1);
      const { origin } = expectError(note.error, { kind: 'timeout', phase: 'command' }, 'the message');
      expectEqual([origin?.sent, origin?.address, connection.closed], [true, address, false], 'sent, address, closed');
      const usable = connection.detach(stop());
      answer({ n: 1, ok: 1 });
      expectEqual(await usable, true, 'whether it can be used again');
      connection.start(next, Infinity);
      await clock.sleep(3);
      expectEqual(note.heard, ['timeout', 'late', { n: 1, ok: 1 }], 'heard');
      expectEqual(next.heard, [{ ok: 1 }, 'end'], 'heard by the next');
    },
  ),
  one(
    'ConnectionOptions.socketTimeoutMS: limits a command without a deadline of its own, but not those of monitors',
    async bench => {
      const { create, clock } = bench;
      const open = create({ socketTimeoutMS: 50 });
      const [plain, own, monitoring] = [noteOf(), noteOf(), noteOf()];
      await startUnanswered(bench, await open(), plain);
      await startUnanswered(bench, await open({ id: 2 }), own, clock.now() + 200);
      await startUnanswered(bench, await open({ use: 'monitor' }), monitoring);
      await clock.sleep(100);
      expectEqual([plain.heard, own.heard, monitoring.heard], [['timeout'], [], []], 'heard');
    },
  ),
  one(
    'Connection.detach: the message fails at once with the error, and the promise resolves when the late reply was read',
    async bench => {
      const { create, clock } = bench;
      const connection = await create()();
      expectEqual(connection.detach(stop()), true, 'a connection that is free');
      const note = noteOf();
      const answer = await startUnanswered(bench, connection, note);
      const error = stop();
      const from = clock.now();
      const usable = connection.detach(error);
      expectTrue(note.error === error, 'the error of the message');
      await clock.sleep(10);
      answer({ ok: 1 });
      expectEqual([await usable, clock.now() - from, connection.closed], [true, 11, false], 'usable, after, closed');
    },
  ),
  one('ConnectionOptions.drainLimit: a late reply that takes longer closes the connection', async bench => {
    const { create, clock, server } = bench;
    const connection = await create({ drainLimit: 30 })();
    await startUnanswered(bench, connection, noteOf());
    const from = clock.now();
    expectEqual(await connection.detach(stop()), false, 'whether it can be used again');
    expectEqual([clock.now() - from, connection.closed], [30, true], 'time, closed');
    expectEqual(connection.detach(stop()), false, 'whether a closed connection can be used again');
    await clock.sleep(3);
    expectEqual(server.open, 0, 'open connections');
  }),
  one(
    'Connection.close: fails the message in progress with the cause; later messages fail as network and are not sent',
    async bench => {
      const { create, clock, server } = bench;
      const connection = await create()();
      const [note, next] = [noteOf(), noteOf()];
      await startUnanswered(bench, connection, note);
      const cause = stop();
      connection.close(cause);
      connection.close();
      expectTrue(note.error === cause, 'the error of the message');
      connection.start(next, Infinity);
      const { origin } = expectError(next.error, { kind: 'network' }, 'a message for a closed connection');
      await clock.sleep(3);
      expectEqual([origin?.sent, connection.closed, server.open], [false, true, 0], 'sent, closed, open connections');
      expectEqual(note.heard, ['aborted'], 'heard');
    },
  ),
  one('ConnectOptions.ended: called once if the connection closes while it is idle, and only then', async bench => {
    const { create, clock, server } = bench;
    let ended = 0;
    const open = create();
    const how = { ended: (): void => void (ended += 1) };
    const idle = await open(how);
    server.asked.at(-1)?.hangUp();
    await clock.sleep(3);
    expectEqual([idle.closed, ended], [true, 1], 'an idle connection that the server closes: closed, ended');
    idle.close();
    expectEqual(ended, 1, 'after it was closed again');
    (await open(how)).close();
    expectEqual(ended, 2, 'an idle connection that is closed here');
    const busy = await open(how);
    await startUnanswered(bench, busy, noteOf());
    busy.close();
    server.greet = asked => asked.hangUp();
    await expectRejection(open(how), { kind: 'network' }, 'a server that hangs up');
    expectEqual(ended, 2, 'a busy connection, and one without a hello');
  }),
  one('Connection: a server that closes the connection fails the message as network, with `sent`', async bench => {
    const { create, clock, server } = bench;
    const connection = await create()();
    const note = noteOf();
    server.serve = asked => asked.hangUp();
    connection.start(note, Infinity);
    await clock.sleep(3);
    const { origin } = expectError(note.error, { kind: 'network', phase: 'command' }, 'the message');
    const found = [origin?.sent, origin?.address, origin?.maxWireVersion, origin?.hasSessions, connection.closed];
    expectEqual(found, [true, address, 25, true, true], 'the origin, closed');
  }),
  one(
    'Connection: bytes that are not the reply to the command fail the message as protocol and close the connection',
    async bench => {
      const { create, clock, server } = bench;
      const open = create();
      const rubbish = new Uint8Array(20);
      const [otherReply, noMessage] = ['the reply to another request', 'bytes that are no message'];
      for (const what of [otherReply, noMessage]) {
        const connection = await open();
        const hello = server.asked.at(-1)!;
        server.serve = asked => {
          if (what === otherReply) hello.reply({ ok: 1 });
          else asked.send(rubbish);
        };
        const note = noteOf();
        connection.start(note, Infinity);
        await clock.sleep(3);
        expectError(note.error, { kind: 'protocol' }, what);
        expectEqual(connection.closed, true, what);
      }
    },
  ),
  one('Connection.command: resolves with the reply, and rejects as server for ok: 0', async bench => {
    const { create, clock, server } = bench;
    const connection = await create()();
    expectEqual(await connection.command('admin', { ping: 1 }, Infinity), { ok: 1 }, 'the reply');
    expectEqual(server.asked.at(-1)?.command, { ping: 1, $db: 'admin' }, 'the command');
    server.serve = asked => asked.reply({ ok: 0, code: 20, codeName: 'No', errmsg: 'no', errorLabels: ['A'] });
    const refused = connection.command('admin', { ping: 1 }, Infinity);
    const error = await expectRejection(refused, { kind: 'server', phase: 'command' }, 'ok: 0');
    expectEqual([error.code, error.codeName, error.labels], [20, 'No', ['A']], 'code, name and labels');
    server.serve = () => undefined;
    const late = connection.command('admin', { ping: 1 }, clock.now() + 20);
    await expectRejection(late, { kind: 'timeout', phase: 'command' }, 'a command without a reply');
  }),
  one('Connection.command: with many replies, receives each and resolves with the last', async bench => {
    const { create, server } = bench;
    const connection = await create()();
    server.serve = asked => {
      asked.reply({ n: 1, ok: 1 }, true);
      asked.reply({ n: 2, ok: 1 });
    };
    const heard: Document[] = [];
    const many = { limit: Infinity, received: (reply: Document): void => void heard.push(reply) };
    const last = { n: 2, ok: 1 };
    expectEqual(await connection.command('admin', { ping: 1 }, Infinity, many), last, 'the answer');
    expectEqual(heard, [{ n: 1, ok: 1 }, last], 'heard');
  }),
];

const eventsOf = (events: readonly DriverEvent[]): readonly string[] => events.map(({ name }) => name);

/** Rule: Command Logging and Monitoring. */
export const commandEvents = (one: ConnectCase): readonly ContractCase[] => [
  one('Command Logging and Monitoring: each command has an event when it starts and one when it ends', async bench => {
    const { create, clock, server, recorder } = bench;
    const connection = await create()({ id: 3 });
    expectEqual(eventsOf(recorder.events), [], 'events of the handshake');
    connection.start(noteOf(), Infinity);
    await clock.sleep(3);
    server.serve = asked => asked.reply({ ok: 0, code: 20, errmsg: 'no' });
    connection.start(noteOf(), Infinity);
    await clock.sleep(3);
    connection.start(noteOf({ insert: 'users' }, { answer: 'none' }), Infinity);
    server.serve = asked => asked.hangUp();
    connection.start(noteOf(), Infinity);
    await clock.sleep(3);
    const outcomes = ['Succeeded', 'Failed', 'Succeeded', 'Failed'];
    const names = outcomes.flatMap(outcome => ['commandStarted', `command${outcome}`]);
    expectEqual(eventsOf(recorder.events), names, 'events');
    const [started, succeeded, , failed, , unanswered, , lost] = recorder.events;
    const requestId = server.asked[1]?.id;
    const common = {
      ...{ address, connectionId: 3, serverConnectionId: 77n, serviceId: undefined, requestId, operationId: 5 },
      ...{ databaseName: 'db', commandName: 'ping' },
    };
    expectEqual(started, { name: 'commandStarted', ...common, command: { ping: 1, $db: 'db' } }, 'the first event');
    expectEqual(succeeded, { name: 'commandSucceeded', ...common, duration: 2, reply: { ok: 1 } }, 'the second event');
    if (failed?.name === 'commandFailed') expectError(failed.failure, { kind: 'server' }, 'the failure of ok: 0');
    if (unanswered?.name === 'commandSucceeded') expectEqual(unanswered.reply, { ok: 1 }, 'without an answer');
    if (lost?.name === 'commandFailed') expectError(lost.failure, { kind: 'network' }, 'the failure of a lost one');
  }),
  one('Command Logging and Monitoring "Security": events of commands with secrets show none of them', async bench => {
    const { create, clock, server, recorder } = bench;
    const connection = await create()();
    for (const reply of [
      { ok: 1, payload: 'pencil' },
      { ok: 0, code: 18, errmsg: 'pencil' },
    ]) {
      server.serve = asked => asked.reply(reply);
      connection.start(noteOf({ saslStart: 1, payload: 'pencil' }), Infinity);
      await clock.sleep(3);
    }
    const shown = recorder.events.map(event => {
      if (event.name === 'commandStarted') return event.command;
      if (event.name === 'commandSucceeded') return event.reply;
      return event.name === 'commandFailed' && event.failure.message.includes('pencil');
    });
    expectEqual(shown, [{}, {}, {}, false], 'the commands, the reply, whether the failure contains the secret');
  }),
  one('EventSink.wants: only wanted events are emitted, and none for monitors', async bench => {
    const { create, clock, recorder } = bench;
    const emitted: string[] = [];
    const picky = {
      wants: (name: string): boolean => name === 'commandSucceeded',
      emit: ({ name }: DriverEvent): void => void emitted.push(name),
    };
    (await create({}, { events: picky })()).start(noteOf(), Infinity);
    (await create()({ use: 'monitor' })).start(noteOf(), Infinity);
    await clock.sleep(3);
    expectEqual([emitted, recorder.events.length], [['commandSucceeded'], 0], 'emitted, events of a monitor');
  }),
];
