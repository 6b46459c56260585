import { readFileSync } from 'node:fs';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** The owner of a folder, as recorded in its file `lock`. */
interface Holder {
  readonly pid: number;
  /**
   * The start time of the process in system units, because process IDs are reused. Empty if the system does not provide
   * it.
   */
  readonly began: string;
  readonly host: string;
}

/**
 * Reads the fields of `/proc/<pid>/stat` after the process name, which may contain any characters. The first is the
 * state, the twentieth the start time.
 */
const statOf = (pid: number): readonly string[] => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
};

const beganOf = (pid: number): string => statOf(pid)[19] ?? '';

const self = (): Holder => ({ pid: process.pid, began: beganOf(process.pid), host: hostname() });

const textOf = ({ pid, began, host }: Holder): string => `${pid} ${began === '' ? '-' : began} ${host}\n`;

const holderIn = (text: string): Holder | undefined => {
  const [, pid, began, host] = /^(\d+) (\S+) (.*)\n$/.exec(text) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), began: began === '-' ? '' : began!, host: host! };
};

/** The folders that this process owns. Without a start time, its own process ID is not sufficient proof. */
const held = new Set<string>();

let attempts = 0;

const isAlive = ({ pid, began }: Holder, path: string): boolean => {
  if (pid === process.pid && began === '') return held.has(path);
  const [state] = statOf(pid);
  // A zombie process has ended.
  if (state === 'Z' || (began !== '' && state !== undefined && beganOf(pid) !== began)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
};

/** Returns why the folder cannot be used. Undefined if its owner has ended. */
const objection = (holder: Holder | undefined, folder: string, path: string): string | undefined => {
  if (holder === undefined)
    return `The folder ${folder} cannot be used: ${path} does not name the process that uses it. Remove that file if no process does.`;
  if (holder.host !== hostname())
    return `The folder ${folder} is in use by process ${holder.pid} on the machine ${holder.host}. Remove ${path} if that process has ended.`;
  return isAlive(holder, path)
    ? `The folder ${folder} is in use by process ${holder.pid}. Stop that process, or use another folder.`
    : undefined;
};

const isCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;

const readIfThere = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
};

export type LockOutcome =
  | { readonly kind: 'locked'; readonly release: () => Promise<void> }
  | { readonly kind: 'taken'; readonly why: string };

/**
 * Locks a folder with the file `lock`, which names the owner. The file is created by a link, so that other processes
 * never read a partial file. The lock of an ended process is first renamed, and restored if it turns out to be another
 * lock than the one checked.
 */
export const lockFolder = async (folder: string): Promise<LockOutcome> => {
  const path = join(folder, 'lock');
  const mine = join(folder, `lock.${process.pid}.${attempts++}`);
  const text = textOf(self());
  await writeFile(mine, text);
  try {
    for (;;) {
      try {
        await link(mine, path);
        break;
      } catch (error) {
        if (!isCode(error, 'EEXIST')) throw error;
      }
      const found = await readIfThere(path);
      if (found === undefined) continue;
      const why = objection(holderIn(found), folder, path);
      if (why !== undefined) return { kind: 'taken', why };
      const aside = `${mine}.stale`;
      await rename(path, aside).catch((error: unknown) => {
        if (!isCode(error, 'ENOENT')) throw error;
      });
      const removed = await readIfThere(aside);
      if (removed !== undefined && removed !== found) await link(aside, path).catch(() => undefined);
      await rm(aside, { force: true });
    }
  } finally {
    await rm(mine, { force: true });
  }
  held.add(path);
  return {
    kind: 'locked',
    release: async () => {
      held.delete(path);
      if ((await readIfThere(path)) === text) await rm(path, { force: true });
    },
  };
};
