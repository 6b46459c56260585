import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { mustRun, npm, pnpm } from './program.js';
import { published, root } from './workspace.js';

const packed = join(root, '.cache', 'packed');

/** Changes with whatever goes into the tarball. */
function digestOf(folder: string): string {
  const digest = createHash('sha256');
  const files = [
    'package.json',
    'README.md',
    'LICENSE',
    ...(existsSync(join(folder, 'dist')) ? filesUnder(folder, 'dist') : []),
  ];
  const shared = ['pnpm-workspace.yaml', 'LICENSE'].map(name => join(root, name));
  for (const file of [...shared, ...files.map(name => join(folder, name))]) {
    digest.update(file.slice(root.length)).update(existsSync(file) ? readFileSync(file) : '');
  }
  return digest.digest('hex').slice(0, 16);
}

const filesUnder = (folder: string, name: string): string[] =>
  readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

/** Writes one tarball by such a command and moves it to its place when it is complete. */
async function keep(to: string, command: readonly [string, ...string[]], from: string): Promise<string> {
  if (existsSync(to)) return to;
  mkdirSync(packed, { recursive: true });
  const unfinished = mkdtempSync(join(packed, 'unfinished-'));
  try {
    const [program, ...args] = command;
    await mustRun(program, [...args, '--pack-destination', unfinished], from);
    const [tarball] = readdirSync(unfinished);
    if (tarball === undefined) throw new Error(`${program} left no tarball of ${from}.`);
    renameSync(join(unfinished, tarball), to);
    return to;
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Removes what the compiler wrote for a source that has since been renamed or removed; it would be published. */
function removeOrphans(folder: string): void {
  for (const file of filesUnder(folder, 'dist').filter(name => !name.endsWith('.tsbuildinfo'))) {
    const source = file.replace(/^dist/, 'src').replace(/\.(?:d\.ts|js)$/, '.ts');
    if (!existsSync(join(folder, source))) rmSync(join(folder, file));
  }
}

/** The tarball of one package of ours, as it would be published; packed anew only when something in it changed. */
export async function pack(name: string): Promise<string> {
  const { folder } = published(name);
  if (!existsSync(join(folder, 'dist', 'index.js'))) throw new Error(`${name} is not built: \`npm run build\`.`);
  removeOrphans(folder);
  const file = `${name.replace('@', '').replace('/', '-')}-${digestOf(folder)}.tgz`;
  return keep(join(packed, file), [await pnpm(), 'pack'], folder);
}

/** The tarball of a dependency, made of what is installed, so that no network is needed. */
export async function packOutside(name: string, dependent: string): Promise<string> {
  const entry = createRequire(join(published(dependent).folder, 'package.json')).resolve(name);
  const folder = join(entry.slice(0, entry.lastIndexOf(join('node_modules', name))), 'node_modules', name);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
  return keep(
    join(packed, file),
    [...npm(), 'pack', '--ignore-scripts', '--offline'],
    dirname(join(folder, 'package.json')),
  );
}
