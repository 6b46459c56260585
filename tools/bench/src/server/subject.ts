import { once } from 'node:events';
import { startEngine } from '@tessera-tools/judges';
import type { EngineName } from '@tessera-tools/judges';
import { nextMessage, start } from '../worker-process.js';
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

const portOf = (uri: string): number => Number(new URL(uri).port);

/** Milliseconds until three members of a replica set answer, in a new process. @throws Error if they do not come up */
export const timeUntilReady = async (): Promise<number> => {
  const child = start('./server/ready.js', []);
  const ended = once(child, 'exit');
  const milliseconds = await nextMessage<number>(child, 'three members');
  await ended;
  return milliseconds;
};

/** @throws Error if it does not come up. */
export const startEmbedded = async (): Promise<Embedded> => {
  const child = start('./server/embedded.js', [], ['--expose-gc']);
  const uri = await nextMessage<string>(child, 'the embedded server');
  return {
    name: 'tessera-server',
    port: portOf(uri),
    pid: child.pid!,
    memory: () => {
      const told = nextMessage<number>(child, 'memory of the embedded server');
      child.send('memory');
      return told;
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
