import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { DoorFound } from '../../../src/fuzz/doors/doors.js';
import { doorCase } from '../../../src/fuzz/doors/cases.js';
import { playDoors } from '../../../src/fuzz/doors/doors.js';
import type { Planted } from '../../../src/fuzz/target.js';

const program = fileURLToPath(new URL('planted.mjs', import.meta.url));

/** A text in a module of the server, and its replacement. */
interface Hole {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  readonly options?: object;
}

const none: Hole = { file: '/server/dist/auth/needs.js', find: 'const killAny', replace: 'const killAny' };

const seed = 1;

/** Plays cases from this number on, on a server with this hole or none. */
const fuzz = async (first: number, count: number, hole?: Hole): Promise<DoorFound | undefined> => {
  const options = { replicaSet: 'rs0', users: [{ user: 'root', pwd: 'root' }] };
  const planted: Planted & Hole = { program, ...(hole ?? none), options };
  const cases = Array.from({ length: count }, (_, i) => doorCase(seed, first + i));
  return (await playDoors({ options: planted, hasTransactions: true }, cases, () => true)).found;
};

const pipelines = '/server/dist/auth/pipeline-needs.js';
const needs = '/server/dist/auth/needs.js';

const holes: readonly (readonly [name: string, kind: string, number: number, hole: Hole])[] = [
  [
    'pipelines of $unionWith need nothing',
    'leak',
    1542,
    { file: pipelines, find: ": foreign('coll')(spec, db, source)", replace: ': []' },
  ],
  [
    'pipelines of $facet need nothing',
    'leak',
    37,
    { file: pipelines, find: 'stagesNeeds(db, source, stages)) : []', replace: '[]) : []' },
  ],
  [
    '$merge and $out are checked in the database of the command',
    'change',
    309,
    { file: pipelines, find: "typeof other === 'string' ? other : db", replace: 'db' },
  ],
  [
    'all operations of bulkWrite are checked for the first namespace',
    'change',
    1069,
    { file: needs, find: 'targets[toSafeInteger(index) ?? -1]', replace: 'targets[0]' },
  ],
  [
    'sessions of different users are the same session',
    'change',
    149,
    { file: '/server/dist/auth/session-keys.js', find: 'return id + own;', replace: 'return id;' },
  ],
  [
    'every user may kill the cursors of others',
    'change',
    119,
    { file: '/server/dist/commands/cursors.js', find: 'if (users.length === 0 ||', replace: 'if (true ||' },
  ],
  [
    'every user may kill all sessions',
    'change',
    39,
    { file: needs, find: "killAny = () => [need('killAnySession', cluster)]", replace: 'killAny = () => []' },
  ],
  [
    'every proof of SCRAM is right',
    'login',
    315,
    {
      file: '/server/dist/auth/scram.js',
      find: 'xor(proof, signature)), storedKey)',
      replace: 'xor(proof, signature)), storedKey) && false',
    },
  ],
  [
    'a client that calls itself a server is trusted',
    'leak',
    47,
    {
      file: '/server/dist/commands/hello.js',
      find: 'call.client.isInternal = true;',
      replace: 'call.client.isInternal = call.client.isTrusted = true;',
    },
  ],
];

test.each(holes)(
  'finds that %s',
  async (_name, kind, number, hole) => {
    // All that is planted is checked after each ten cases, so these ten are also what a replay plays.
    const found = await fuzz(number - (number % 10), 10, hole);
    expect([found?.violation.kind, found?.failed.number]).toEqual([kind, number]);
  },
  120_000,
);

test('finds nothing without a hole', async () => {
  expect(await fuzz(0, 40)).toBeUndefined();
}, 60_000);
