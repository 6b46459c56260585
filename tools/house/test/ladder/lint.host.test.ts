import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../src/root.js';

interface Diagnostic {
  readonly filename: string;
  readonly code?: string;
  readonly message: string;
}

/** The planted files, by path. */
const planted = new Map<string, string>();
let diagnostics: readonly Diagnostic[] = [];
const tree = mkdtempSync(join(tmpdir(), 'lint-'));

// A run of Oxlint takes half a second, so one run lints the code of all tests.
beforeAll(() => {
  const config = readFileSync(join(root, '.oxlintrc.json'), 'utf8');
  // Rules that need types would need a project.
  writeFileSync(join(tree, '.oxlintrc.json'), config.replace('"typeAware": true', '"typeAware": false'));
  for (const linked of ['node_modules', 'tools']) symlinkSync(join(root, linked), join(tree, linked), 'junction');
  writeFileSync(join(tree, 'package.json'), JSON.stringify({ type: 'module', engines: { node: '>=20.19' } }));
  for (const [file, code] of planted) {
    mkdirSync(dirname(join(tree, file)), { recursive: true });
    writeFileSync(join(tree, file), code);
  }
  const oxlint = join(root, 'node_modules', 'oxlint', 'bin', 'oxlint');
  const args = [oxlint, '--format=json', 'packages', 'programs'];
  const { stdout } = spawnSync(process.execPath, args, { cwd: tree, encoding: 'utf8' });
  ({ diagnostics } = JSON.parse(stdout) as { diagnostics: readonly Diagnostic[] });
});

afterAll(() => {
  rmSync(tree, { recursive: true });
});

/** Plants code in a file. The returned function returns the diagnostics of the file. */
function plant(file: string, code: string): () => readonly Diagnostic[] {
  const unique = file.replace('virtual', `virtual-${String(planted.size)}`);
  if (planted.has(unique)) throw new Error(`${unique} has planted code already.`);
  planted.set(unique, code);
  return () => diagnostics.filter(({ filename }) => filename.replaceAll('\\', '/') === unique);
}

/** Plants code in a package. The returned function returns the beginning of each message of the ladder's rules. */
function inPackage(file: string, code: string): () => readonly string[] {
  const found = plant(`packages/${file}`, code);
  return () =>
    found()
      .filter(({ code: rule }) => rule?.startsWith('ladder('))
      .map(({ code: rule, message }) => `${rule!}: ${message.split(/: | accesses /)[0]!}`);
}

const ambient = (name: string): string => `ladder(ambient): \`${name}\``;

describe('imports', () => {
  const rows: readonly (readonly [code: string, message: string])[] = [
    [
      `import { createPools } from '@tessera/pool';`,
      'ladder(imports): `@tessera/wire` may import `@tessera/contracts`, not `@tessera/pool`',
    ],
    [
      `import type { Wait } from '@tessera/pool';`,
      'ladder(imports): `@tessera/wire` may import `@tessera/contracts`, not `@tessera/pool`',
    ],
    [
      `export * from '@tessera/pool';`,
      'ladder(imports): `@tessera/wire` may import `@tessera/contracts`, not `@tessera/pool`',
    ],
    [
      `import { stack } from '@tessera/contracts/dist/dispatch.js';`,
      'ladder(imports): `@tessera/wire` may import `@tessera/contracts`, not `@tessera/contracts/dist/dispatch.js`',
    ],
    [
      `import { start } from 'tessera-server';`,
      'ladder(imports): `@tessera/wire` may import `@tessera/contracts`, not `tessera-server`',
    ],
    [
      `import { Wait } from '../../pool/src/wait-queue.js';`,
      'ladder(imports): `../../pool/src/wait-queue.js` is outside the sources of `@tessera/wire`',
    ],
    [
      `import leftPad from 'left-pad';`,
      'ladder(imports): `@tessera/wire` may import no third-party package, not `left-pad`',
    ],
    [`import { connect } from 'node:net';`, 'ladder(imports): `node:net`'],
    [`import { connect } from 'net';`, 'ladder(imports): `net`'],
    [`export type S = import('node:net').Socket;`, 'ladder(imports): `node:net`'],
    [`export type N = typeof import('node:net');`, 'ladder(imports): `node:net`'],
    [`export const net = await import('node:net');`, 'ladder(imports): `node:net`'],
    [`import net = require('node:net');`, 'ladder(imports): `node:net`'],
    [`export const any = (name: string) => import(name);`, 'ladder(imports): The specifier of an import'],
  ];
  for (const [code, expected] of rows) {
    const found = inPackage('wire/src/virtual.ts', code);
    test(`${code} is forbidden in wire`, () => {
      const [first = ''] = found();
      expect(first.startsWith(expected) ? expected : first).toBe(expected);
    });
  }

  for (const [file, code] of [
    ['wire/src/virtual.ts', `import { stack } from '@tessera/contracts'; export { frame } from './frame.js';`],
    ['wire/src/deep/virtual.ts', `import { frame } from '../frame.js';`],
    ['client/src/virtual.ts', `import { createPools } from '@tessera/pool';`],
    ['bson/src/virtual.ts', `import { ObjectId } from 'bson';`],
    ['node/src/virtual.ts', `import { connect } from 'node:net'; export type N = import('node:tls').TLSSocket;`],
  ] as const) {
    const found = inPackage(file, code);
    test(`${file} allows ${code}`, () => {
      expect(found()).toEqual([]);
    });
  }

  for (const [file, code] of [
    ['client/src/virtual.ts', `import { nodeRuntime } from '@tessera/node';`],
    ['contracts/src/virtual.ts', `import { bson } from '@tessera/bson';`],
    ['mongodb/src/virtual.ts', `import { connect } from 'node:net';`],
  ] as const) {
    const found = inPackage(file, code);
    test(`${file} forbids ${code}`, () => {
      expect(found()).toHaveLength(1);
    });
  }
});

describe('time, randomness, input and output', () => {
  for (const [code, names] of [
    ['setTimeout(() => {}, 1);', ['setTimeout']],
    ['const later = setTimeout; later(() => {}, 1);', ['setTimeout']],
    ['export const { setTimeout: later } = globalThis;', ['globalThis']],
    ['const M = Math; export const x = M.random();', ['Math']],
    ['const { random } = Math; export const x = random();', ['Math']],
    ['export const x = Math.random();', ['Math']],
    ["export const x = Math['random']();", ['Math']],
    ['export const x = Date.now();', ['Date']],
    ['export const x = new Date();', ['Date']],
    ['export const x = new Date(2026, 1);', ['Date']],
    ['const D = Date; export const x = new D();', ['Date']],
    ['export const x = performance.now();', ['performance']],
    ['export const x = crypto.randomUUID();', ['crypto']],
    ["export const x = process.env['HOME'];", ['process']],
    ["export const x = Buffer.from('a');", ['Buffer']],
    ["console.log('a');", ['console']],
    ['export const x = AbortSignal.timeout(1);', ['AbortSignal']],
    ['export const x = new WeakRef({});', ['WeakRef']],
    ['export const x = new FinalizationRegistry(() => {});', ['FinalizationRegistry']],
    ['export class E extends EventEmitter {}', ['EventEmitter']],
  ] as const) {
    const inWire = inPackage('wire/src/virtual.ts', code);
    const inNode = inPackage('node/src/virtual.ts', code);
    test(`${code} is forbidden outside node`, () => {
      expect(inWire()).toEqual(names.map(ambient));
      expect(inNode()).toEqual([]);
    });
  }

  const metaInAgents = inPackage('mongodb/src/agents.ts', 'export const x = import.meta.url;');
  const metaInWire = inPackage('wire/src/virtual.ts', 'export const x = import.meta.url;');
  test('import.meta is forbidden outside node, except in a file for which the table allows it', () => {
    expect(metaInAgents()).toEqual([]);
    expect(metaInWire()).toEqual([ambient('import.meta')]);
  });

  for (const code of [
    'export const x = (ms: number): Date => new Date(ms);',
    'export const x = (value: unknown): boolean => value instanceof Date;',
    'export const x = Date.UTC(2026, 1);',
    'export const x = Math.max(1, 2);',
    'export const x = (setTimeout: () => void): void => { setTimeout(); };',
    'export const x = { setTimeout: 1, Date: 2 }.Date;',
    'export const x = (clock: { now(): number }): number => clock.now();',
  ]) {
    const found = inPackage('wire/src/virtual.ts', code);
    test(`${code} is allowed everywhere`, () => {
      expect(found()).toEqual([]);
    });
  }

  const buffer = 'export const x = globalThis.Buffer;';
  const bufferInHost = inPackage('bson/src/host.ts', buffer);
  const bufferInEncode = inPackage('bson/src/encode.ts', buffer);
  test('only host.ts of bson may access Buffer', () => {
    expect(bufferInHost()).toEqual([]);
    expect(bufferInEncode()).toEqual([ambient('globalThis')]);
  });

  const timer = plant('packages/pool/src/virtual.ts', 'setTimeout(() => {}, 1);');
  test('the message names the contract to use instead', () => {
    expect(timer().map(({ message }) => message)).toEqual([
      '`setTimeout` accesses the host: use `startTimer` or `sleep` of the contract `Clock`. Only `packages/node` may use it.',
    ]);
  });
});

describe('exports', () => {
  const index = plant('packages/wire/src/index.ts', "export * from './wire.js';\nexport const x = 1;\n");
  test('an index file may contain only re-exports', () => {
    expect(index().map(({ message }) => message)).toEqual(['index.ts must contain only re-exports.']);
  });

  for (const code of [
    'export default 1;',
    'const x = 1;\nexport { x as default };',
    "export { default } from './x.js';",
  ]) {
    const found = plant('packages/wire/src/virtual.ts', code);
    test(`${code} is forbidden`, () => {
      expect(found().map(({ code: rule }) => rule)).toEqual(['eslint(no-restricted-exports)']);
    });
  }
});

describe('features of Node.js', () => {
  const typed: readonly (readonly [rule: string, code: string])[] = [
    ['no-deprecated-api', "import { parse } from 'node:url';\nexport const x = parse('/');"],
    ['no-process-exit', 'process.exit(1);'],
    ['no-unsupported-features/node-builtins', "import { globSync } from 'node:fs';\nexport const x = globSync('*');"],
    ['no-unsupported-features/node-builtins', 'export const x = new WebSocket("ws://a");'],
    ['hashbang', '#!/usr/bin/env node\nexport const x = 1;'],
  ];
  const untyped: readonly (readonly [rule: string, code: string])[] = [
    ...typed,
    ['no-missing-import', "import { x } from './nowhere.js';\nexport { x };"],
    ['no-extraneous-import', "import { test } from 'vitest';\nexport { test };"],
    ['no-unsupported-features/es-builtins', 'export const x = Object.groupBy([], Boolean);'],
    ['no-unsupported-features/es-syntax', 'export const x = Promise.withResolvers();'],
  ];
  const files: readonly (readonly [file: string, rows: typeof typed])[] = [
    ['packages/node/src/virtual.ts', typed],
    ['programs/virtual.mjs', untyped],
  ];
  for (const [file, rows] of files) {
    for (const [rule, code] of rows) {
      const found = plant(file, code);
      test(`${file} breaks ${rule} with ${code}`, () => {
        expect(found().map(({ code: broken }) => broken)).toContain(`nodejs(${rule})`);
      });
    }
  }

  for (const [rule, code] of [
    ['eslint(no-undef)', 'missing();'],
    ['eslint(no-useless-assignment)', 'export function f(x) {\n  let y = x;\n  x(y);\n  y = 2;\n}'],
    ['unused', '// oxlint-disable-next-line no-var\nexport const x = 1;'],
  ] as const) {
    const found = plant('programs/virtual.mjs', code);
    test(`programs may not contain ${code}`, () => {
      const names = found().map(({ code: broken, message }) => broken ?? message.split(' ')[0]!.toLowerCase());
      expect(names).toContain(rule);
    });
  }
});
