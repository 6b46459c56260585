import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@tessera-tools/house';
import { forgetOlder } from './forget.js';
import { mustRun, npm, pnpm } from './program.js';
import { closure, published } from './workspace.js';
import type { Outside, Published } from './workspace.js';

const packed = join(root, '.cache', 'packed');

const scripts = ['bundle', 'commonjs', 'declarations', 'functions', 'omissible'].map(name => `scripts/${name}.mjs`);

/** Returns a hash of all files that affect the tarball. */
function digestOf({ folder, bundled }: Published): string {
  const digest = createHash('sha256');
  const shared = ['pnpm-workspace.yaml', 'LICENSE', ...scripts].map(name => join(root, name));
  const own = ['package.json', 'README.md', 'LICENSE', ...filesUnder(folder, 'dist'), ...filesUnder(folder, 'lib')];
  const inside = closure(bundled).ours.flatMap(name => {
    const other = published(name).folder;
    return filesUnder(other, 'dist').map(file => join(other, file));
  });
  for (const file of [...shared, ...own.map(name => join(folder, name)), ...inside]) {
    digest.update(file.slice(root.length)).update(existsSync(file) ? readFileSync(file) : '');
  }
  return digest.digest('hex').slice(0, 16);
}

const filesUnder = (folder: string, name: string): string[] =>
  existsSync(join(folder, name))
    ? readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
        .filter(entry => entry.isFile() && !entry.name.endsWith('.tsbuildinfo'))
        .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .sort()
    : [];

/**
 * Runs a command that writes tarballs and moves them to their final paths when all are complete.
 * @param places the final paths, by the file names that the command writes
 */
async function keep(
  places: ReadonlyMap<string, string>,
  command: readonly [string, ...string[]],
  from: string,
): Promise<void> {
  mkdirSync(packed, { recursive: true });
  const unfinished = mkdtempSync(join(packed, 'unfinished-'));
  try {
    const [program, ...args] = command;
    await mustRun(program, [...args, '--pack-destination', unfinished], from);
    for (const [name, place] of places) renameSync(join(unfinished, name), place);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

const stemOf = (name: string): string => `${name.replace('@', '').replace('/', '-')}-`;

const versionOf = (folder: string): string =>
  (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;

/** Removes compiled files whose source was renamed or removed, so that they are not published. */
function removeOrphans(folder: string): void {
  for (const file of filesUnder(folder, 'dist')) {
    const source = file.replace(/^dist/, 'src').replace(/\.(?:d\.ts|js)$/, '.ts');
    if (!existsSync(join(folder, source))) rmSync(join(folder, file));
  }
}

/** Returns the path of a package's tarball, as published. Packs again only if the package has changed. */
export async function pack(name: string): Promise<string> {
  const one = published(name);
  const { folder } = one;
  if (!existsSync(join(folder, 'dist', 'index.js'))) throw new Error(`${name} is not built. Run \`npm run build\`.`);
  removeOrphans(folder);
  const stem = stemOf(name);
  const file = `${stem}${digestOf(one)}.tgz`;
  const tarball = join(packed, file);
  if (existsSync(tarball)) return tarball;
  await keep(new Map([[`${stem}${versionOf(folder)}.tgz`, tarball]]), [await pnpm(), 'pack'], folder);
  forgetOlder(packed, file, other => other.startsWith(stem) && /^[\da-f]{16}\.tgz$/.test(other.slice(stem.length)));
  return tarball;
}

/** Packs third-party packages from the installed files, without network. Returns the tarballs by package name. */
export async function packOutside(all: readonly Outside[]): Promise<Record<string, string>> {
  const files = all.map(({ name, folder }) => ({ name, folder, file: `${stemOf(name)}${versionOf(folder)}.tgz` }));
  const missing = files.filter(({ file }) => !existsSync(join(packed, file)));
  const folders = missing.map(({ folder }) => folder);
  const places = new Map(missing.map(({ file }) => [file, join(packed, file)]));
  // Packs all with one command, because starting npm is slow.
  if (missing.length > 0) await keep(places, [...npm(), 'pack', '--ignore-scripts', '--offline', ...folders], root);
  return Object.fromEntries(files.map(({ name, file }) => [name, join(packed, file)]));
}
