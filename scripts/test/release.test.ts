import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ladder } from '@tessera-tools/house/ladder';
import { expect, test } from 'vitest';
import { root } from '../workspace.mjs';

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;

/** Returns the kind of release of each package that a changeset names. */
const changesets = (): Readonly<Record<string, readonly string[]>> => {
  const kinds: Record<string, string[]> = {};
  for (const file of readdirSync(join(root, '.changeset')).filter(name => name.endsWith('.md')))
    for (const [, name, kind] of readFileSync(join(root, '.changeset', file), 'utf8').matchAll(/^'(.+)': (\w+)$/gm))
      (kinds[name!] ??= []).push(kind!);
  return kinds;
};

test('@tessera/mongodb has the major and minor version of the official driver that it is compared with', () => {
  const [official = ''] = /^\d+\.\d+\./.exec(manifest('.').devDependencies['mongodb']!) ?? [];
  expect(manifest('packages/mongodb').version).toMatch(new RegExp(`^${official.replaceAll('.', '\\.')}\\d+$`));
  expect((changesets()['@tessera/mongodb'] ?? []).filter(kind => kind !== 'patch')).toEqual([]);
});

test('a release of a package that @tessera/mongodb contains also releases @tessera/mongodb', () => {
  const bundled = new Set<string>();
  const add = (names: readonly string[]): void => {
    for (const rung of ladder.filter(({ name }) => names.includes(name) && !bundled.has(name))) {
      bundled.add(rung.name);
      add(rung.imports);
    }
  };
  add(ladder.find(({ name }) => name === '@tessera/mongodb')!.bundled ?? []);
  expect(bundled).toContain('@tessera/pool');
  const released = Object.keys(changesets());
  if (released.some(name => bundled.has(name))) expect(released).toContain('@tessera/mongodb');
});
