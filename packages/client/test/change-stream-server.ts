/** A primary in a simulated world that answers change streams from a script, and a client that watches it. */
import { MongoClient } from '@tessera/client';
import type { MongoClientOptions } from '@tessera/client';
import { createWorld } from '@tessera/sim';
import { Long } from 'bson';
import type { Document } from 'bson';
import { expect } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';

/** The reply to an aggregate or getMore. After the last one, the server sends none. */
export type Answer = Document | 'hang up' | 'silence';

export interface Respond {
  readonly client: MongoClient;
  /** Every aggregate, getMore and killCursors that the server received, in order. */
  readonly received: readonly Document[];
  /** The names of these commands. */
  names(): readonly string[];
  sleep(duration: number): Promise<void>;
  now(): number;
  /** Errors that became uncaught exceptions. A test that expects some must remove them. */
  readonly uncaught: unknown[];
}

const id = Long.fromNumber(9);

export const change = (data: string, more: Document = {}): Document => ({ _id: { _data: data }, ...more });

export const batch = (changes: readonly Document[], token?: string, more: Document = {}): Document => ({
  cursor: {
    id,
    ns: 'shop.films',
    // Replies to aggregate and getMore differ only in the name of the batch.
    ...{ firstBatch: changes, nextBatch: changes },
    ...(token === undefined ? {} : { postBatchResumeToken: { _data: token } }),
  },
  ...more,
});

export const last = (changes: readonly Document[]): Document => ({
  cursor: { id: Long.ZERO, ns: 'shop.films', firstBatch: changes, nextBatch: changes },
});

export const refusal = (code: number, ...errorLabels: readonly string[]): Document => ({
  ...{ ok: 0, code, errmsg: `error ${code}`, codeName: 'Refused' },
  ...(errorLabels.length === 0 ? {} : { errorLabels }),
});

export const passing = (code = 280): Document => refusal(code, 'ResumableChangeStreamError');

export const stageOf = (command: Document | undefined): Document =>
  (command!['pipeline'] as Document[])[0]!['$changeStream'] as Document;

/** Returns the $changeStream stage of each aggregate, in order. */
export const stagesOf = (received: readonly Document[]): readonly Document[] =>
  received.filter(command => 'aggregate' in command).map(stageOf);

export interface Scenario {
  readonly answers: readonly Answer[];
  readonly kill?: Answer;
  readonly options?: MongoClientOptions;
  readonly hello?: Document;
  readonly query?: string;
}

/** Runs a test with the server and client. Nothing may stay open afterwards. */
export const withScript = async (
  { answers, kill = {}, options = {}, hello = {}, query = 'replicaSet=rs' }: Scenario,
  program: (respond: Respond) => Promise<void>,
): Promise<void> => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) });
  const { clock } = world.runtime;
  const left = [...answers];
  const received: Document[] = [];
  const uncaught: unknown[] = [];
  const startTimer: typeof clock.startTimer = (after, fire, how) =>
    clock.startTimer(
      after,
      () => {
        try {
          fire();
        } catch (error) {
          uncaught.push(error);
        }
      },
      how,
    );
  const names = (): readonly string[] => received.map(command => Object.keys(command)[0]!);
  await world.run(async () => {
    const server = await scriptServer(world, 'db1:27017', command => {
      if (isHello(command)) return { ...HELLO, setName: 'rs', setVersion: 1, hosts: ['db1:27017'], ...hello };
      const isKill = 'killCursors' in command;
      if (!(isKill || 'aggregate' in command || 'getMore' in command)) return {};
      received.push(command);
      return isKill ? kill : (left.shift() ?? 'silence');
    });
    const client = new MongoClient(`mongodb://db1/?retryReads=false&${query}`, options, {
      runtime: { ...world.runtime, clock: { ...clock, startTimer } },
    });
    try {
      await program({ client, received, names, sleep: duration => clock.sleep(duration), now: clock.now, uncaught });
    } finally {
      await client.close();
      await server.close();
    }
    await clock.sleep(2000);
  });
  expect(uncaught).toEqual([]);
  expect(world.leftovers()).toEqual([]);
};
