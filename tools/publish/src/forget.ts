import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Another run may still work with what is younger. */
const hour = 3_600_000;

/** Removes what that folder holds of an earlier state: whatever belongs there, but for the newest and what is young. */
export function forgetOlder(folder: string, newest: string, belongs: (name: string) => boolean): void {
  for (const name of readdirSync(folder)) {
    if (name === newest || !belongs(name)) continue;
    const { mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
    if (Date.now() - mtimeMs > hour) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
