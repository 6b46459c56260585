import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { startEngine } from '@tessera-tools/engines';
import type { EngineName } from '@tessera-tools/engines';
import { listenerOn } from './process.js';

/** A server under measurement, in a process of its own. */
export interface Subject {
  readonly name: string;
  readonly uri: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL('embedded.js', import.meta.url));

/** @throws Error if it does not come up. */
export const startEmbedded = async (name = 'tessera-server', from: string = program): Promise<Subject> => {
  const child = fork(from, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [uri] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`The embedded server ended with exit code ${String(code)} before it was ready`);
    }),
  ])) as [string];
  return {
    name,
    uri,
    pid: child.pid!,
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
  return { name, uri: engine.uri, pid: listenerOn(Number(new URL(engine.uri).port)), stop: () => engine.stop() };
};
