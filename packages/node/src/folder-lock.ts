import { readFileSync } from 'node:fs';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Who has a folder, as the file `lock` in it says. */
interface Holder {
  readonly pid: number;
  /** When it began, in the system's own count: numbers of processes are used again. Empty where the system does not tell. */
  readonly began: string;
  readonly host: string;
}

/** `/proc/<pid>/stat` behind the name, which may hold anything: state first, the beginning as the twentieth. */
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

/** Folders that this process has: where the system tells no beginnings, its own number proves nothing. */
const held = new Set<string>();

let attempts = 0;

const isAlive = ({ pid, began }: Holder, path: string): boolean => {
  if (pid === process.pid && began === '') return held.has(path);
  const [state] = statOf(pid);
  // A process that nobody has buried is dead.
  if (state === 'Z' || (began !== '' && state !== undefined && beganOf(pid) !== began)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
};

/** Why the folder cannot be had, in a sentence; undefined: who had it is gone. */
const objection = (holder: Holder | undefined, folder: string, path: string): string | undefined => {
  if (holder === undefined)
    return `The folder ${folder} cannot be used: ${path} does not say who has it. Remove that file if nobody does.`;
  if (holder.host !== hostname())
    return `The folder ${folder} is in use by process ${holder.pid} on the machine ${holder.host}. Remove ${path} if that process is gone.`;
  return isAlive(holder, path)
    ? `The folder ${folder} is in use by process ${holder.pid}: stop that process, or give another folder.`
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
  { readonly kind: 'locked'; readonly release: () => Promise<void> } | { readonly kind: 'taken'; readonly why: string };

/**
 * The file `lock` says who has the folder. It comes into being whole, by a link, so that nobody reads half of one; one of a
 * process that is gone is put aside first, and put back if it was another one than had been judged.
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
