import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@tessera-tools/house';
import { forgetOlder } from './forget.js';
import { mustRun, pnpm } from './program.js';
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

interface Manifest {
  readonly version: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly publishConfig?: { readonly exports?: unknown };
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

const versionOf = (folder: string): string => manifestOf(folder).version;

const isBundled = (folder: string): boolean => manifestOf(folder).publishConfig?.exports !== undefined;

/**
 * Removes compiled files whose source was renamed or removed, so that they are not published: files of the package and of
 * the packages that it bundles. Removes bundles, too, so that they do not affect the digest.
 */
function removeOrphans({ folder, bundled }: Published): void {
  for (const each of [folder, ...closure(bundled).ours.map(name => published(name).folder)]) {
    for (const file of filesUnder(each, 'dist')) {
      const source = file.replace(/^dist/, 'src').replace(/\.(?:d\.ts|js)$/, '.ts');
      if (!existsSync(join(each, source))) rmSync(join(each, file));
    }
  }
}

/** The script that writes the published files of a package whose `publishConfig` names some. */
const prepack = 'node ../../scripts/bundle.mjs';

/** @throws Error if the package is not built, or would be published without the files that its `publishConfig` names */
function assertPackable({ name, folder }: Published): void {
  if (!existsSync(join(folder, 'dist', 'index.js'))) throw new Error(`${name} is not built. Run \`npm run build\`.`);
  const expected = isBundled(folder) ? prepack : undefined;
  if (manifestOf(folder).scripts?.['prepack'] !== expected)
    throw new Error(`The script "prepack" in the package.json of ${name} must be ${expected ?? 'absent'}.`);
}

/** Returns the tarballs of packages, as published, by name. Packs again only the packages that have changed. */
export async function packAll(names: readonly string[]): Promise<Record<string, string>> {
  const all = names.map(name => {
    const one = published(name);
    assertPackable(one);
    removeOrphans(one);
    const stem = stemOf(name);
    return { name, folder: one.folder, stem, file: `${stem}${digestOf(one)}.tgz` };
  });
  const changed = all.filter(({ file }) => !existsSync(join(packed, file)));
  if (changed.length > 0) {
    // One process bundles all packages, because loading the compiler takes longer than bundling a package.
    const folders = changed.map(({ folder }) => folder).filter(isBundled);
    if (folders.length > 0)
      await mustRun(process.execPath, [join(root, 'scripts', 'bundle.mjs'), ...folders], root, 300_000);
    for (const { folder, stem, file } of changed) {
      const places = new Map([[`${stem}${versionOf(folder)}.tgz`, join(packed, file)]]);
      await keep(places, [await pnpm(), 'pack', '--ignore-scripts'], folder);
      forgetOlder(packed, file, other => other.startsWith(stem) && /^[\da-f]{16}\.tgz$/.test(other.slice(stem.length)));
    }
  }
  return Object.fromEntries(all.map(({ name, file }) => [name, join(packed, file)]));
}

/** Returns the path of a package's tarball, as published. Packs again only if the package has changed. */
export const pack = async (name: string): Promise<string> => (await packAll([name]))[name]!;

/**
 * Packs third-party packages from the installed files, without network. Returns the tarballs by package name. npm cannot
 * pack some packages offline.
 */
export async function packOutside(all: readonly Outside[]): Promise<Record<string, string>> {
  const files = all.map(({ name, folder }) => ({ name, folder, file: `${stemOf(name)}${versionOf(folder)}.tgz` }));
  for (const { folder, file } of files.filter(each => !existsSync(join(packed, each.file))))
    await keep(new Map([[file, join(packed, file)]]), [await pnpm(), 'pack', '--ignore-scripts'], folder);
  return Object.fromEntries(files.map(({ name, file }) => [name, join(packed, file)]));
}
