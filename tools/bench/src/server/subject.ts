import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startEngine } from '@tessera-tools/engines';
import type { EngineName } from '@tessera-tools/engines';
import { listenerOn } from './process.js';

/** A server under measurement, in a process of its own. */
export interface Subject {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The embedded server. */
export interface Embedded extends Subject {
  /** What its process holds, in bytes of heap and of memory outside of it, once garbage is collected. */
  memory(): Promise<number>;
}

const programs = {
  embedded: fileURLToPath(new URL('embedded.js', import.meta.url)),
  ready: fileURLToPath(new URL('ready.js', import.meta.url)),
};

const portOf = (uri: string): number => Number(new URL(uri).port);

/** What a program says first. @throws Error if it ends before */
const firstWord = async <T>(child: ChildProcess): Promise<T> => {
  const [word] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`The embedded server ended with exit code ${String(code)} before it was ready`);
    }),
  ])) as [T];
  return word;
};

/** Milliseconds until three members of a replica set answer, in a new process. @throws Error if they do not come up */
export const timeUntilReady = async (): Promise<number> => {
  const child = fork(programs.ready, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  const milliseconds = await firstWord<number>(child);
  await ended;
  return milliseconds;
};

/** @throws Error if it does not come up. */
export const startEmbedded = async (): Promise<Embedded> => {
  const child = fork(programs.embedded, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: ['--expose-gc'] });
  const uri = await firstWord<string>(child);
  return {
    name: 'tessera-server',
    port: portOf(uri),
    pid: child.pid!,
    memory: async () => {
      const told = once(child, 'message');
      child.send('memory');
      return ((await told) as [number])[0];
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
};

/** A server that nobody here wrote. @throws Unavailable where it cannot be had */
export const startOther = async (name: EngineName): Promise<Subject> => {
  const engine = await startEngine(name);
  const port = portOf(engine.uri);
  return { name, port, pid: listenerOn(port), stop: () => engine.stop() };
};
