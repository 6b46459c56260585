import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileIn, installPacked } from '../../src/index.js';
import type { Compiled } from '../../src/index.js';

const folder = join(import.meta.dirname, 'outside');
let outside: Compiled | undefined;

beforeAll(async () => {
  const project = await installPacked(['@tessera/mongodb', '@tessera/sim', 'tessera-server']);
  outside = await compileIn(project, folder);
}, 120_000);

afterAll(() => outside?.remove());

/** What `work` of prove.ts prints, whatever part is in it. */
const work = [
  'inserted 25',
  'found 25, in order: true',
  'prices of the even ones: 36 33 30 27 24 21 18 15 12 9 6 3 0',
  'updated 5: {"_id":24,"name":"item 24","price":136,"tags":["even","dear"]}',
  'MongoServerError 11000: E11000 duplicate key error collection: shop.items index: _id_ dup key: { _id: 7 }',
  'sum of prices: [{"_id":null,"sum":950}]',
  "MongoServerError 40324: Unrecognized pipeline stage name: '$nonsense'",
  'dropped: true',
  'commands: insert 2, find 3, getMore 5, update 1, aggregate 2, drop 1',
];

const frames = Object.entries({ insert: 2, find: 3, getMore: 5, update: 1, aggregate: 2, drop: 1, endSessions: 1 }).map(
  ([name, sent]) => `${name}: ${sent} frames, ${sent} answered, more than headers: true`,
);

const cut = 'MongoNetworkError: Someone cut the cable to the server';

/** Row of the table in ARCHITECTURE.md → the program of outside/ and what it prints. */
const rows: readonly (readonly [row: string, program: string, printed: readonly string[]])[] = [
  [
    'codec: the npm package `bson` alone',
    'codec',
    ['codecSuite: every rule is kept', ...work, 'written by 1 writer, at least 15 replies read: true'],
  ],
  [
    'codec, at wire level: messages in memory of their own, with a recorder of frames around it',
    'wire',
    ['wireSuite: every rule is kept', ...work, ...frames],
  ],
  [
    'pool: one line, one closure',
    'pool',
    ['poolSuite: every rule is kept', ...work, 'inserted by a crowd: 40 over 3 connections of 1 pool'],
  ],
  [
    'retry policy: three attempts, and a budget',
    'retry-policy',
    [
      'retryPolicySuite: every rule is kept',
      ...work,
      'two lost: {"_id":"found"}',
      `three lost: ${cut}, 3 attempts`,
      `the budget is nearly spent: ${cut}, 2 attempts`,
      'after eight successes: {"_id":"found"}',
      `a write that may have been done: ${cut}`,
    ],
  ],
  [
    'authenticator: a vault is asked for the password of each connection',
    'authenticator',
    [
      'authenticatorSuite: every rule is kept',
      ...work,
      'logged in: [{"user":"ada","db":"admin"}]',
      'with the new password: 0',
      'the vault was asked: 2',
    ],
  ],
  [
    'connections: one state and one timer each',
    'connect',
    ['connectSuite: every rule is kept', ...work, 'connections for operations: 1, for monitors: true'],
  ],
  [
    'log: the messages of commands and connections alone',
    'log',
    [
      'logSuite: every rule is kept',
      ...work,
      'Command started: 15',
      'Command succeeded: 14',
      'Command failed: 1',
      'Connection created: 1',
    ],
  ],
  [
    'compressor: the zlib of Node.js, counted',
    'compressor',
    ['compressorSuite: every rule is kept', ...work, 'packed 14, unpacked 14'],
  ],
  [
    'topology: equal doors to one database in turn, a cursor staying at its own',
    'topology',
    ['topologySuite: every rule is kept', ...work, 'doors: 1 0 0 0 0 1 1 1 0 1 0 1 0 1 0'],
  ],
  ['transport: sockets in memory', 'transport', ['transportSuite: every rule is kept', ...work]],
  [
    'anything across, at operation level: a layer that lets two in at a time',
    'operation-layer',
    [
      ...work,
      'inserted by a crowd: 20, never more than 2 at a time',
      "MongoServerError: no such command: 'nonsense'",
      'passed: insert 22, find 3, getMore 5, update 1, aggregate 2, drop 1, nonsense 1',
    ],
  ],
  [
    'anything across, at command level: an exchange that signs every command and hears every reply',
    'command-layer',
    [
      ...work,
      'comments: billing',
      `heard: ${[...Array<string>(12).fill('ok'), 'refused with 40324', 'ok'].join(', ')}`,
    ],
  ],
  [
    'all of them at once',
    'everything',
    [...work, 'passed 14, heard 14, by doors: one:1, two:1', 'logged 30', 'getMore: 5 frames'],
  ],
];

/** The packages of the repository that a file of outside/ imports. */
const importsOf = (file: string): readonly string[] =>
  [...readFileSync(join(folder, file), 'utf8').matchAll(/ from '(@tessera\/[^']+)'/g)].map(([, name]) => name!);

test.each(rows)('with the packed packages alone, a stranger replaces %s', async (_row, program, printed) => {
  const { code, stdout, stderr } = await outside!.run(program);
  expect({ code, printed: stdout.trimEnd().split('\n'), stderr }).toEqual({ code: 0, printed, stderr: '' });
});

/** Packages whose part the program of that name replaces; all others of the driver are in `@tessera/mongodb`. */
const replaced: Readonly<Record<string, string>> = { codec: '@tessera/bson', compressor: '@tessera/node' };

test('no program from outside imports a package whose part it replaces', () => {
  const allowed = ['bson', 'contracts', 'mongodb', 'node', 'server', 'sim'].map(name => `@tessera/${name}`);
  for (const [, program] of rows) {
    const names = importsOf(`${program}.ts`);
    expect([program, names.filter(name => name === replaced[program] || !allowed.includes(name))]).toEqual([
      program,
      [],
    ]);
  }
});

test('every part from outside imports no package of the driver but the contracts', () => {
  const programs = new Set([...rows.map(([, program]) => `${program}.ts`), 'prove.ts']);
  const parts = readdirSync(folder).filter(name => !programs.has(name));
  expect(new Set(parts.flatMap(importsOf))).toEqual(new Set(['@tessera/contracts']));
});
