import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cpuOf } from '@tessera-tools/house';
import { forked } from '../forked.js';
import type { Served, Status } from './served.js';

/** A behavior that the server must never show, regardless of its input. */
export interface Violation {
  readonly kind: 'exit' | 'hang' | 'reply' | 'defect' | 'memory' | 'leak' | 'change' | 'login';
  readonly what: string;
  /** Whether the server did answer, but another client waited too long. */
  readonly isDelay?: boolean;
}

/** A server in its own process. */
export interface Target {
  readonly port: number;
  /** Returns how the process ended, with its exit code or signal and the end of its output. Undefined while it runs. */
  readonly ended: () => string | undefined;
  /** The CPU time of the process so far, in milliseconds. Real time where the system does not report CPU time. */
  readonly busy: () => number;
  /**
   * Returns the memory and CPU time of the process.
   * @throws Error if the process does not reply
   */
  status(): Promise<Status>;
  stop(): Promise<void>;
}

const program = fileURLToPath(new URL('served.js', import.meta.url));

/** The maximum size of the heap, in megabytes. The process exits if it needs more. */
const mostHeap = 512;

const busyOf = (pid: number): number => {
  if (process.platform !== 'linux') return performance.now();
  try {
    return cpuOf(pid);
  } catch {
    return 0;
  }
};

/** Another program with the same protocol, for example a server with a planted fault. */
export interface Planted {
  readonly program: string;
}

/** The server under test. */
export type Subject = Served | Planted;

/**
 * Starts a server.
 * @throws Error if it does not start
 */
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
      const received = once(child, 'message', { signal: AbortSignal.timeout(60_000) });
      child.send('status');
      return ((await received) as [Status])[0];
    },
    stop,
  };
};
