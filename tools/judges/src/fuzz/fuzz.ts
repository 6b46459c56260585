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

/** Cases that meet the same server. */
export const perServer = 500;

/** What may be held once nothing is left that anybody could ask for, in bytes more than in the beginning. */
const mostLeft = 48_000_000;

/** Cursors of nobody end soon. */
export const parameters = { cursorTimeoutMillis: 1_000, clientCursorMonitorFrequencySecs: 1 };

const servers: readonly Served[] = [
  { replicaSet: 'rs0', parameters },
  { parameters },
  { topology: 'sharded', shards: 2, mongoses: 1, parameters },
  { version: '5.0', parameters },
  { topology: 'replicaset', members: 3, parameters },
];

export const optionsOf = (epoch: number): Served => servers[epoch % servers.length]!;

/** Takes away all that may stay by right: data, and what sessions hold. */
const clear = async (target: Target): Promise<void> => {
  const client = await openClient(target.port);
  const ask = (command: Document, database = 'admin') => client.ask(frameOfCommand(command, database));
  // First the transactions: a database is not dropped while one is open.
  await ask({ killAllSessions: [] });
  const reply = await ask({ listDatabases: 1 });
  const listed = (reply && documentOf(reply)['databases']) as readonly { readonly name: string }[] | undefined;
  for (const { name } of listed ?? [])
    if (!['admin', 'local', 'config'].includes(name)) await ask({ dropDatabase: 1 }, name);
  client.close();
  // Cursors of nobody end by themselves.
  await new Promise(resolve => setTimeout(resolve, 2 * parameters.cursorTimeoutMillis));
};

/** What is left behind when all is taken away. */
export const memoryLeft = async (target: Target, before: number): Promise<Violation | undefined> => {
  await clear(target);
  let left = Infinity;
  // What sockets hold goes when the system says that they are gone.
  for (let i = 0; i < 20 && left > mostLeft; i++) {
    await new Promise(resolve => setTimeout(resolve, i === 0 ? 0 : 250));
    left = (await target.status()).held - before;
  }
  return left > mostLeft
    ? { kind: 'memory', what: `${Math.round(left / 1e6)} MB are held when nothing is left to ask for` }
    : undefined;
};

export interface Found {
  readonly violation: Violation;
  readonly options: Subject;
  /** Everything that this server was sent, in order; the last one led to it. */
  readonly cases: readonly Case[];
}

/** Plays cases on a server of their own. @param goesOn whether there is time for another one */
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
