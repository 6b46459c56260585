import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '@tessera-tools/house';
import type { Collection } from 'mongodb';
import { MongoClient } from 'mongodb';

/** What the runs of a server that was killed came to. */
export interface Toll {
  readonly kills: number;
  /** Writes that were acknowledged with `j: true`. */
  readonly acknowledged: number;
  /** What is wrong, in sentences. */
  readonly wrong: readonly string[];
  /** What the server reported of its file at its starts. */
  readonly reports: readonly string[];
}

/** Starts the built `tessera-server`. */
export const serverCommand: readonly string[] = [
  process.execPath,
  join(root, 'packages', 'tessera-server', 'dist', 'cli.js'),
];

interface Running {
  readonly child: ChildProcess;
  readonly uri: string;
}

const start = async (command: readonly string[], folder: string, reports: string[]): Promise<Running> => {
  const [program, ...words] = command;
  const child = spawn(program!, [...words, '--port', '0', '--replica-set', 'rs0', '--data', folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  createInterface(child.stderr).on('line', line => reports.push(line));
  const lines = createInterface(child.stdout);
  for await (const line of lines) {
    const [, uri] = /ready at (\S+)/.exec(line) ?? [];
    if (uri !== undefined) return { child, uri };
  }
  throw new Error(`The server ended before it was ready: ${reports.join(' ')}`);
};

/** How often each writer's counter may have been raised. */
interface Writer {
  readonly id: number;
  /** Acknowledged raises. */
  done: number;
}

interface Row {
  readonly _id: number;
  readonly n: number;
  readonly steps: readonly number[];
}

/**
 * Writes until the server is gone; each write appends the next number to its document. Tells of each acknowledged one.
 */
const write = async (rows: Collection<Row>, writer: Writer, acknowledged: () => void): Promise<void> => {
  const one = async (n: number): Promise<boolean> => {
    const change = { $set: { n }, $push: { steps: n } };
    try {
      await rows.updateOne({ _id: writer.id }, change, { upsert: true, writeConcern: { w: 1, journal: true } });
      return true;
    } catch {
      return false;
    }
  };
  while (await one(writer.done + 1)) {
    writer.done += 1;
    acknowledged();
  }
};

/** A document must have what was acknowledged, and at most the one write more that was under way, whole. */
const faultOf = (row: Row | undefined, { id, done }: Writer): string | undefined => {
  const n = row?.n ?? 0;
  const steps = row?.steps ?? [];
  if (n !== done && n !== done + 1) return `writer ${id}: ${done} writes were acknowledged, ${n} are there`;
  if (steps.length !== n || steps.some((step, i) => step !== i + 1))
    return `writer ${id}: the steps of ${n} writes are ${steps.join(' ')}`;
  return undefined;
};

const verify = async (all: Collection<Row>, writers: readonly Writer[], wrong: string[]): Promise<void> => {
  const rows = await all.find().toArray();
  for (const writer of writers) {
    const row = rows.find(({ _id }) => _id === writer.id);
    const fault = faultOf(row, writer);
    if (fault !== undefined) wrong.push(fault);
    writer.done = row?.n ?? 0;
  }
};

const gone = async ({ child }: Running): Promise<void> => {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
};

/** Lets the writers write until so many writes were acknowledged, and then kills the server, whatever is under way. */
const writeAndKill = async (
  server: Running,
  rows: Collection<Row>,
  writers: readonly Writer[],
  after: number,
): Promise<void> => {
  let left = after;
  const killed = new Promise<void>((resolve, reject) => {
    const acknowledged = (): void => {
      left -= 1;
      if (left === 0) gone(server).then(resolve, reject);
    };
    void Promise.all(writers.map(writer => write(rows, writer, acknowledged))).then(() => {
      if (left > 0) reject(new Error(`The server took no more writes when it was still to acknowledge ${left}`));
    });
  });
  await killed;
};

/**
 * Kills a server that writers write to with `j: true`, as often as that, and looks each time what it has when it is started
 * again.
 * @param command that starts a `tessera-server`
 */
export const killAndLook = async (command: readonly string[], kills: number): Promise<Toll> => {
  const folder = mkdtempSync(join(tmpdir(), 'durability-'));
  const writers: readonly Writer[] = Array.from({ length: 4 }, (_, id) => ({ id, done: 0 }));
  const wrong: string[] = [];
  const reports: string[] = [];
  let acknowledged = 0;
  let running: Running | undefined;
  try {
    for (let kill = 0; kill <= kills; kill++) {
      running = await start(command, folder, reports);
      const client = new MongoClient(running.uri, { retryWrites: false, directConnection: true });
      try {
        const rows = client.db('d').collection<Row>('c');
        await verify(rows, writers, wrong);
        if (kill === kills) break;
        const after = 5 + ((kill * 17) % 40);
        await writeAndKill(running, rows, writers, after);
        acknowledged += after;
      } finally {
        await client.close();
      }
    }
  } finally {
    if (running !== undefined) await gone(running);
    rmSync(folder, { recursive: true, force: true });
  }
  return { kills, acknowledged, wrong, reports };
};
