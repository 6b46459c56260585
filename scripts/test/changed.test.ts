import { expect, test } from 'vitest';
import { affected } from '../changed.mjs';

const packages = [
  { folder: 'packages/contracts', name: '@tessera/contracts', imports: [] },
  { folder: 'packages/pool', name: '@tessera/pool', imports: ['@tessera/contracts'] },
  { folder: 'packages/pools', name: '@tessera/pools', imports: ['@tessera/contracts'] },
  { folder: 'packages/client', name: '@tessera/client', imports: ['@tessera/contracts', '@tessera/pool'] },
  { folder: 'packages/mongodb', name: '@tessera/mongodb', imports: ['@tessera/client'] },
];

test('a package is affected if one of its files or a package that it imports changed', () => {
  expect(affected(['README.md', 'packages/pool/src/pool.ts'], packages)).toEqual({
    files: ['README.md', 'packages/pool/src/pool.ts'],
    packages: ['packages/pool'],
    importers: ['packages/client'],
  });
});

test('a changed package is not among the importers', () => {
  const files = ['packages/client/src/db.ts', 'packages/contracts/src/index.ts'];
  expect(affected(files, packages)).toEqual({
    files,
    packages: ['packages/contracts', 'packages/client'],
    importers: ['packages/pool', 'packages/pools', 'packages/mongodb'],
  });
});

test('files outside of packages affect no package', () => {
  expect(affected(['scripts/lanes.mjs'], packages)).toEqual({
    files: ['scripts/lanes.mjs'],
    packages: [],
    importers: [],
  });
});
