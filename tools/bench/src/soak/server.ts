import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Memory } from './memory.js';

/** A replica set in another process. */
export interface SoakServer {
  readonly uri: string;
  /** Returns the memory of the process. */
  memory(): Promise<Memory>;
  close(): Promise<void>;
}

/** Starts a replica set with three members in another process, so that its memory is measured apart from the driver's. */
export const startSoakServer = async (): Promise<SoakServer> => {
  const child = fork(fileURLToPath(new URL('server-process.js', import.meta.url)));
  const next = async (): Promise<unknown> => ((await once(child, 'message')) as readonly unknown[])[0];
  const uri = (await next()) as string;
  return {
    uri,
    memory: async () => {
      const memory = next();
      child.send('measure');
      return (await memory) as Memory;
    },
    close: async () => {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
};
