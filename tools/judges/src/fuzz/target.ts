import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cpuOf } from '@tessera-tools/house';
import { forked } from '../forked.js';
import type { Served, Status } from './served.js';

/** What a server must not do, whatever it is sent. */
export interface Violation {
  readonly kind: 'exit' | 'hang' | 'reply' | 'defect' | 'memory';
  readonly what: string;
}

/** A server in a process of its own. */
export interface Target {
  readonly port: number;
  /** How it ended, as far as it has: its exit code or signal, and the end of what it said. */
  readonly ended: () => string | undefined;
  /** CPU time that its process has used so far, in milliseconds; real time where the system does not tell. */
  readonly busy: () => number;
  /** @throws Error if it does not answer */
  status(): Promise<Status>;
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL('served.js', import.meta.url));

/** What its heap may grow to, in megabytes; it dies when it needs more. */
const mostHeap = 512;

const busyOf = (pid: number): number => {
  if (process.platform !== 'linux') return performance.now();
  try {
    return cpuOf(pid);
  } catch {
    return 0;
  }
};

/** Another program that tells its address, and its status when it is asked: one with faults that are to be found. */
export interface Planted {
  readonly program: string;
}

/** What is under test. */
export type Subject = Served | Planted;

/** @throws Error if it does not come up */
export const startTarget = async (subject: Subject): Promise<Target> => {
  const file = 'program' in subject ? subject.program : program;
  const { child, hello, ended, stop } = await forked(file, [JSON.stringify(subject)], 'pipe', {
    execArgv: [`--max-old-space-size=${mostHeap}`, '--unhandled-rejections=strict'],
  });
  const address = hello as string;
  return {
    port: Number(address.slice(address.lastIndexOf(':') + 1)),
    ended,
    busy: () => busyOf(child.pid!),
    status: async () => {
      const told = once(child, 'message', { signal: AbortSignal.timeout(60_000) });
      child.send('status');
      return ((await told) as [Status])[0];
    },
    stop,
  };
};
