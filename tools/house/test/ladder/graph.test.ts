import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { circleFaults, circlesIn, importsWithin } from '../../src/ladder/cycles.js';
import { disagreements } from '../../src/ladder/disagreements.js';
import { ladder } from '../../src/ladder/table.js';
import type { Rung } from '../../src/ladder/table.js';
import { readWorkspace, referencesOf } from '../../src/ladder/workspace.js';
import type { Member } from '../../src/ladder/workspace.js';
import { root } from '../../src/root.js';

/** Some tests read every source, which takes its time on a busy machine. */
const timeout = 60_000;

const contracts: Rung = {
  folder: 'contracts',
  name: '@tessera/contracts',
  imports: [],
  isRoot: false,
  outside: [],
  host: {},
  circles: [],
};
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

test('package.json, tsconfig.json and sources of every package agree with the table', { timeout }, () => {
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

test('only composition roots import other packages than contracts, and every root does', () => {
  const pool: Rung = { ...wire, folder: 'pool', name: '@tessera/pool' };
  const astray: Rung = { ...wire, imports: ['@tessera/contracts', '@tessera/pool'] };
  const idle: Rung = { ...pool, isRoot: true };
  const members: Member[] = [
    contractsOnDisk,
    {
      ...wireOnDisk,
      dependencies: [...astray.imports],
      references: ['contracts', 'pool'],
      imports: [...astray.imports],
    },
    { ...wireOnDisk, folder: 'pool', name: '@tessera/pool' },
  ];
  expect(disagreements(members, [astray, idle, contracts])).toEqual([
    'wire imports @tessera/pool in the table, but is no composition root',
    'the table names pool a composition root, but it imports no other package',
  ]);
  expect(disagreements(members, [{ ...astray, isRoot: true }, pool, contracts])).toEqual([]);
});

const folders = ladder.map(({ folder }) => folder);

test('the sources of each package import each other in no circle but those that the table names', { timeout }, () => {
  expect(circleFaults(importsWithin(root, folders), ladder)).toEqual([]);
});

test('a file of contracts imports only files above it, in the order of its index and of ARCHITECTURE.md', () => {
  const imports = importsWithin(root, ['contracts']);
  const files = [...new Set(imports.get('packages/contracts/src/index.ts'))];
  const upward = files.flatMap((file, at) =>
    imports
      .get(file)!
      .filter(other => files.indexOf(other) >= at)
      .map(other => `${file} imports ${other}`),
  );
  expect(upward).toEqual([]);
  const rows = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').matchAll(
    /^\| `(packages\/contracts\/src\/[^`]+)` /gm,
  );
  const listed = [...rows].map(([, file]) => file!);
  expect(listed).toEqual(files.filter(file => listed.includes(file)));
});

test('an import of types counts', () => {
  expect(importsWithin(root, ['contracts']).get('packages/contracts/src/errors.ts')).toContain(
    'packages/contracts/src/transport.ts',
  );
});

test('circles that share a file are one, and files before and behind it are not part of it', () => {
  const imports = new Map([
    ['door.ts', ['a.ts']],
    ['a.ts', ['b.ts', 'leaf.ts']],
    ['b.ts', ['c.ts']],
    ['c.ts', ['b.ts', 'd.ts', 'leaf.ts']],
    ['d.ts', ['e.ts']],
    ['e.ts', ['c.ts']],
    ['leaf.ts', []],
    ['own.ts', ['own.ts', 'x.ts']],
    ['x.ts', ['y.ts']],
    ['y.ts', ['x.ts', 'b.ts']],
  ]);
  expect(circlesIn(imports)).toEqual([['b.ts', 'c.ts', 'd.ts', 'e.ts'], ['own.ts'], ['x.ts', 'y.ts']]);
});

test('a circle that the table does not name is a fault, and so is a named circle that does not exist', () => {
  const imports = new Map([
    ['packages/wire/src/a.ts', ['packages/wire/src/b.ts']],
    ['packages/wire/src/b.ts', ['packages/wire/src/a.ts']],
  ]);
  const named = (...files: string[]): Rung => ({ ...wire, circles: [{ files, why: 'They are two halves.' }] });
  expect(circleFaults(imports, [named('b.ts', 'a.ts')])).toEqual([]);
  expect(circleFaults(imports, [wire])).toEqual([
    'packages/wire/src/a.ts, packages/wire/src/b.ts import each other: untie them, or name the circle and its reason in the table',
  ]);
  expect(circleFaults(imports, [named('a.ts', 'b.ts', 'c.ts')])).toEqual([
    'packages/wire/src/a.ts, packages/wire/src/b.ts import each other: untie them, or name the circle and its reason in the table',
    'the table names a circle that does not exist: packages/wire/src/a.ts, packages/wire/src/b.ts, packages/wire/src/c.ts',
  ]);
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
