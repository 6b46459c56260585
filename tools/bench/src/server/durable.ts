import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { frameOf } from './frames.js';
import type { Load } from './load.js';
import { openLoad } from './load.js';
import { database, fillPlain } from './rows.js';
import type { Embedded } from './subject.js';
import { startEmbedded } from './subject.js';

/** The figures of a server that keeps its data in a folder. */
export interface Durable {
  readonly documents: number;
  /** The time to insert the documents in batches, in milliseconds. */
  readonly loading: number;
  /** The longest time that a ping took while the server rewrote its file, in milliseconds. */
  readonly pause: number;
  /** The time from the start of a process until it has replied with a document, in milliseconds. */
  readonly reopening: number;
}

const ping = frameOf({ ping: 1, $db: 'admin' });

/** Pings until a condition is met. Returns the longest time of a ping in milliseconds. */
const longestPing = async (load: Load, isDone: () => boolean): Promise<number> => {
  let longest = 0;
  while (!isDone()) {
    const began = performance.now();
    await load.ask(ping);
    longest = Math.max(longest, performance.now() - began);
    await setTimeout(1);
  }
  return longest;
};

/** Changes all documents several times, until the server starts to rewrite its file. */
const outgrow = async (load: Load, rewritten: string): Promise<void> => {
  for (let i = 0; i < 10 && !existsSync(rewritten); i++) {
    const u = { $set: { group: -1 - i } };
    await load.ask(frameOf({ update: 'plain', updates: [{ q: {}, u, multi: true }], $db: database }));
    const end = performance.now() + 2_000;
    while (!existsSync(rewritten) && performance.now() < end) await setTimeout(1);
  }
};

const measureIn = async (folder: string, documents: number): Promise<Durable> => {
  let server: Embedded | undefined = await startEmbedded(folder);
  try {
    const load = await openLoad(server.port, 1);
    const began = performance.now();
    await fillPlain(load, { plain: documents });
    const loading = performance.now() - began;
    const rewritten = join(folder, 'data.new');
    await outgrow(load, rewritten);
    const pause = await longestPing(load, () => !existsSync(rewritten));
    load.close();
    await server.stop();
    server = undefined;
    const restarted = performance.now();
    server = await startEmbedded(folder);
    const again = await openLoad(server.port, 1);
    const { n } = await again.ask(frameOf({ count: 'plain', $db: database }));
    const reopening = performance.now() - restarted;
    again.close();
    if (n !== documents) throw new Error(`The server has ${String(n)} of ${documents} documents.`);
    return { documents, loading, pause, reopening };
  } finally {
    await server?.stop();
  }
};

/** Loads a server with a folder, makes it rewrite its file, and opens the folder again. */
export const measureDurable = async (documents: number): Promise<Durable> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-server-'));
  try {
    return await measureIn(folder, documents);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
