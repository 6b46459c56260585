import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cycleFaults, cyclesIn, importsWithin } from '../../src/ladder/cycles.js';
import { disagreements } from '../../src/ladder/disagreements.js';
import { ladder } from '../../src/ladder/table.js';
import type { Rung } from '../../src/ladder/table.js';
import { readWorkspace, referencesOf } from '../../src/ladder/workspace.js';
import type { Member } from '../../src/ladder/workspace.js';
import { root } from '../../src/root.js';

/** Some tests read every source, which is slow on a busy machine. */
const timeout = 60_000;

const contracts: Rung = {
  folder: 'contracts',
  name: '@tessera/contracts',
  imports: [],
  isRoot: false,
  outside: [],
  host: {},
  cycles: [],
};
const wire: Rung = { ...contracts, folder: 'wire', name: '@tessera/wire', imports: ['@tessera/contracts'] };
const contractsOnDisk: Member = {
  folder: 'contracts',
  name: '@tessera/contracts',
  dependencies: [],
  devDependencies: [],
  references: [],
  imports: [],
};
const wireOnDisk: Member = {
  folder: 'wire',
  name: '@tessera/wire',
  dependencies: ['@tessera/contracts'],
  devDependencies: [],
  references: ['contracts'],
  imports: ['@tessera/contracts'],
};

test('package.json, tsconfig.json and sources of every package agree with the table', { timeout }, () => {
  expect(disagreements(readWorkspace(root), ladder)).toEqual([]);
});

test('disagreements returns nothing for a workspace that matches the table', () => {
  expect(disagreements([contractsOnDisk, wireOnDisk], [wire, contracts])).toEqual([]);
});

test('disagreements reports a package that is missing in the table, and a listed package that does not exist', () => {
  expect(disagreements([contractsOnDisk, { ...contractsOnDisk, folder: 'extra' }], [wire, contracts])).toEqual([
    'packages/extra is missing in the table.',
    'The table lists packages/wire, which does not exist.',
  ]);
});

test('disagreements reports differences of package.json, tsconfig.json and the sources from the table', () => {
  const astray: Member = {
    folder: 'wire',
    name: '@tessera/wires',
    dependencies: ['@tessera/contracts', '@tessera/pool'],
    devDependencies: ['@tessera/auth'],
    references: [],
    imports: ['@tessera/contracts', 'node:net'],
  };
  expect(disagreements([contractsOnDisk, astray], [wire, contracts])).toEqual([
    'packages/wire is named @tessera/wires, but @tessera/wire in the table.',
    'wire/package.json has @tessera/pool, which the table does not allow.',
    'wire/package.json (devDependencies) has @tessera/auth, which the table does not allow.',
    'wire/tsconfig.json lacks contracts, which the table lists.',
    'wire/src has node:net, which the table does not allow.',
  ]);
});

test('a package has the packages that it bundles as development dependencies', () => {
  const bundle: Rung = {
    ...{ ...wire, isRoot: true, imports: ['@tessera/contracts', '@tessera/pool'] },
    ...{ bundled: ['@tessera/pool'] },
  };
  const member: Member = {
    ...{ ...wireOnDisk, imports: bundle.imports, references: ['contracts', '@tessera/pool'] },
    ...{ dependencies: ['@tessera/contracts'], devDependencies: ['@tessera/pool'] },
  };
  expect(disagreements([contractsOnDisk, member], [bundle, contracts])).toEqual([]);
  expect(disagreements([contractsOnDisk, { ...member, dependencies: bundle.imports }], [bundle, contracts])).toEqual([
    'wire/package.json has @tessera/pool, which the table does not allow.',
  ]);
});

test('a package with access to the host may import Node.js modules', () => {
  const imports = ['@tessera/contracts', 'node:net'];
  const inside: Rung = { ...wire, host: 'all' };
  expect(disagreements([contractsOnDisk, { ...wireOnDisk, imports }], [inside, contracts])).toEqual([]);
});

test('exactly the composition roots import packages other than contracts', () => {
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
    'The table lets wire import @tessera/pool, but wire is not a composition root.',
    'The table lists pool as a composition root, but it imports no other package.',
  ]);
  expect(disagreements(members, [{ ...astray, isRoot: true }, pool, contracts])).toEqual([]);
});

const folders = ladder.map(({ folder }) => folder);

test('the sources of each package have no import cycles except those in the table', { timeout }, () => {
  expect(cycleFaults(importsWithin(root, folders), ladder)).toEqual([]);
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

test('importsWithin includes type imports', () => {
  expect(importsWithin(root, ['contracts']).get('packages/contracts/src/errors.ts')).toContain(
    'packages/contracts/src/transport.ts',
  );
});

test('cycles that share a file are a single cycle, without the files that lead to or from it', () => {
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
  expect(cyclesIn(imports)).toEqual([['b.ts', 'c.ts', 'd.ts', 'e.ts'], ['own.ts'], ['x.ts', 'y.ts']]);
});

test('reports a cycle that the table does not list, and a listed cycle that does not exist', () => {
  const imports = new Map([
    ['packages/wire/src/a.ts', ['packages/wire/src/b.ts']],
    ['packages/wire/src/b.ts', ['packages/wire/src/a.ts']],
  ]);
  const named = (...files: string[]): Rung => ({ ...wire, cycles: [{ files, why: 'They depend on each other.' }] });
  expect(cycleFaults(imports, [named('b.ts', 'a.ts')])).toEqual([]);
  expect(cycleFaults(imports, [wire])).toEqual([
    'packages/wire/src/a.ts, packages/wire/src/b.ts import each other: break the cycle, or add it to the table with a reason.',
  ]);
  expect(cycleFaults(imports, [named('a.ts', 'b.ts', 'c.ts')])).toEqual([
    'packages/wire/src/a.ts, packages/wire/src/b.ts import each other: break the cycle, or add it to the table with a reason.',
    'The table lists a cycle that does not exist: packages/wire/src/a.ts, packages/wire/src/b.ts, packages/wire/src/c.ts.',
  ]);
});

/** All compiled packages, tools and examples. */
const projects = ['packages', 'tools', 'examples']
  .flatMap(group => readdirSync(join(root, group)).map(name => `${group}/${name}`))
  .filter(folder => existsSync(join(root, folder, 'tsconfig.json')))
  .sort();

test.each([
  ['setup builds', 'tsconfig.build.json'],
  ['tsc -b builds, before it checks the tests,', 'tsconfig.json'],
])('%s every package, tool and example: %s references each', (_, file) => {
  expect(referencesOf(join(root, file), root).sort()).toEqual(projects);
});
