import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { engines } from './engines.js';
import type { EngineName } from './engines.js';
import { kept } from './folders.js';
import type { Told } from './keeper.js';

/** An engine that runs, on a free port of this machine, with data of its own. */
export interface RunningEngine extends AsyncDisposable {
  readonly name: string;
  /** `mongodb://127.0.0.1:54321/`: hand it to any driver. */
  readonly uri: string;
  /** Kills it and all its processes, and removes its data. @throws Error if it had ended by itself, with the last it said */
  stop(): Promise<void>;
}

export interface EngineOptions {
  /** Without a replica set, of an engine that can have one. */
  readonly standalone?: boolean;
  /** Gives up installing and starting. */
  readonly signal?: AbortSignal;
}

/** Milliseconds from the start to its first words. */
const patience = 60_000;

// Built, also when this file is not: the keeper is a process.
const keeperFile = join(import.meta.dirname, '..', 'dist', 'keeper.js');

function newFolder(name: string): string {
  const parent = join(kept, 'data');
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, `${name}-`));
}

interface Kept {
  readonly port: Promise<number>;
  /** Why it ended by itself, when it did. */
  readonly ended: () => string | undefined;
  readonly stop: () => Promise<void>;
}

function keep(data: string, file: string, args: readonly string[]): Kept {
  const keeper = spawn(process.execPath, [keeperFile, data, file, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const exit = once(keeper, 'exit');
  let reason: string | undefined;
  const port = new Promise<number>((resolve, reject) => {
    createInterface({ input: keeper.stdout }).on('line', line => {
      const told = JSON.parse(line) as Told;
      if ('port' in told) resolve(told.port);
      else reason = told.ended;
    });
    exit.then(() => reject(new Error(reason ?? 'it was stopped')), reject);
  });
  keeper.stdin.on('error', () => undefined);
  const stop = async (): Promise<void> => {
    keeper.stdin.end();
    await exit;
  };
  return { port, ended: () => reason, stop };
}

/** Resolves as the promise does, unless the time is over or the signal aborts first. */
async function soon<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const late = AbortSignal.timeout(patience);
  const over = AbortSignal.any(signal === undefined ? [late] : [late, signal]);
  over.throwIfAborted();
  return Promise.race([
    promise,
    once(over, 'abort').then(() => {
      throw signal?.aborted === true
        ? (signal.reason as Error)
        : new Error(`it said nothing of a port within ${patience} ms`);
    }),
  ]);
}

/**
 * Installs an engine on first use, and starts it.
 * @throws Unavailable if what it needs is missing on this machine, Error if it does not start
 */
export async function startEngine(name: EngineName, options: EngineOptions = {}): Promise<RunningEngine> {
  const { standalone = false, signal } = options;
  const engine = engines[name];
  const { file, args } = await engine.install(signal);
  const persona = engine.persona(standalone);
  const { port, ended, stop } = keep(newFolder(name), file, [...args, ...persona.args]);
  let uri: string;
  try {
    uri = `mongodb://127.0.0.1:${await soon(port, signal)}/${persona.query}`;
  } catch (error) {
    await stop();
    if (signal?.aborted === true) throw error;
    throw new Error(`${name} did not start: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  const stopAloud = async (): Promise<void> => {
    await stop();
    const reason = ended();
    if (reason !== undefined) throw new Error(`${name} ended by itself: ${reason}`);
  };
  return { name, uri, stop: stopAloud, [Symbol.asyncDispose]: stopAloud };
}
