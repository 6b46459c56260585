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

/** What a killed process left half made. */
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
 * Makes a folder once: beside its place, and moved there when it is whole. So a folder that exists is whole, whoever was killed
 * meanwhile, and of two processes that make it at the same time the first wins.
 * @throws what `make` throws; nothing is left then
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

/** A short name for what these texts and files say together with the machine that it was made for. */
export function digest(texts: readonly string[], files: readonly string[] = []): string {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const part of [...texts, ...files.map(file => readFileSync(file, 'utf8'))]) hash.update('\0').update(part);
  return hash.digest('hex').slice(0, 16);
}
