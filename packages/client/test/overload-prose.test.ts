/**
 * The prose tests of Client Backpressure, and those of Retryable Reads and Writes with overloaded servers or several
 * errors.
 */
import { MongoClient, MongoServerError } from '@tessera/client';
import type { Collection, Db, MongoClientOptions, Parts } from '@tessera/client';
import type { Document, Millis } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';

const overload = ['SystemOverloadedError', 'RetryableError'];
const refusal = (code: number, labels: readonly string[] = overload, more: Document = {}): Document => ({
  ...{ ok: 0, code, errmsg: `code ${code}`, errorLabels: labels },
  ...more,
});
const overloaded = refusal(462);

interface Replies {
  readonly hellos?: readonly Document[];
  /** The replies to the application's commands, in order. The last one repeats. */
  readonly answers: readonly Document[];
  readonly query?: string;
  readonly options?: MongoClientOptions;
  readonly parts?: Partial<Parts>;
  /** The random number between 0 and 1 that determines the jitter. */
  readonly unit?: number;
}

interface Outcome {
  /** The hosts that received the application's commands. */
  readonly sentTo: readonly string[];
  readonly commands: readonly Document[];
  readonly lasted: Millis;
  readonly error: MongoServerError | undefined;
}

const member = { setName: 'rs', setVersion: 1, hosts: ['db1:27017'] };
const pair = { ...member, hosts: ['db1:27017', 'db2:27017'] };
const twoMembers = [pair, { ...pair, isWritablePrimary: false, secondary: true }];

/** Runs the program against servers with these replies. Throws every error that does not come from a server. */
const runTest = async (
  replies: Replies,
  program: (films: Collection, db: Db) => Promise<unknown>,
): Promise<Outcome> => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) });
  const { clock, random } = world.runtime;
  const { hellos = [member], answers, query = '', options = {}, parts = {}, unit = 0.5 } = replies;
  const sentTo: string[] = [];
  const commands: Document[] = [];
  let error: MongoServerError | undefined;
  let lasted = 0;
  await world.run(async () => {
    const servers = await Promise.all(
      hellos.map((hello, index) =>
        scriptServer(world, `db${index + 1}:27017`, command => {
          if (isHello(command)) return { ...HELLO, ...hello };
          if (['ping', 'endSessions', 'killCursors'].some(name => name in command)) return {};
          sentTo.push(`db${index + 1}`);
          commands.push(command);
          return answers[Math.min(commands.length, answers.length) - 1]!;
        }),
      ),
    );
    const runtime = { ...world.runtime, random: { ...random, unit: () => unit } };
    const hosts = hellos.map((_, index) => `db${index + 1}`).join();
    const client = new MongoClient(`mongodb://${hosts}/?replicaSet=rs${query}`, options, { runtime, parts });
    await client.connect();
    await clock.sleep(100);
    const began = clock.now();
    try {
      await program(client.db('test').collection('films'), client.db('test'));
    } catch (failure) {
      if (!(failure instanceof MongoServerError)) throw failure;
      error = failure;
    }
    lasted = Math.round(clock.now() - began);
    await client.close();
    for (const server of servers) await server.close();
    await clock.sleep(2000);
  });
  expect(world.leftovers()).toEqual([]);
  return { sentTo, commands, lasted, error };
};

const found = { cursor: { id: 0n, ns: 'test.films', firstBatch: [] } };
const find = (films: Collection): Promise<unknown> => films.findOne({});
const insert = (films: Collection): Promise<unknown> => films.insertOne({ a: 1 });

/** Returns the time that retries waited, without the network latency. */
const waited = ({ lasted }: Outcome): number => Math.floor(lasted / 10) * 10;

describe('an overloaded server', () => {
  test('Client Backpressure, prose test 1: retries wait, with increasing backoff', async () => {
    const none = await runTest({ answers: [overloaded], unit: 0 }, insert);
    const full = await runTest({ answers: [overloaded], unit: 1 }, insert);
    expect([none.error?.code, full.error?.code]).toEqual([462, 462]);
    expect(waited(full) - waited(none)).toBe(600);
  });

  test('Client Backpressure, prose test 3: an operation is retried MAX_RETRIES times', async () => {
    const { commands, error } = await runTest({ answers: [overloaded] }, find);
    expect(commands).toHaveLength(3);
    expect(error?.errorLabels).toEqual(overload);
  });

  test('Client Backpressure, prose test 4: an operation is retried maxAdaptiveRetries times', async () => {
    const one = await runTest({ answers: [overloaded], query: '&maxAdaptiveRetries=1' }, find);
    expect([one.commands.length, one.error?.code, one.error?.errorLabels]).toEqual([2, 462, overload]);
    const none = await runTest({ answers: [overloaded], options: { maxAdaptiveRetries: 0 } }, find);
    expect([none.commands.length, none.error?.code, none.error?.errorLabels]).toEqual([1, 462, overload]);
  });

  test('Client Backpressure, prose test 5: the reply sets the base of the backoff', async () => {
    const commandsOf = (baseBackoffMS: unknown) => ({ answers: [refusal(462, overload, { baseBackoffMS })], unit: 1 });
    const seen: unknown[] = [];
    for (const base of [50, 400, 1e12, -100, '400', Number.NaN]) {
      const outcome = await runTest(commandsOf(base), find);
      seen.push([waited(outcome), outcome.error?.code, outcome.error?.errorLabels]);
    }
    expect(seen).toEqual([300, 2400, 20_000, 600, 600, 600].map(wait => [wait, 462, overload]));
  });

  test('invalid labels and codes cause no retry', async () => {
    for (const errorLabels of ['SystemOverloadedError, RetryableError', { 0: overload[0], 1: overload[1] }, 7, null])
      expect((await runTest({ answers: [{ ...overloaded, errorLabels }] }, find)).commands).toHaveLength(1);
    expect((await runTest({ answers: [{ ...refusal(0, []), code: 'ninety-one' }] }, find)).commands).toHaveLength(1);
  });

  test('every command is retried, including getMore, writes of many documents and commands of the application', async () => {
    const first = { cursor: { id: 7n, ns: 'test.films', firstBatch: [{ a: 1 }] } };
    const last = { cursor: { id: 0n, ns: 'test.films', nextBatch: [{ a: 2 }] } };
    const read = await runTest({ answers: [first, overloaded, last] }, films =>
      expect(films.find().toArray()).resolves.toEqual([{ a: 1 }, { a: 2 }]),
    );
    expect(read.commands.map(command => Object.keys(command)[0])).toEqual(['find', 'getMore', 'getMore']);
    const write = await runTest({ answers: [overloaded, { n: 3 }] }, films => films.deleteMany({}));
    expect([write.commands.length, write.error]).toEqual([2, undefined]);
    const command = await runTest({ answers: [overloaded, {}] }, (_, db) => db.command({ buildInfo: 1 }));
    expect([command.commands.length, command.error]).toEqual([2, undefined]);
  });

  test('Retryable Writes, "Behavioral Changes": each attempt of a write has the same lsid and txnNumber', async () => {
    const { commands, error } = await runTest({ answers: [overloaded, overloaded, { n: 1 }] }, insert);
    const identity = commands.map(({ lsid, txnNumber }) => [lsid, txnNumber]);
    expect([error, identity]).toEqual([undefined, Array(3).fill(identity[0])]);
    expect(identity[0]![1]).toBe(1);
  });
});

describe('the server of a retried read', () => {
  const query = '&readPreference=primaryPreferred';
  const answers = [refusal(6), found];

  test('Retryable Reads, prose test 3.1: with enableOverloadRetargeting, a read is retried on another member after overload', async () => {
    const { sentTo, error } = await runTest(
      { hellos: twoMembers, answers, query: `${query}&enableOverloadRetargeting=true` },
      find,
    );
    expect([sentTo, error]).toEqual([['db1', 'db2'], undefined]);
  });

  test('Retryable Reads, prose test 3.3: without enableOverloadRetargeting, a read is retried on the same member after overload', async () => {
    const { sentTo, error } = await runTest({ hellos: twoMembers, answers, query }, find);
    expect([sentTo, error]).toEqual([['db1', 'db1'], undefined]);
  });
});

describe('the number and backoff of retries after several errors', () => {
  const codes = (...labelled: readonly (readonly [code: number, labels: readonly string[]])[]): readonly Document[] =>
    labelled.map(([code, labels]) => refusal(code, labels));
  const reading = ['RetryableError'];
  const writing = ['RetryableError', 'RetryableWriteError'];

  test('Retryable Reads, prose test 4: after an overload error, MAX_RETRIES limits all retries of a read', async () => {
    const { commands, error } = await runTest({ answers: codes([91, overload], [91, reading]) }, find);
    expect([commands.length, error?.code, error?.errorLabels]).toEqual([3, 91, reading]);
  });

  test('Retryable Writes, prose test 6.4: after an overload error, MAX_RETRIES limits all retries of a write', async () => {
    const { commands, error } = await runTest({ answers: codes([91, overload], [91, writing]) }, insert);
    expect([commands.length, error?.code, error?.errorLabels]).toEqual([3, 91, writing]);
  });

  test.each<readonly [title: string, run: typeof find, labels: readonly string[]]>([
    ['Retryable Reads, prose test 5: a read', find, reading],
    ['Retryable Writes, prose test 6.5: a write', insert, writing],
  ])('%s waits after an overload error, and after no other', async (_, run, labels) => {
    const { commands, error } = await runTest({ answers: codes([91, overload], [91, labels]), unit: 1 }, run);
    expect([commands.length, error?.code, error?.errorLabels]).toEqual([3, 91, labels]);
    const waits = error?.attempts.map(({ because }) => /after \d+ ms/.exec(because)?.[0]);
    expect(waits).toEqual(['after 200 ms', undefined, undefined]);
    // Code 6 keeps the server known, so server selection takes no time.
    const unreachable = await runTest({ answers: codes([6, overload], [6, labels]), unit: 1 }, run);
    expect([unreachable.commands.length, waited(unreachable), unreachable.error?.code]).toEqual([3, 200, 6]);
  });
});

describe('the thrown error after several attempts', () => {
  const unwritten = [...overload, 'NoWritesPerformed'];
  const raised = async (...answers: readonly Document[]): Promise<readonly unknown[]> => {
    const { error, commands } = await runTest({ answers }, insert);
    return [error?.code, error?.errorLabels, error?.attempts.length, commands.length];
  };

  test('Retryable Writes, prose test 3: is the first of a write concern error and an error with NoWritesPerformed', async () => {
    const labels = ['RetryableWriteError'];
    const concern = { n: 1, writeConcernError: { code: 91, errmsg: 'no' }, errorLabels: labels };
    const emitted = await raised(concern, refusal(10107, [...labels, 'NoWritesPerformed']));
    expect(emitted).toEqual([91, labels, 2, 2]);
  });

  test('Retryable Writes, prose test 6.1: is the newest error if none has NoWritesPerformed', async () => {
    expect(await raised(refusal(91), refusal(10107))).toEqual([10107, overload, 3, 3]);
  });

  test('Retryable Writes, prose test 6.2: is the first error if all have NoWritesPerformed', async () => {
    expect(await raised(refusal(91, unwritten), refusal(10107, unwritten))).toEqual([91, unwritten, 3, 3]);
  });

  test('Retryable Writes, prose test 6.3: is the newest error without NoWritesPerformed if some have it', async () => {
    expect(await raised(refusal(91), refusal(91, unwritten))).toEqual([91, overload, 3, 3]);
  });
});

describe('an error after retries', () => {
  test("has a stack that begins with the caller's line, also after backoff", async () => {
    const readTheFilms = async (films: Collection): Promise<unknown> => {
      const film = await films.findOne({});
      return film;
    };
    const { error, lasted } = await runTest({ answers: [overloaded] }, films => readTheFilms(films));
    expect(lasted).toBeGreaterThan(300);
    expect(String(error?.stack).split('\n')[1]).toMatch(/at (?:async )?readTheFilms .*overload-prose\.test\.ts/);
  });

  test('describes each attempt with its server, duration and the reason for or against a retry', async () => {
    const { error } = await runTest({ answers: [refusal(91), refusal(10107)] }, insert);
    const why = 'The server is overloaded and has not started the command.';
    expect(error?.attempts.map(({ address, server, phase, because }) => [address, server, phase, because])).toEqual([
      ['db1:27017', 'RSPrimary', 'command', `${why} Retry 1 follows after 100 ms.`],
      ['db1:27017', 'RSPrimary', 'command', `${why} Retry 2 follows after 200 ms.`],
      ...[
        ['db1:27017', 'RSPrimary', 'command', `${why} But no retry is left: after an overload error, the limit is 2.`],
      ],
    ]);
    const { error: refused } = await runTest({ answers: [refusal(11000, [])] }, insert);
    expect(refused?.attempts.map(({ because }) => because)).toEqual([
      'Not retried: code 11000 is not a retryable error.',
    ]);
  });
});
