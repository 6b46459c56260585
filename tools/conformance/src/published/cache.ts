import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cachedSpecifications } from '../fixtures.js';
import type { Contents } from '../fixtures.js';
import { driverPackages } from './packages.js';
import type { DriverPackage } from './packages.js';
import { download } from './registry.js';
import { unpack } from './unpack.js';

const contentsFile = 'contents.json';

const pinOf = ({ name, sha256 }: DriverPackage): string => `${name} ${sha256}`;

const readContents = (folder: string): Contents | undefined => {
  const file = join(folder, contentsFile);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Contents) : undefined;
};

const isCurrent = (contents: Contents | undefined, packages: readonly DriverPackage[]): contents is Contents =>
  contents?.pins.join() === packages.map(pinOf).join();

/** Replaces a folder with another by renaming, so that readers never see a partly written folder. */
const replace = (folder: string, fresh: string): void => {
  const old = `${folder}.old-${process.pid}`;
  if (existsSync(folder)) renameSync(folder, old);
  renameSync(fresh, folder);
  rmSync(old, { recursive: true, force: true });
};

/**
 * Fills the cache of official fixtures from the packages of other drivers, unless it is up to date.
 * @param say receives progress messages, one line each
 * @throws Unreachable if a download fails; the cache is unchanged then
 */
export const fillCache = async (
  say: (line: string) => void,
  folder: string = cachedSpecifications,
  packages: readonly DriverPackage[] = driverPackages,
): Promise<Contents> => {
  const present = readContents(folder);
  if (isCurrent(present, packages)) return present;
  const fresh = `${folder}.unfinished-${process.pid}`;
  const files: Record<string, string> = {};
  try {
    for (const one of packages) {
      say(`fixtures: downloading ${one.name} from ${one.registry} (once) …`);
      for (const [path, bytes] of unpack(one, await download(one))) {
        if (files[path] !== undefined) continue;
        files[path] = one.name;
        mkdirSync(dirname(join(fresh, path)), { recursive: true });
        writeFileSync(join(fresh, path), bytes);
      }
    }
    const contents: Contents = { pins: packages.map(pinOf), files };
    writeFileSync(join(fresh, contentsFile), JSON.stringify(contents, null, 1));
    replace(folder, fresh);
    say(`fixtures: the cache has ${Object.keys(files).length} files`);
    return contents;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
};
