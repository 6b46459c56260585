import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

function isAlive(process: number): boolean {
  try {
    globalThis.process.kill(process, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Removes folders that killed processes left unfinished. */
function forgetUnfinished(folder: string): void {
  const parent = dirname(folder);
  for (const name of readdirSync(parent)) {
    const process = /\.unfinished-(\d+)-/.exec(name)?.[1];
    if (process !== undefined && !isAlive(Number(process)))
      rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function moveUnlessThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}

/**
 * Creates a folder once. The content is created in a temporary folder and then moved, so a folder that exists is
 * complete. If two processes create it at the same time, the first one wins.
 * @throws the error of `make`, after the temporary folder is removed
 */
export async function installOnce(folder: string, make: (unfinished: string) => Promise<void>): Promise<string> {
  if (existsSync(folder)) return folder;
  mkdirSync(dirname(folder), { recursive: true });
  forgetUnfinished(folder);
  const unfinished = mkdtempSync(`${folder}.unfinished-${process.pid}-`);
  try {
    await make(unfinished);
    moveUnlessThere(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** Returns a short hash of these texts, these files, and the platform. */
export function digest(texts: readonly string[], files: readonly string[] = []): string {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const part of [...texts, ...files.map(file => readFileSync(file, 'utf8'))]) hash.update('\0').update(part);
  return hash.digest('hex').slice(0, 16);
}
