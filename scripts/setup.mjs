// Sets up the repository with Node.js and npm only: downloads the pinned pnpm once, installs the dependencies of the
// lockfile, and builds.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runQuietly } from './child.mjs';
import { Failure } from './failure.mjs';
import { allInstalled, installDigest, pnpmVersion, root } from './workspace.mjs';

const pnpmHome = join(root, '.cache', `pnpm-${pnpmVersion}`);
const stamp = join(root, 'node_modules', '.installed');

/** @param {string} sentence */
const say = sentence => {
  process.stderr.write(`setup: ${sentence}\n`);
};

/** @param {string} doing @param {() => Promise<unknown>} step */
async function timed(doing, step) {
  say(`${doing} …`);
  const start = Date.now();
  await step();
  say(`${doing}: done in ${((Date.now() - start) / 1000).toFixed(1)} s`);
}

const noNetwork =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|ENOTCACHED|NO_OFFLINE|META_FETCH|error sending request|dns error|tcp connect|network/i;

/** @param {string} what @param {string} log */
const explained = (what, log) =>
  noNetwork.test(log)
    ? new Failure(
        `${what}, because the package registry could not be reached. The first run needs the network. Configure a proxy or mirror for npm if necessary (\`npm config\`), and run the same command again.`,
        log,
      )
    : new Failure(`${what}. Its output is above. Fix the cause and run the same command again.`, log);

/** Runs npm as it was called, or the npm on the PATH. @param {readonly string[]} args */
async function npm(args) {
  const called = process.env['npm_execpath'] ?? '';
  try {
    return /npm-cli\.[cm]?js$/.test(called)
      ? await runQuietly(process.execPath, [called, ...args], { cwd: root })
      : await runQuietly('npm', args, { cwd: root, shell: process.platform === 'win32' });
  } catch (error) {
    throw new Failure(
      `npm could not be started. It is part of Node.js: install Node.js and run the same command again (${String(error)}).`,
    );
  }
}

/** @param {string} home @returns {Promise<string | undefined>} */
async function pnpmIn(home) {
  const wrapper = join(home, 'node_modules', 'pnpm', 'native-binary.mjs');
  if (!existsSync(wrapper)) return undefined;
  const { resolveInstalledBinary } = await import(pathToFileURL(wrapper).href);
  return resolveInstalledBinary() ?? undefined;
}

/** Downloads pnpm into a temporary folder and then moves it, so that a killed run leaves no partial installation. */
async function fetchPnpm() {
  const unfinished = `${pnpmHome}.unfinished`;
  for (const folder of [unfinished, pnpmHome]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  writeFileSync(join(unfinished, 'package.json'), '{"private":true}\n');
  try {
    const { code, log } = await npm([
      ...[
        'install',
        '--prefix',
        unfinished,
        '--no-save',
        '--no-package-lock',
        '--ignore-scripts',
        '--include=optional',
      ],
      ...['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'],
      ...['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=2000'],
      `pnpm@${pnpmVersion}`,
    ]);
    if (code !== 0) throw explained(`npm could not fetch pnpm ${pnpmVersion}`, log);
    renameSync(unfinished, pnpmHome);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Returns the executable of the pinned pnpm, which is downloaded on first use. @returns {Promise<string>} */
export async function ensurePnpm() {
  const present = await pnpmIn(pnpmHome);
  if (present !== undefined) return present;
  await timed(`fetching pnpm ${pnpmVersion} (once)`, fetchPnpm);
  const fetched = await pnpmIn(pnpmHome);
  if (fetched !== undefined) return fetched;
  throw new Failure(
    `pnpm ${pnpmVersion} has no program for ${process.platform} ${process.arch}. Tessera can be built on Linux, macOS and Windows, on x64 and arm64.`,
  );
}

/** Logs have no colors. */
const plain = process.stdout.isTTY ? {} : { NO_COLOR: '1', FORCE_COLOR: undefined };

/**
 * Returns the environment of all commands, in which the programs of the workspace come first on the PATH.
 * @param {string} pnpm
 */
export function environment(pnpm) {
  const path = Object.keys(process.env).find(key => key.toUpperCase() === 'PATH') ?? 'PATH';
  return {
    ...process.env,
    ...plain,
    [path]: [dirname(pnpm), join(root, 'node_modules', '.bin'), process.env[path]].join(delimiter),
    TURBO_TELEMETRY_DISABLED: '1',
    DO_NOT_TRACK: '1',
  };
}

/** @param {string} pnpm @param {NodeJS.ProcessEnv} env */
async function install(pnpm, env) {
  const digest = installDigest();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest && allInstalled()) return;
  await timed('installing the dependencies', async () => {
    // The lockfile is reviewed, so pnpm trusts it. Verifying it would need the network each time.
    const frozen = ['install', '--frozen-lockfile', '--trust-lockfile', '--prefer-offline', '--config.fetch-retries=1'];
    const { code, log } = await runQuietly(pnpm, frozen, { cwd: root, env });
    if (code !== 0 && log.includes('OUTDATED_LOCKFILE')) {
      throw new Failure(
        'A package.json changed but pnpm-lock.yaml did not. Run `npm run pnpm -- install` and commit the lockfile.',
        log,
      );
    }
    if (code !== 0) throw explained('The dependencies could not be installed', log);
    writeFileSync(stamp, digest);
  });
}

/** Returns the folders with compiler errors. @param {string} output */
const foldersOf = output =>
  new Set([...output.matchAll(/^((?:packages|tools|examples)\/[^/]+)\/.*: error TS/gm)].map(match => match[1]));

/**
 * Builds what changed. One process for all packages takes a third of the time of one process per package. Packages that
 * do not compile are reported, and the others are built if they do not depend on these.
 * @param {string} pnpm @param {NodeJS.ProcessEnv} env
 */
export async function build(pnpm, env) {
  const start = Date.now();
  const announced = setTimeout(() => say('building …'), 2000);
  const { code, log } = await runQuietly(
    pnpm,
    ['exec', 'tsc', '-b', 'tsconfig.build.json', '--verbose', '--pretty', 'false'],
    {
      cwd: root,
      env,
    },
  );
  clearTimeout(announced);
  const built = [...log.matchAll(/Building project '/g)].length;
  const output = log
    .split('\n')
    .filter(text => text !== '' && !/^(?:\d+:\d+:\d+ | {4}\* )/.test(text))
    .join('\n');
  const failed = [...foldersOf(output)].join(', ') || 'the repository';
  if (code !== 0) throw new Failure(`The build failed, in ${failed}.`, output);
  if (built > 0) say(`built ${String(built)} packages in ${((Date.now() - start) / 1000).toFixed(1)} s`);
}

/** Installs pnpm and the dependencies if necessary. @returns {Promise<{ pnpm: string, env: NodeJS.ProcessEnv }>} */
export async function ensureInstalled() {
  const pnpm = await ensurePnpm();
  const env = environment(pnpm);
  await install(pnpm, env);
  return { pnpm, env };
}
