import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileIn, installPacked } from '../../src/index.js';
import type { Compiled } from '../../src/index.js';

const folder = join(import.meta.dirname, 'outside');
let outside: Compiled | undefined;

beforeAll(async () => {
  const project = await installPacked(['@tessera/bson', '@tessera/mongodb', '@tessera/sim', 'tessera-server']);
  outside = await compileIn(project, folder);
}, 120_000);

afterAll(() => outside?.remove());

/** The output of `work` in prove.ts, which is the same for all parts. */
const work = [
  'inserted 25',
  'found 25, in order: true',
  'prices of even items: 36 33 30 27 24 21 18 15 12 9 6 3 0',
  'updated 5: {"_id":24,"name":"item 24","price":136,"tags":["even","dear"]}',
  'MongoServerError 11000: E11000 duplicate key error collection: shop.items index: _id_ dup key: { _id: 7 }',
  'sum of prices: [{"_id":null,"sum":950}]',
  "MongoServerError 40324: Unrecognized pipeline stage name: '$nonsense'",
  'dropped: true',
  'commands: insert 2, find 3, getMore 5, update 1, aggregate 2, drop 1',
];

const frames = Object.entries({ insert: 2, find: 3, getMore: 5, update: 1, aggregate: 2, drop: 1, endSessions: 1 }).map(
  ([name, sent]) => `${name}: ${sent} frames, ${sent} replies, larger than headers: true`,
);

const cut = 'MongoNetworkError: The connection to the server was cut.';

/** Rows of the table in ARCHITECTURE.md, each with its program in outside/ and the output. */
const rows: readonly (readonly [row: string, program: string, printed: readonly string[]])[] = [
  [
    'codec: only the npm package `bson`',
    'codec',
    ['codecSuite: all cases pass', ...work, '1 writer created, at least 15 replies read: true'],
  ],
  [
    'codec, at wire level: copies each message, with a recorder of frames around it',
    'wire',
    ['wireSuite: all cases pass', ...work, ...frames],
  ],
  [
    'pool: one queue, one closure',
    'pool',
    ['poolSuite: all cases pass', ...work, 'concurrent inserts: 40, over 3 connections of 1 pool'],
  ],
  [
    'retry policy: three attempts and a retry budget',
    'retry-policy',
    [
      'retryPolicySuite: all cases pass',
      ...work,
      'two failures: {"_id":"found"}',
      `three failures: ${cut}, 3 attempts`,
      `with a nearly exhausted budget: ${cut}, 2 attempts`,
      'after eight successes: {"_id":"found"}',
      `a write that may have been executed: ${cut}`,
    ],
  ],
  [
    'authenticator: reads the password of each connection from a vault',
    'authenticator',
    [
      'authenticatorSuite: all cases pass',
      ...work,
      'logged in: [{"user":"ada","db":"admin"}]',
      'with the new password: 0',
      'reads from the vault: 2',
    ],
  ],
  [
    'connections: a single state and timer each',
    'connect',
    ['connectSuite: all cases pass', ...work, 'connections for operations: 1, connections for monitors: true'],
  ],
  [
    'log: commands, connections and server selection',
    'log',
    [
      'logSuite: all cases pass',
      ...work,
      'Command started: 15',
      'Command succeeded: 14',
      'Command failed: 1',
      'Connection created: 1',
    ],
  ],
  [
    'compressor: the synchronous zlib of Node.js, with counts',
    'compressor',
    ['compressorSuite: all cases pass', ...work, 'compressed 14, decompressed 14'],
  ],
  [
    'topology: equivalent servers in turn, except for the commands of a cursor',
    'topology',
    ['topologySuite: all cases pass', ...work, 'servers: 1 0 0 0 0 1 1 1 0 1 0 1 0 1 0'],
  ],
  ['transport: sockets in memory', 'transport', ['transportSuite: all cases pass', ...work]],
  [
    'anything across, at operation level: a layer that limits concurrency to two',
    'operation-layer',
    [
      ...work,
      'concurrent inserts: 20, at most 2 at a time',
      "MongoServerError: no such command: 'nonsense'",
      'operations: insert 22, find 3, getMore 5, update 1, aggregate 2, drop 1, nonsense 1',
    ],
  ],
  [
    'anything across, at command level: an exchange that adds a comment and records every reply',
    'command-layer',
    [...work, 'comments: billing', `replies: ${[...Array<string>(12).fill('ok'), 'error 40324', 'ok'].join(', ')}`],
  ],
  [
    'all parts at once',
    'everything',
    [...work, '14 operations, 14 replies, servers: one:1, two:1', '30 log messages', 'getMore: 5 frames'],
  ],
];

/** The packages of the repository that a file of outside/ imports. */
const importsOf = (file: string): readonly string[] =>
  [...readFileSync(join(folder, file), 'utf8').matchAll(/ from '(@tessera\/[^']+)'/g)].map(([, name]) => name!);

test.each(rows)('a program with only the packed packages replaces %s', async (_row, program, printed) => {
  const { code, stdout, stderr } = await outside!.run(program);
  expect({ code, printed: stdout.trimEnd().split('\n'), stderr }).toEqual({ code: 0, printed, stderr: '' });
});

/**
 * The package whose part a program replaces, by program. All other packages of the driver are in `@tessera/mongodb`.
 */
const replaced: Readonly<Record<string, string>> = { codec: '@tessera/bson', compressor: '@tessera/node' };

test('no program imports a package whose part it replaces', () => {
  const allowed = ['bson', 'contracts', 'mongodb', 'node', 'server', 'sim'].map(name => `@tessera/${name}`);
  for (const [, program] of rows) {
    const names = importsOf(`${program}.ts`);
    expect([program, names.filter(name => name === replaced[program] || !allowed.includes(name))]).toEqual([
      program,
      [],
    ]);
  }
});

test('the replacement parts import only @tessera/contracts', () => {
  const programs = new Set([...rows.map(([, program]) => `${program}.ts`), 'prove.ts']);
  const parts = readdirSync(folder).filter(name => !programs.has(name));
  expect(new Set(parts.flatMap(importsOf))).toEqual(new Set(['@tessera/contracts']));
});
