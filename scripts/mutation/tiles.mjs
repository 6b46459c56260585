// The tiles of the driver, and the tests that judge the mutants of each.
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { Failure } from '../failure.mjs';
import { root } from '../workspace.mjs';

/**
 * A package, globs of the tests that judge its mutants, and the suites of the specifications that judge them too.
 * @typedef {{ name: string, tests: readonly string[], suites: readonly string[] }} Tile
 */

/** @param {string} name @param {readonly string[]} [suites] @param {string} [tests] @returns {Tile} */
const tile = (name, suites = [], tests = '**/!(*.host).test.ts') => ({
  name,
  tests: [`packages/${name}/test/${tests}`],
  suites,
});

/** @type {readonly Tile[]} */
export const tiles = [
  tile('bson', ['bson-corpus', 'bson-binary-vector']),
  tile('wire'),
  tile('snappy'),
  tile('zstd'),
  tile('log'),
  tile('connection'),
  tile('auth', ['auth']),
  // The properties run thousands of histories, once more for every mutant.
  tile('pool', ['connection-monitoring-and-pooling'], '!(properties|many-waiters).test.ts'),
  tile('topology', ['server-discovery-and-monitoring', 'server-selection', 'max-staleness']),
  tile('session', [], '!(properties).test.ts'),
  tile('retry'),
  tile('operations'),
  tile('uri', ['connection-string', 'uri-options', 'auth', 'initial-dns-seedlist-discovery']),
  tile('gridfs'),
  tile('client', ['read-write-concern']),
  // Its tests open real sockets and files.
  tile('node', [], '*.test.ts'),
];

/** Returns the source files of a tile, by their paths in the repository. @param {string} name */
export const filesOf = name =>
  readdirSync(join(root, 'packages', name, 'src'), { recursive: true })
    .map(path => `packages/${name}/src/${String(path).split(sep).join('/')}`)
    .filter(path => path.endsWith('.ts'))
    .sort();

/** @typedef {{ tile: Tile, files: readonly string[] }} Wanted */

/**
 * Returns the tiles and files that the arguments name: a tile by its name, a file by its path. Without arguments, all tiles.
 * @param {readonly string[]} args @returns {Wanted[]} @throws Failure if an argument names neither
 */
export function wantedBy(args) {
  if (args.length === 0) return tiles.map(tile => ({ tile, files: filesOf(tile.name) }));
  const files = new Set(args.flatMap(arg => (tiles.some(({ name }) => name === arg) ? filesOf(arg) : [pathOf(arg)])));
  return tiles
    .map(tile => ({ tile, files: filesOf(tile.name).filter(file => files.has(file)) }))
    .filter(({ files: own }) => own.length > 0);
}

/** @param {string} arg */
function pathOf(arg) {
  const path = relative(root, join(root, arg)).split(sep).join('/');
  const isOfTile = tiles.some(({ name }) => path.startsWith(`packages/${name}/src/`));
  if (!isOfTile || !path.endsWith('.ts') || !existsSync(join(root, path)))
    throw new Failure(
      `"${arg}" is neither a tile (${tiles.map(({ name }) => name).join(', ')}) nor a source file of one (packages/uri/src/srv.ts).`,
    );
  return path;
}
