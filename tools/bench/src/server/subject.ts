import { fork } from 'node:child_process';
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

const program = fileURLToPath(new URL('embedded.js', import.meta.url));

const portOf = (uri: string): number => Number(new URL(uri).port);

/** @throws Error if it does not come up. */
export const startEmbedded = async (): Promise<Embedded> => {
  const child = fork(program, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: ['--expose-gc'] });
  const [uri] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`The embedded server ended with exit code ${String(code)} before it was ready`);
    }),
  ])) as [string];
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
