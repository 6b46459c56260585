import { join } from 'node:path';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, test } from 'vitest';
import { boundaries } from '../../src/ladder/boundaries.js';
import { root } from '../../src/root.js';

const eslint = new ESLint({
  cwd: root,
  overrideConfigFile: true,
  overrideConfig: [
    { files: ['**/*.ts'], languageOptions: { parser: tseslint.parser } },
    ...(boundaries(root) as never[]),
  ],
});

/** Lints code as if it were the given file, and returns the beginning of each message. */
async function messagesFor(file: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, { filePath: join(root, 'packages', file) });
  return result!.messages.map(({ ruleId, message }) => `${ruleId ?? 'parser'}: ${message.split(/: | accesses /)[0]!}`);
}

const ambient = (name: string): string => `ladder/ambient: \`${name}\``;

describe('imports', () => {
  const rows: readonly (readonly [code: string, message: string])[] = [
    [
      `import { createPools } from '@tessera/pool';`,
      'ladder/imports: `@tessera/wire` may import `@tessera/contracts`, not `@tessera/pool`',
    ],
    [
      `import type { Wait } from '@tessera/pool';`,
      'ladder/imports: `@tessera/wire` may import `@tessera/contracts`, not `@tessera/pool`',
    ],
    [
      `export * from '@tessera/pool';`,
      'ladder/imports: `@tessera/wire` may import `@tessera/contracts`, not `@tessera/pool`',
    ],
    [
      `import { stack } from '@tessera/contracts/dist/dispatch.js';`,
      'ladder/imports: `@tessera/wire` may import `@tessera/contracts`, not `@tessera/contracts/dist/dispatch.js`',
    ],
    [
      `import { start } from 'tessera-server';`,
      'ladder/imports: `@tessera/wire` may import `@tessera/contracts`, not `tessera-server`',
    ],
    [
      `import { Wait } from '../../pool/src/wait-queue.js';`,
      'ladder/imports: `../../pool/src/wait-queue.js` is outside the sources of `@tessera/wire`',
    ],
    [
      `import leftPad from 'left-pad';`,
      'ladder/imports: `@tessera/wire` may import no third-party package, not `left-pad`',
    ],
    [`import { connect } from 'node:net';`, 'ladder/imports: `node:net`'],
    [`import { connect } from 'net';`, 'ladder/imports: `net`'],
    [`export type S = import('node:net').Socket;`, 'ladder/imports: `node:net`'],
    [`export type N = typeof import('node:net');`, 'ladder/imports: `node:net`'],
    [`export const net = await import('node:net');`, 'ladder/imports: `node:net`'],
    [`import net = require('node:net');`, 'ladder/imports: `node:net`'],
    [`export const any = (name: string) => import(name);`, 'ladder/imports: The specifier of an import'],
  ];
  test.each(rows)('%s is forbidden in wire', async (code, expected) => {
    const [first = ''] = await messagesFor('wire/src/virtual.ts', code);
    expect(first.startsWith(expected) ? expected : first).toBe(expected);
  });

  test.each([
    ['wire/src/virtual.ts', `import { stack } from '@tessera/contracts'; export { frame } from './frame.js';`],
    ['wire/src/deep/virtual.ts', `import { frame } from '../frame.js';`],
    ['client/src/virtual.ts', `import { createPools } from '@tessera/pool';`],
    ['bson/src/virtual.ts', `import { ObjectId } from 'bson';`],
    ['node/src/virtual.ts', `import { connect } from 'node:net'; export type N = import('node:tls').TLSSocket;`],
  ])('%s allows %s', async (file, code) => {
    expect(await messagesFor(file, code)).toEqual([]);
  });

  test.each([
    ['client/src/virtual.ts', `import { nodeRuntime } from '@tessera/node';`],
    ['contracts/src/virtual.ts', `import { bson } from '@tessera/bson';`],
    ['mongodb/src/virtual.ts', `import { connect } from 'node:net';`],
  ])('%s forbids %s', async (file, code) => {
    expect(await messagesFor(file, code)).toHaveLength(1);
  });
});

describe('time, randomness, input and output', () => {
  test.each([
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
  ])('%s is forbidden outside node', async (code, names) => {
    expect(await messagesFor('wire/src/virtual.ts', code)).toEqual(names.map(ambient));
    expect(await messagesFor('node/src/virtual.ts', code)).toEqual([]);
  });

  test('import.meta is forbidden outside node, except in a file for which the table allows it', async () => {
    expect(await messagesFor('mongodb/src/agents.ts', 'export const x = import.meta.url;')).toEqual([]);
    expect(await messagesFor('wire/src/virtual.ts', 'export const x = import.meta.url;')).toEqual([
      'ladder/ambient: `import.meta`',
    ]);
  });

  test.each([
    'export const x = (ms: number): Date => new Date(ms);',
    'export const x = (value: unknown): boolean => value instanceof Date;',
    'export const x = Date.UTC(2026, 1);',
    'export const x = Math.max(1, 2);',
    'export const x = (setTimeout: () => void): void => { setTimeout(); };',
    'export const x = { setTimeout: 1, Date: 2 }.Date;',
    'export const x = (clock: { now(): number }): number => clock.now();',
  ])('%s is allowed everywhere', async code => {
    expect(await messagesFor('wire/src/virtual.ts', code)).toEqual([]);
  });

  test('only host.ts of bson may access Buffer', async () => {
    const code = 'export const x = globalThis.Buffer;';
    expect(await messagesFor('bson/src/host.ts', code)).toEqual([]);
    expect(await messagesFor('bson/src/encode.ts', code)).toEqual([ambient('globalThis')]);
  });

  test('the message names the contract to use instead', async () => {
    const [result] = await eslint.lintText('setTimeout(() => {}, 1);', {
      filePath: join(root, 'packages/pool/src/virtual.ts'),
    });
    expect(result!.messages.map(({ message }) => message)).toEqual([
      '`setTimeout` accesses the host: use `startTimer` or `sleep` of the contract `Clock`. Only `packages/node` may use it.',
    ]);
  });
});
