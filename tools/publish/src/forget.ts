import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Entries younger than this may still be in use by another run. */
const hour = 3_600_000;

/** Removes outdated entries of a folder: all entries that match `belongs`, except the newest and recent ones. */
export function forgetOlder(folder: string, newest: string, belongs: (name: string) => boolean): void {
  for (const name of readdirSync(folder)) {
    if (name === newest || !belongs(name)) continue;
    const { mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
    if (Date.now() - mtimeMs > hour) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
