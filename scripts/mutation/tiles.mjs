// The tiles of the driver and of the embedded server, and the tests that judge the mutants of each tile.
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { Failure } from '../failure.mjs';
import { root } from '../workspace.mjs';

/**
 * A package, and globs of the tests that judge its mutants. The `slow` tests and the specification suites judge only
 * the survivors of the other tests. Suites in `data` have their own format. Suites in `unified` run on the embedded
 * server.
 * @typedef {{ data: readonly string[], unified: readonly string[] }} Suites
 * @typedef {{ name: string, tests: readonly string[], slow: readonly string[], suites: Suites }} Tile
 */

/**
 * Makes a tile. Tests in `apart` judge nothing. By default these are the host tests.
 * @param {string} name @param {Partial<Suites> & { slow?: readonly string[], apart?: readonly string[] }} [more]
 * @returns {Tile}
 */
const tile = (name, { data = [], unified = [], slow = [], apart = ['*.host'] } = {}) => {
  const others = [...apart, ...slow];
  return {
    name,
    tests: [`packages/${name}/test/**/!(${others.join('|')}).test.ts`],
    slow: slow.map(test => `packages/${name}/test/${test}.test.ts`),
    suites: { data, unified },
  };
};

/** @type {readonly Tile[]} */
export const tiles = [
  tile('bson', {
    data: ['bson-corpus', 'bson-binary-vector'],
    slow: ['damage', 'learned', 'host', 'straight-line', 'differential'],
  }),
  tile('wire'),
  tile('snappy'),
  tile('zstd'),
  tile('log', { unified: ['command-logging-and-monitoring'] }),
  tile('connection', { unified: ['command-logging-and-monitoring'] }),
  tile('auth', { data: ['auth'] }),
  tile('pool', { data: ['connection-monitoring-and-pooling'], slow: ['properties', 'many-waiters'] }),
  tile('attempt', { data: ['server-selection'], unified: ['retryable-reads', 'transactions'] }),
  tile('topology', { data: ['server-discovery-and-monitoring', 'server-selection', 'max-staleness'] }),
  tile('session', {
    unified: ['transactions', 'transactions-convenient-api', 'sessions', 'causal-consistency'],
    slow: ['properties'],
  }),
  tile('retry', { unified: ['retryable-reads', 'retryable-writes', 'client-backpressure'], slow: ['contract'] }),
  tile('operations', {
    unified: ['crud', 'change-streams', 'collection-management', 'index-management', 'run-command'],
  }),
  tile('uri', { data: ['connection-string', 'uri-options', 'auth', 'initial-dns-seedlist-discovery'] }),
  tile('gridfs', { unified: ['gridfs'] }),
  tile('client', {
    data: ['read-write-concern'],
    unified: ['crud', 'change-streams', 'versioned-api', 'run-command'],
    slow: ['crud-prose', 'stacks', 'bad-input', 'odd-hello', 'chaos'],
  }),
  // The tests of `node` open real sockets and files. One of them starts a program that needs built packages.
  tile('node', { apart: ['log-streams.host'] }),
  tile('text'),
  tile('search'),
  tile('store', { slow: ['sorted-positions', 'difference'] }),
  tile('javascript', { slow: ['any-source', 'overflow'] }),
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
      `"${arg}" is neither a tile (${tiles.map(({ name }) => name).join(', ')}) nor a source file of one, such as packages/uri/src/srv.ts.`,
    );
  return path;
}
