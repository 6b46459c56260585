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

/** The result of killing a server repeatedly. */
export interface KillResult {
  readonly kills: number;
  /** Writes that were acknowledged with `j: true`. */
  readonly acknowledged: number;
  /** The faults found, one sentence each. */
  readonly wrong: readonly string[];
  /** The lines that the server wrote to standard error at its starts. */
  readonly reports: readonly string[];
}

/** The command that starts the built `tessera-server`. */
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
  throw new Error(`The server exited before it was ready: ${reports.join(' ')}`);
};

/** A writer and the number of its writes. */
interface Writer {
  readonly id: number;
  /** Acknowledged writes. */
  done: number;
}

interface Row {
  readonly _id: number;
  readonly n: number;
  readonly steps: readonly number[];
}

/** Writes until the server is killed. Each write appends the next number to the writer's document. */
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

/** Checks that a document has every acknowledged write, at most one more, and no partial write. */
const faultOf = (row: Row | undefined, { id, done }: Writer): string | undefined => {
  const n = row?.n ?? 0;
  const steps = row?.steps ?? [];
  if (n !== done && n !== done + 1) return `Writer ${id}: ${done} writes were acknowledged, but the document has ${n}.`;
  if (steps.length !== n || steps.some((step, i) => step !== i + 1))
    return `Writer ${id}: the document has ${n} writes, but the steps ${steps.join(' ')}.`;
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

const killServer = async ({ child }: Running): Promise<void> => {
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
};

/** Kills the server after the given number of acknowledged writes, while other writes are in progress. */
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
      if (left === 0) killServer(server).then(resolve, reject);
    };
    void Promise.all(writers.map(writer => write(rows, writer, acknowledged))).then(() => {
      if (left > 0) reject(new Error(`The server stopped accepting writes ${left} writes too early.`));
    });
  });
  await killed;
};

/**
 * Kills a server repeatedly during writes with `j: true`. After each restart, checks that it has every acknowledged
 * write.
 * @param command starts a `tessera-server`
 */
export const killAndVerify = async (command: readonly string[], kills: number): Promise<KillResult> => {
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
    if (running !== undefined) await killServer(running);
    rmSync(folder, { recursive: true, force: true });
  }
  return { kills, acknowledged, wrong, reports };
};
