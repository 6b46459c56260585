// Runs all `npm run` commands: installs and builds what is missing, and then runs the command.
import { join } from 'node:path';
import { runAloud } from './child.mjs';
import { runChecks } from './checks.mjs';
import { Failure } from './failure.mjs';
import { quickStart } from './quick-start.mjs';
import { build, ensureInstalled, ensurePnpm, environment } from './setup.mjs';
import { lintWorkflows } from './steps.mjs';
import { mainOf } from './tools.mjs';
import { root } from './workspace.mjs';

/** @typedef {{ pnpm: string, env: NodeJS.ProcessEnv }} Ready */

/** @returns {Promise<Ready>} */
async function ready() {
  const { pnpm, env } = await ensureInstalled();
  await build(pnpm, env);
  return { pnpm, env };
}

/**
 * Prepares commands that are useful although some code does not compile. Builds what compiles, and prints what does
 * not.
 */
async function nearlyReady() {
  const { pnpm, env } = await ensureInstalled();
  try {
    await build(pnpm, env);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    process.stderr.write(`setup: ${error.message} Results for packages that depend on it may be wrong.\n`);
  }
  return { pnpm, env };
}

/** @param {Ready} ready @param {string} name @param {readonly string[]} args */
const tool = ({ env }, name, args) => runAloud(process.execPath, [mainOf(name), ...args], { cwd: root, env });

/** Runs a program of a dependency with pnpm. @param {Ready} ready @param {readonly string[]} args */
const program = ({ pnpm, env }, ...args) => runAloud(pnpm, ['exec', ...args], { cwd: root, env });

/** @param {readonly string[]} args @param {readonly string[]} otherwise */
const or = (args, otherwise) => (args.length > 0 ? args : otherwise);

/** The commands. Each returns its exit code. @type {Record<string, (args: string[]) => Promise<number>>} */
const commands = {
  setup: async () => {
    await ready();
    return 0;
  },
  start: async args => quickStart(await ready(), args),
  test: names => runChecks(names),
  'test:full': names => runChecks(names, { full: true }),
  build: async args => program(await ensureInstalled(), 'turbo', 'run', 'build', '--output-logs=new-only', ...args),
  lint: async args => program(await nearlyReady(), 'oxlint', ...args),
  format: async args => program(await ensureInstalled(), 'oxfmt', ...or(args, ['.'])),
  types: async args => program(await nearlyReady(), 'tsc', '-b', ...args),
  api: async () => {
    const { env } = await ready();
    return runAloud(process.execPath, [join('scripts', 'api.mjs'), '--write'], { cwd: root, env });
  },
  workflows: async () => program(await ensureInstalled(), ...lintWorkflows),
  release: async args => program(await ready(), 'changeset', ...args),
  vitest: async args => program(await nearlyReady(), 'vitest', ...or(args, ['run'])),
  ...Object.fromEntries(
    [
      'fixtures',
      'language',
      'conformance',
      'real',
      'load-check',
      'bench',
      'engines',
      'peers',
      'dependents',
      'differential',
      'facts',
      'fuzz',
      'mistakes',
      'rough',
      'simulate',
      'resilience',
      'overload',
      'durability',
      'soak',
    ].map(name => [name, /** @param {string[]} args */ async args => tool(await ready(), name, args)]),
  ),
  // These commands run the sources, so they need no build.
  faults: async args => {
    const { env } = await ensureInstalled();
    return runAloud(process.execPath, [join('scripts', 'faults', 'main.mjs'), ...args], { cwd: root, env });
  },
  mutation: async args => {
    const { pnpm, env } = await ensureInstalled();
    const code = await runAloud(process.execPath, [join('scripts', 'mutation', 'main.mjs'), ...args], {
      cwd: root,
      env,
    });
    return args.includes('--write') ? (await program({ pnpm, env }, 'oxfmt', 'docs/mutation.md')) || code : code;
  },
  docs: async args => {
    const able = await ready();
    const pages = ['README.md', ...['prose-tests', 'treacherous-points', 'mutation'].map(name => `docs/${name}.md`)];
    const written = [...pages, 'packages/server/SUPPORT.md'];
    const scores = [join('scripts', 'mutation', 'write-page.mjs')];
    return (
      (await tool(able, 'docs', args)) ||
      (await runAloud(process.execPath, scores, { cwd: root, env: able.env })) ||
      program(able, 'oxfmt', ...written)
    );
  },
  pnpm: async args => {
    const pnpm = await ensurePnpm();
    return runAloud(pnpm, args, { cwd: root, env: environment(pnpm) });
  },
};

const [name = '', ...args] = process.argv.slice(2);
try {
  const command = commands[name];
  if (command === undefined) throw new Failure(`There is no command "${name}": ${Object.keys(commands).join(', ')}.`);
  process.exitCode = await command(args);
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  if (error.log !== '') process.stderr.write(`${error.log.trimEnd()}\n\n`);
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
