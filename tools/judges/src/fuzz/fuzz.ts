import type { Document } from 'bson';
import type { Case } from './cases.js';
import { caseOf } from './cases.js';
import type { Corpus } from './corpus/corpus.js';
import { documentOf } from './judge.js';
import { frameOfCommand } from './message.js';
import { openWatch, playCase } from './play.js';
import type { Served } from './served.js';
import type { Subject, Target, Violation } from './target.js';
import { startTarget } from './target.js';
import { openClient } from './wire-client.js';

/** The number of cases that run on one server. */
export const perServer = 500;

/** The bytes that a server may hold in addition after all data and sessions are removed. */
const mostLeft = 48_000_000;

/** Abandoned cursors time out soon. */
export const parameters = { cursorTimeoutMillis: 1_000, clientCursorMonitorFrequencySecs: 1 };

const servers: readonly Served[] = [
  { replicaSet: 'rs0', parameters },
  { parameters },
  { topology: 'sharded', shards: 2, mongoses: 1, parameters },
  { version: '5.0', parameters },
  { topology: 'replicaset', members: 3, parameters },
];

export const optionsOf = (epoch: number): Served => servers[epoch % servers.length]!;

/** Removes everything that a server may keep: data, and the resources of sessions. */
const clear = async (target: Target): Promise<void> => {
  const client = await openClient(target.port);
  const ask = (command: Document, database = 'admin') => client.ask(frameOfCommand(command, database));
  // Transactions end first, because an open transaction blocks dropDatabase.
  await ask({ killAllSessions: [] });
  const reply = await ask({ listDatabases: 1 });
  const listed = (reply && documentOf(reply)['databases']) as readonly { readonly name: string }[] | undefined;
  for (const { name } of listed ?? [])
    if (!['admin', 'local', 'config'].includes(name)) await ask({ dropDatabase: 1 }, name);
  client.close();
  // Abandoned cursors time out on their own.
  await new Promise(resolve => setTimeout(resolve, 2 * parameters.cursorTimeoutMillis));
};

/** Returns a violation if the server holds too much memory, although everything was removed. */
export const memoryHeld = async (target: Target, before: number): Promise<Violation | undefined> => {
  let left = Infinity;
  // Buffers of sockets are released when the system reports their end.
  for (let i = 0; i < 20 && left > mostLeft; i++) {
    await new Promise(resolve => setTimeout(resolve, i === 0 ? 0 : 250));
    left = (await target.status()).held - before;
  }
  return left > mostLeft
    ? { kind: 'memory', what: `${Math.round(left / 1e6)} MB are still held after all data and sessions were removed` }
    : undefined;
};

/** Removes everything, and returns a violation if the server holds too much memory. */
export const memoryLeft = async (target: Target, before: number): Promise<Violation | undefined> => {
  await clear(target);
  return memoryHeld(target, before);
};

export interface Found {
  readonly violation: Violation;
  readonly options: Subject;
  /** All cases that this server received, in order. The last one caused the violation. */
  readonly cases: readonly Case[];
}

/**
 * Plays cases on a new server.
 * @param goesOn returns whether there is time for another case
 */
export const playAll = async (
  options: Subject,
  cases: Iterable<Case>,
  goesOn: () => boolean,
): Promise<{ readonly played: number; readonly found: Found | undefined }> => {
  const target = await startTarget(options);
  const sent: Case[] = [];
  try {
    const before = (await target.status()).held;
    const watch = await openWatch(target);
    for (const one of cases) {
      if (!goesOn()) break;
      sent.push(one);
      const violation = await playCase(target, watch, one);
      if (violation !== undefined) return { played: sent.length, found: { violation, options, cases: sent } };
    }
    watch.close();
    const violation = await memoryLeft(target, before);
    return { played: sent.length, found: violation && { violation, options, cases: sent } };
  } finally {
    await target.stop();
  }
};

export const casesOf = function* (seed: number, epoch: number, corpus: Corpus): Generator<Case> {
  for (let i = 0; i < perServer; i++) yield caseOf(seed, epoch * perServer + i, corpus);
};
