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
import type { KeeperMessage } from './keeper.js';

/** A running engine on a free port of this machine, with its own data. */
export interface RunningEngine extends AsyncDisposable {
  readonly name: string;
  /** A connection string for any driver, such as `mongodb://127.0.0.1:54321/`. */
  readonly uri: string;
  /**
   * Kills the engine and all its processes, and removes its data.
   * @throws Error with the end of its output if the engine had ended on its own
   */
  stop(): Promise<void>;
}

export interface EngineOptions {
  /** Whether to start without a replica set, if the engine supports one. */
  readonly standalone?: boolean;
  /** Accepts only TLS. The connection string does not contain the trusted authority. */
  readonly tls?: TlsFiles;
  /**
   * Creates users while no authentication is required. The engine is then restarted with authentication. Requires an
   * engine that supports authentication.
   */
  readonly users?: (uri: string) => Promise<void>;
  /** Aborts the installation and the start. */
  readonly signal?: AbortSignal;
}

/** How long an engine may take to listen, in milliseconds. */
const patience = 60_000;

// The compiled file, because the keeper runs in its own process.
const keeperFile = compiled(join('outside', 'keeper.js'));

function newFolder(name: string): string {
  const parent = join(keptFolder, 'data');
  mkdirSync(parent, { recursive: true });
  return mkdtempSync(join(parent, `${name}-`));
}

interface Kept {
  /** Returns the port of the next start. */
  readonly nextPort: () => Promise<number>;
  /** Ends the engine with SIGTERM, and starts it with these arguments on the same data. */
  readonly startAgain: (args: readonly string[]) => void;
  /** Returns why the engine ended on its own, or undefined if it did not. */
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
    const message = JSON.parse(line) as KeeperMessage;
    if ('port' in message) started(message.port);
    else reason = message.ended;
  });
  keeper.stdin.on('error', () => undefined);
  return {
    nextPort: () =>
      new Promise((resolve, reject) => {
        started = resolve;
        exit.then(() => reject(new Error(reason ?? 'The engine was stopped.')), reject);
      }),
    startAgain: withArgs => keeper.stdin.write(`${JSON.stringify(withArgs)}\n`),
    ended: () => reason,
    stop: async () => {
      keeper.stdin.end();
      await exit;
    },
  };
}

/** Returns the result of the promise, unless the time limit passes or the signal aborts first. */
async function soon<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  const late = AbortSignal.timeout(patience);
  const over = AbortSignal.any(signal === undefined ? [late] : [late, signal]);
  over.throwIfAborted();
  return Promise.race([
    promise,
    once(over, 'abort').then(() => {
      throw signal?.aborted === true
        ? (signal.reason as Error)
        : new Error(`The engine printed no port within ${patience} ms.`);
    }),
  ]);
}

const addressOf = (port: number, queries: readonly string[]): string => {
  const query = queries.filter(part => part !== '').join('&');
  return `mongodb://127.0.0.1:${port}/${query === '' ? '' : `?${query}`}`;
};

/** Starts the engine, and restarts it with authentication if there are users. Returns the connection string. */
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
 * @throws Unavailable if a program that the engine needs is missing on this machine
 * @throws Error if the engine does not start
 * @throws RangeError if users are given for an engine without authentication
 */
export async function startEngine(name: EngineName, options: EngineOptions = {}): Promise<RunningEngine> {
  const { standalone = false, tls, users, signal } = options;
  const engine = engines[name];
  if (users !== undefined && engine.auth === undefined)
    throw new RangeError(`${name} does not support authentication, so it cannot have users.`);
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
    if (reason !== undefined) throw new Error(`${name} ended on its own: ${reason}`);
  };
  return { name, uri, stop: stopAloud, [Symbol.asyncDispose]: stopAloud };
}
