import { describe, expect, test } from 'vitest';
import { MongoError } from '@tessera/contracts';
import type { Clock, Document } from '@tessera/contracts';
import { Deadlines } from '../src/deadlines.js';
import { createStage, HandClock, Note, settle } from './stage.js';

const stop = (): MongoError => new MongoError('aborted', 'stop');

describe('deadlines', () => {
  test('a command without a deadline starts no timer', async () => {
    const stage = createStage();
    const { peer, connection } = await stage.open();
    for (let i = 0; i < 5; i++) {
      connection.start(new Note(), Infinity);
      peer.reply({ ok: 1 });
    }
    expect(stage.clock.started).toBe(0);
  });

  test('fails a message exactly at its deadline with a timeout error that says how long it waited', async () => {
    const stage = createStage();
    const { connection } = await stage.open();
    const note = new Note({ find: 'c' });
    connection.start(note, stage.clock.now() + 250);
    stage.clock.advance(249.999);
    expect(note.received).toEqual([]);
    stage.clock.advance(0.001);
    expect([note.error?.kind, note.error?.message]).toEqual([
      'timeout',
      "'find' at db:27017 was not answered within 250 ms.",
    ]);
    expect(note.error?.origin).toMatchObject({ phase: 'command', sent: true, address: 'db:27017' });
    expect(connection.closed).toBe(false);
  });

  test('URI Options, "socketTimeoutMS": limits the reply to a command without a deadline of its own', async () => {
    const stage = createStage({ options: { socketTimeoutMS: 100 } });
    const { connection } = await stage.open();
    const [without, within] = [new Note({ find: 'c' }), new Note()];
    connection.start(without, Infinity);
    stage.clock.advance(99.999);
    expect(without.received).toEqual([]);
    stage.clock.advance(0.001);
    expect([without.error?.kind, without.error?.message, without.error?.origin?.sent]).toEqual([
      'timeout',
      "'find' at db:27017 was not answered within 100 ms.",
      true,
    ]);
    const other = await stage.open({ id: 2 });
    other.connection.start(within, stage.clock.now() + 500);
    stage.clock.advance(499);
    expect(within.received).toEqual([]);
    connection.close();
    other.connection.close();
    expect(stage.clock.armed).toEqual([]);
  });

  test('Server Monitoring, "Socket timeout": each of many replies has its own limit, counted from the previous reply', async () => {
    const stage = createStage();
    const { peer, connection } = await stage.open();
    const received: unknown[] = [];
    const last = connection
      .command('admin', { hello: 1 }, stage.clock.now() + 300, {
        limit: 200,
        received: ({ n }) => void received.push(n),
      })
      .catch((error: unknown) => error);
    stage.clock.advance(299);
    peer.reply({ n: 1, ok: 1 }, { more: true, id: 501 });
    stage.clock.advance(199);
    peer.reply({ n: 2, ok: 1 }, { to: 501, more: true, id: 502 });
    stage.clock.advance(199.999);
    expect(connection.closed).toBe(false);
    stage.clock.advance(0.001);
    expect(await last).toMatchObject({
      kind: 'timeout',
      message: "'hello' at db:27017 was not answered within 200 ms.",
    });
    expect(received).toEqual([1, 2]);
  });

  test('receives each of many replies, and resolves to the last', async () => {
    const stage = createStage();
    const { peer, connection } = await stage.open();
    const received: unknown[] = [];
    const many = { limit: Infinity, received: ({ n }: Document) => void received.push(n) };
    const last = connection.command('admin', { hello: 1 }, Infinity, many);
    peer.reply({ n: 1, ok: 1 }, { more: true, id: 501 });
    peer.reply({ n: 2, ok: 1 }, { to: 501 });
    expect([await last, received]).toEqual([{ n: 2, ok: 1 }, [1, 2]]);
    const refused = connection.command('admin', { hello: 1 }, Infinity, many).catch((error: unknown) => error);
    peer.reply({ ok: 0, errmsg: 'no', code: 1 }, { more: true, id: 503 });
    expect([await refused, received]).toMatchObject([{ kind: 'server', code: 1 }, [1, 2]]);
  });

  test('socketTimeoutMS does not apply to monitors', async () => {
    const stage = createStage({ options: { socketTimeoutMS: 100 } });
    const { connection } = await stage.open({ use: 'monitor' });
    const note = new Note({ hello: 1 });
    connection.start(note, Infinity);
    stage.clock.advance(1000);
    expect(note.received).toEqual([]);
  });

  test('does not send a command whose deadline has passed', async () => {
    const stage = createStage();
    const { peer, connection } = await stage.open();
    const note = new Note();
    connection.start(note, stage.clock.now());
    expect([note.error?.kind, note.error?.origin?.sent, peer.frames]).toEqual(['timeout', false, []]);
    connection.start(new Note(), Infinity);
    expect(peer.frames).toHaveLength(1);
  });

  test('one timer serves many commands and connections, and each expires at its own deadline', async () => {
    const stage = createStage();
    const rooms = [await stage.open(), await stage.open({ id: 2 }), await stage.open({ id: 3 })];
    const begin = stage.clock.now();
    const notes = rooms.map(() => new Note());
    [300, 100, 200].forEach((after, i) => rooms[i]?.connection.start(notes[i]!, begin + after));
    expect(stage.clock.armed).toEqual([begin + 100]);
    const failed: number[] = [];
    for (let t = 50; t <= 350; t += 50) {
      stage.clock.advance(50);
      notes.forEach((note, i) => {
        if (note.error !== undefined && !failed.includes(i)) {
          failed.push(i);
          expect(t).toBe([300, 100, 200][i]);
        }
      });
    }
    expect(failed).toEqual([1, 2, 0]);
  });

  test('a thousand commands that complete in time start one timer, which expires none of them', async () => {
    const stage = createStage();
    const { peer, connection } = await stage.open();
    for (let i = 0; i < 1000; i++) {
      connection.start(new Note(), stage.clock.now() + 10_000);
      stage.clock.advance(0.01);
      peer.reply({ ok: 1 });
      peer.frames.length = 0;
    }
    expect(stage.clock.started).toBe(1);
    stage.clock.advance(20_000);
    expect([connection.closed, stage.clock.armed]).toEqual([false, []]);
  });

  test('the timer does not keep the process alive; the socket does', () => {
    const asked: unknown[] = [];
    const startTimer: Clock['startTimer'] = (after, _, options) => {
      asked.push([after, options]);
      return { cancel: () => undefined };
    };
    const deadlines = new Deadlines({ ...new HandClock(), startTimer } as unknown as Clock);
    deadlines.watch(1100, 1000);
    deadlines.watch(900, 1000);
    expect(asked).toEqual([
      [100, { background: true }],
      [0, { background: true }],
    ]);
  });

  test('no timer is left after all connections are closed', async () => {
    const stage = createStage();
    const { connection } = await stage.open();
    connection.start(new Note(), stage.clock.now() + 100);
    expect(stage.clock.armed).toHaveLength(1);
    connection.close();
    expect(stage.clock.armed).toEqual([]);
  });
});

describe('cancelling keeps the socket open', () => {
  test('detach fails the message at once, skips its late reply, and makes the connection usable again', async () => {
    const stage = createStage();
    const { peer, connection } = await stage.open();
    const [given, next] = [new Note(), new Note({ find: 'c' })];
    connection.start(given, Infinity);
    const error = stop();
    const usable = connection.detach(error);
    expect([given.received, given.error]).toEqual([['fail: aborted'], error]);
    expect(usable).toBeInstanceOf(Promise);
    const early = new Note();
    connection.start(early, Infinity);
    expect(early.error?.message).toContain('is draining');
    peer.reply({ ok: 1, late: true });
    expect(await usable).toBe(true);
    connection.start(next, Infinity);
    peer.reply({ ok: 1 });
    expect([given.received, next.received]).toEqual([['fail: aborted'], [{ ok: 1 }, 'end']]);
    expect(connection.closed).toBe(false);
  });

  test('a timed-out command is drained too, and detach resolves when that is done', async () => {
    const stage = createStage();
    const { peer, connection } = await stage.open();
    const note = new Note();
    connection.start(note, stage.clock.now() + 10);
    stage.clock.advance(10);
    const usable = connection.detach(note.error!);
    peer.reply({ ok: 1 });
    expect(await usable).toBe(true);
    expect(note.received).toEqual(['fail: timeout']);
  });

  test('detach returns a value instead of a promise if no reply is outstanding', async () => {
    const { connection } = await createStage().open();
    expect(connection.detach(stop())).toBe(true);
    connection.close();
    expect(connection.detach(stop())).toBe(false);
  });

  test('closes the connection if the late reply takes longer than drainLimit', async () => {
    const stage = createStage({ options: { drainLimit: 30 } });
    const { peer, connection } = await stage.open();
    connection.start(new Note(), Infinity);
    const usable = connection.detach(stop());
    stage.clock.advance(29);
    expect(connection.closed).toBe(false);
    stage.clock.advance(1);
    expect(await usable).toBe(false);
    await settle();
    expect([connection.closed, peer.destroyed]).toEqual([true, true]);
  });

  test('drainLimit defaults to one second', async () => {
    const stage = createStage();
    const { connection } = await stage.open();
    connection.start(new Note(), Infinity);
    void connection.detach(stop());
    expect(stage.clock.armed).toEqual([stage.clock.now() + 1000]);
  });

  test('detach resolves to false if the connection is lost while draining', async () => {
    const { peer, connection } = await createStage().open();
    connection.start(new Note(), Infinity);
    const [one, other] = [connection.detach(stop()), connection.detach(stop())];
    peer.close();
    expect([await one, await other]).toEqual([false, false]);
  });

  test('skips all outstanding replies of an exhaust command', async () => {
    const { peer, connection } = await createStage().open();
    const note = new Note({ hello: 1 }, { answer: 'many' });
    connection.start(note, Infinity);
    peer.reply({ n: 1 }, { more: true, id: 501 });
    const usable = connection.detach(stop());
    peer.reply({ n: 2 }, { to: 501, more: true, id: 502 });
    peer.reply({ n: 3 }, { to: 502 });
    expect(await usable).toBe(true);
    expect(note.received).toEqual([{ n: 1 }, 'fail: aborted']);
  });

  test('detach waits until an abandoned message without a reply has left the socket', async () => {
    const { peer, connection } = await createStage().open();
    peer.flowing = false;
    const note = new Note({ insert: 'c' }, { answer: 'none' });
    connection.start(note, Infinity);
    const usable = connection.detach(stop());
    peer.sink.drained();
    expect(await usable).toBe(true);
    expect(note.received).toEqual(['fail: aborted']);
  });

  test('an unexpected reply closes the connection also while draining', async () => {
    const { peer, connection } = await createStage().open();
    connection.start(new Note(), Infinity);
    const usable = connection.detach(stop());
    peer.reply({ ok: 1 }, { to: 4711 });
    expect(await usable).toBe(false);
  });
});
