// The long checks of the drop-in. They install it with the line of its guide, by each package manager and beside test
// frameworks, which come from the package registry.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '@tessera-tools/house';
import { startServer } from 'tessera-server';
import type { Check } from './checks.js';
import { resolutions, typeErrorsOfDropIn } from './drop-in.js';
import type { Resolution } from './drop-in.js';
import { mustRun, npm, pnpm, run } from './program.js';
import type { Registry } from './registry.js';

const dropIn = 'mongodb@npm:@tessera/mongodb';
const quietly = ['--no-audit', '--no-fund', '--loglevel=error'];
const frameworks = ['jest@30', 'ts-jest@29', '@jest/globals@30', 'vitest@4.1.12', 'typescript@6.0.3', '@types/node@20'];

/** The settings of TypeScript that ts-jest supports. */
const ofTsJest: readonly Resolution[] = ['node10', 'node16', 'bundler'];

const managers: Readonly<Record<string, () => Promise<readonly [string, ...string[]]>>> = {
  npm: () => Promise.resolve([...npm(), 'install', ...quietly, dropIn, 'bson']),
  pnpm: async () => [await pnpm(), 'add', dropIn, 'bson'],
  // The first arguments run yarn from the package registry.
  yarn: () =>
    Promise.resolve([...npm(), 'exec', '--yes', '--package=yarn@1.22.22', '--', 'yarn', 'add', dropIn, 'bson']),
};

/** Creates a project outside of the repository, with the programs of the tests, and runs a command in it. */
async function createProject(
  { url }: Registry,
  [program, ...args]: readonly [string, ...string[]],
  uri: string,
): Promise<string> {
  const project = mkdtempSync(join(tmpdir(), 'drop-in-'));
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'user', version: '1.0.0', private: true }));
  writeFileSync(join(project, '.npmrc'), `@tessera:registry=${url}/\n`);
  writeFileSync(join(project, 'uri.json'), JSON.stringify(uri));
  cpSync(join(root, 'tools', 'publish', 'test', 'drop-in'), project, { recursive: true });
  await mustRun(program, args, project, 300_000);
  return project;
}

/** Runs a program of Node.js in a project. Returns its output if it fails. */
async function failureOf(project: string, ...args: readonly string[]): Promise<string[]> {
  const { code, stdout, stderr } = await run(process.execPath, args, project, 120_000);
  return code === 0 ? [] : [`${args.join(' ')} exited with code ${code}: ${stdout}${stderr}`];
}

/** A test for ts-jest. */
const tsJestTest = `
import { expect, test } from '@jest/globals';
import * as bson from 'bson';
import { MongoClient, ObjectId } from 'mongodb';
import { EJSON } from 'mongodb/lib/bson';
import uri from './uri.json';

test('the driver works in ts-jest', async () => {
  expect(ObjectId).toBe(bson.ObjectId);
  const client: MongoClient = new MongoClient(uri);
  const tests = client.db('ts-jest').collection<{ at: Date }>('tests');
  const { insertedId } = await tests.insertOne({ at: new Date(0) });
  expect(EJSON.stringify(await tests.findOne({ _id: insertedId }, { projection: { _id: 0 } }))).toBe(
    '{"at":{"$date":"1970-01-01T00:00:00Z"}}',
  );
  await client.close();
});
`;

/** Writes the configuration of Jest for ts-jest with a setting of TypeScript. Returns the name of the file. */
function configureTsJest(project: string, resolution: Resolution): string {
  const compilerOptions = {
    ...{ target: 'es2022', lib: ['es2022'], module: resolutions[resolution], moduleResolution: resolution },
    ...{ strict: true, skipLibCheck: false, types: ['node'], esModuleInterop: true, resolveJsonModule: true },
    ignoreDeprecations: '6.0',
  };
  writeFileSync(join(project, 'ts-jest.user.ts'), tsJestTest);
  const tsconfig = `ts-jest.${resolution}.json`;
  writeFileSync(join(project, tsconfig), JSON.stringify({ compilerOptions }));
  const config = `jest.${resolution}.json`;
  const transform = { '^.+\\.ts$': ['ts-jest', { tsconfig }] };
  writeFileSync(join(project, config), JSON.stringify({ testMatch: ['**/ts-jest.user.ts'], transform }));
  return config;
}

/** A server for the checks, and the projects that they have created. */
interface Scene {
  readonly registry: Registry;
  readonly uri: string;
  readonly frameworks: () => Promise<string>;
  readonly installed: (manager: string) => Promise<string>;
}

const checksIn = ({ uri, frameworks: withFrameworks, installed }: Scene): Check[] => [
  ...Object.keys(managers).map(manager => ({
    title: `drop-in: \`${manager}\` installs it, and CommonJS and ES modules run`,
    complaints: async () => {
      const project = await installed(manager);
      return [...(await failureOf(project, 'require.cjs', uri)), ...(await failureOf(project, 'import.mjs', uri))];
    },
  })),
  ...(Object.keys(resolutions) as Resolution[]).map(resolution => ({
    title: `drop-in: moduleResolution ${resolution} finds its types`,
    complaints: async () => typeErrorsOfDropIn(await withFrameworks(), resolution),
  })),
  {
    title: 'drop-in: Jest runs a test without flags',
    complaints: async () => {
      const config = JSON.stringify({ testMatch: ['**/jest.user.cjs'] });
      return failureOf(await withFrameworks(), join('node_modules', 'jest', 'bin', 'jest.js'), '--config', config);
    },
  },
  ...ofTsJest.map(resolution => ({
    title: `drop-in: ts-jest runs a test with moduleResolution ${resolution}`,
    complaints: async () => {
      const project = await withFrameworks();
      const config = configureTsJest(project, resolution);
      return failureOf(project, join('node_modules', 'jest', 'bin', 'jest.js'), '--config', config);
    },
  })),
  {
    title: 'drop-in: vitest runs a test',
    complaints: async () => {
      const project = await withFrameworks();
      writeFileSync(join(project, 'vitest.config.mjs'), `export default { test: { include: ['vitest.user.mjs'] } };`);
      return failureOf(project, join('node_modules', 'vitest', 'vitest.mjs'), 'run', '--config', 'vitest.config.mjs');
    },
  },
];

/** Runs `use` with the long checks, on a server that exists during the call. */
export async function withDropInChecks<T>(
  registry: Registry,
  use: (checks: readonly Check[]) => Promise<T>,
): Promise<T> {
  // SASLprep maps the character of the connection string to "IX".
  const server = await startServer({ users: [{ user: 'ada', pwd: 'IX' }] });
  const uri = server.uri.replace('://', `://ada:${encodeURIComponent('\u2168')}@`);
  const projects: Promise<string>[] = [];
  const create = (command: readonly [string, ...string[]]): Promise<string> => {
    const project = createProject(registry, command, uri);
    projects.push(project);
    return project;
  };
  let shared: Promise<string> | undefined;
  try {
    return await use(
      checksIn({
        ...{ registry, uri },
        frameworks: () => (shared ??= create([...npm(), 'install', ...quietly, dropIn, 'bson', ...frameworks])),
        installed: async manager => create(await managers[manager]!()),
      }),
    );
  } finally {
    await server.close();
    registry.close();
    for (const project of await Promise.allSettled(projects))
      if (project.status === 'fulfilled') rmSync(project.value, { recursive: true, force: true });
  }
}
