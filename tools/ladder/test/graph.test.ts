import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cyclesIn, importsWithin } from '../src/cycles.js';
import { disagreements } from '../src/disagreements.js';
import { ladder } from '../src/table.js';
import type { Rung } from '../src/table.js';
import { readWorkspace, referencesOf } from '../src/workspace.js';
import type { Member } from '../src/workspace.js';

const root = join(import.meta.dirname, '..', '..', '..');

const contracts: Rung = { folder: 'contracts', name: '@tessera/contracts', imports: [], outside: [], host: {} };
const wire: Rung = { ...contracts, folder: 'wire', name: '@tessera/wire', imports: ['@tessera/contracts'] };
const contractsOnDisk: Member = {
  folder: 'contracts',
  name: '@tessera/contracts',
  dependencies: [],
  references: [],
  imports: [],
};
const wireOnDisk: Member = {
  folder: 'wire',
  name: '@tessera/wire',
  dependencies: ['@tessera/contracts'],
  references: ['contracts'],
  imports: ['@tessera/contracts'],
};

test('package.json, tsconfig.json and sources of every package agree with the table', () => {
  expect(disagreements(readWorkspace(root), ladder)).toEqual([]);
});

test('a workspace that agrees with its table has no disagreement', () => {
  expect(disagreements([contractsOnDisk, wireOnDisk], [wire, contracts])).toEqual([]);
});

test('a package that the table does not know, and one that is gone, are both told', () => {
  expect(disagreements([contractsOnDisk, { ...contractsOnDisk, folder: 'extra' }], [wire, contracts])).toEqual([
    'packages/extra is not in the table',
    'the table names packages/wire, which does not exist',
  ]);
});

test('each of the three places is told when it has more or less than the table gives', () => {
  const astray: Member = {
    folder: 'wire',
    name: '@tessera/wires',
    dependencies: ['@tessera/contracts', '@tessera/pool'],
    references: [],
    imports: ['@tessera/contracts', 'node:net'],
  };
  expect(disagreements([contractsOnDisk, astray], [wire, contracts])).toEqual([
    'packages/wire is named @tessera/wires, the table says @tessera/wire',
    'wire/package.json has @tessera/pool, which the table does not give it',
    'wire/tsconfig.json lacks contracts, which the table gives it',
    'wire/src has node:net, which the table does not give it',
  ]);
});

test('only the room of the host may import modules of the host', () => {
  const imports = ['@tessera/contracts', 'node:net'];
  const inside: Rung = { ...wire, host: 'all' };
  expect(disagreements([contractsOnDisk, { ...wireOnDisk, imports }], [inside, contracts])).toEqual([]);
});

test('no source of a package imports itself by way of others', () => {
  expect(
    cyclesIn(
      importsWithin(
        root,
        ladder.map(({ folder }) => folder),
      ),
    ),
  ).toEqual([]);
});

test('a way round is told once, and only as far as it goes round', () => {
  const imports = new Map([
    ['door.ts', ['a.ts']],
    ['a.ts', ['b.ts', 'leaf.ts']],
    ['b.ts', ['c.ts']],
    ['c.ts', ['b.ts', 'leaf.ts']],
    ['leaf.ts', []],
  ]);
  expect(cyclesIn(imports)).toEqual(['b.ts → c.ts → b.ts']);
});

/** Every package, tool and example that is compiled. */
const projects = ['packages', 'tools', 'examples']
  .flatMap(group => readdirSync(join(root, group)).map(name => `${group}/${name}`))
  .filter(folder => existsSync(join(root, folder, 'tsconfig.json')))
  .sort();

test.each([
  ['tsc -b builds', 'tsconfig.json'],
  ['the tests are checked against', 'tsconfig.tests.json'],
])('%s every package, tool and example: %s references each', (_, file) => {
  expect(referencesOf(join(root, file), root).sort()).toEqual(projects);
});
