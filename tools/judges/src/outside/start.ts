import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { messageOf } from '@tessera-tools/house';
import type { Engine, TlsFiles } from './engine.js';
import { engines } from './engines.js';
import type { EngineName } from './engines.js';
import { compiled, kept as keptFolder } from '../folders.js';
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
  /** Speaks TLS, and nothing else. Whom to trust is not in its connection string. */
  readonly tls?: TlsFiles;
  /** Makes users, while nobody is asked for a password; then it is started again, and everybody is. Only of an engine that asks at all. */
  readonly users?: (uri: string) => Promise<void>;
  /** Gives up installing and starting. */
  readonly signal?: AbortSignal;
}

/** Milliseconds from the start to its first words. */
const patience = 60_000;

// Built, also when this file is not: the keeper is a process.
const keeperFile = compiled(join('outside', 'keeper.js'));

function newFolder(name: string): string {
  const parent = join(keptFolder, 'data');
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, `${name}-`));
}

interface Kept {
  /** The port of its next start. */
  readonly nextPort: () => Promise<number>;
  /** Ends it in peace, and starts it with these arguments on the same data. */
  readonly startAgain: (args: readonly string[]) => void;
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
  let started: (port: number) => void = () => undefined;
  createInterface({ input: keeper.stdout }).on('line', line => {
    const told = JSON.parse(line) as Told;
    if ('port' in told) started(told.port);
    else reason = told.ended;
  });
  keeper.stdin.on('error', () => undefined);
  return {
    nextPort: () =>
      new Promise((resolve, reject) => {
        started = resolve;
        exit.then(() => reject(new Error(reason ?? 'it was stopped')), reject);
      }),
    startAgain: withArgs => keeper.stdin.write(`${JSON.stringify(withArgs)}\n`),
    ended: () => reason,
    stop: async () => {
      keeper.stdin.end();
      await exit;
    },
  };
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

const addressOf = (port: number, queries: readonly string[]): string => {
  const query = queries.filter(part => part !== '').join('&');
  return `mongodb://127.0.0.1:${port}/${query === '' ? '' : `?${query}`}`;
};

/** Starts it, and once more if there are users. @returns its connection string */
async function bringUp(kept: Kept, engine: Engine, args: readonly string[], options: EngineOptions): Promise<string> {
  const { standalone = false, tls, users, signal } = options;
  const { query } = engine.persona(standalone);
  const first = await soon(kept.nextPort(), signal);
  if (users === undefined) return addressOf(first, [query, tls === undefined ? '' : 'tls=true']);
  await users(addressOf(first, [query]));
  kept.startAgain([...args, ...engine.auth!, ...(tls === undefined ? [] : engine.tls(tls))]);
  return addressOf(await soon(kept.nextPort(), signal), [query, tls === undefined ? '' : 'tls=true']);
}

/**
 * Installs an engine on first use, and starts it.
 * @throws Unavailable if what it needs is missing on this machine, Error if it does not start, RangeError for users of an engine that
 * has none
 */
export async function startEngine(name: EngineName, options: EngineOptions = {}): Promise<RunningEngine> {
  const { standalone = false, tls, users, signal } = options;
  const engine = engines[name];
  if (users !== undefined && engine.auth === undefined) throw new RangeError(`${name} never asks for a password.`);
  const installed = await engine.install(signal);
  const args = [...installed.args, ...engine.persona(standalone).args];
  const firstArgs = tls === undefined || users !== undefined ? args : [...args, ...engine.tls(tls)];
  const kept = keep(newFolder(name), installed.file, firstArgs);
  let uri: string;
  try {
    uri = await bringUp(kept, engine, args, options);
  } catch (error) {
    await kept.stop();
    if (signal?.aborted === true) throw error;
    throw new Error(`${name} did not start: ${messageOf(error)}`, { cause: error });
  }
  const stopAloud = async (): Promise<void> => {
    await kept.stop();
    const reason = kept.ended();
    if (reason !== undefined) throw new Error(`${name} ended by itself: ${reason}`);
  };
  return { name, uri, stop: stopAloud, [Symbol.asyncDispose]: stopAloud };
}
