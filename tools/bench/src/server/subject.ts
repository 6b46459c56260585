import { once } from 'node:events';
import { startEngine } from '@tessera-tools/judges';
import type { EngineName } from '@tessera-tools/judges';
import { nextMessage, start } from '../worker-process.js';
import { listenerOn } from './process.js';

/** A measured server in a separate process. */
export interface Subject {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The embedded server as a measured server. */
export interface Embedded extends Subject {
  /** Returns the bytes of heap and external memory of its process after garbage collection. */
  memory(): Promise<number>;
}

const portOf = (uri: string): number => Number(new URL(uri).port);

/** The times from the end of the import until all servers have replied, in milliseconds. */
export interface Starts {
  readonly standalone: number;
  readonly threeMembers: number;
}

/** Starts a deployment in a new process, and returns its time. @throws Error if it fails to start */
export const timeUntilReady = async (kind: keyof Starts): Promise<number> => {
  const child = start('./server/ready.js', [kind]);
  const ended = once(child, 'exit');
  const milliseconds = await nextMessage<number>(child, kind);
  await ended;
  return milliseconds;
};

/** Starts the embedded server, with or without a folder for its data. @throws Error if it fails to start */
export const startEmbedded = async (folder?: string): Promise<Embedded> => {
  const child = start('./server/embedded.js', folder === undefined ? [] : [folder], ['--expose-gc']);
  const uri = await nextMessage<string>(child, 'the embedded server');
  return {
    name: 'tessera-server',
    port: portOf(uri),
    pid: child.pid!,
    memory: () => {
      const bytes = nextMessage<number>(child, 'memory of the embedded server');
      child.send('memory');
      return bytes;
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
};

/** Starts a server of another project. @throws Unavailable if it cannot be installed */
export const startOther = async (name: EngineName): Promise<Subject> => {
  const engine = await startEngine(name);
  const port = portOf(engine.uri);
  return { name, port, pid: listenerOn(port), stop: () => engine.stop() };
};
