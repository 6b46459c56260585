import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@tessera-tools/house';
import { hostImportsInBrowser } from './browser.js';
import { bundleOf, programs } from './bundles.js';
import { installPacked } from './install.js';
import { attwOf, publintOf } from './judges.js';
import { pack } from './pack.js';
import { run } from './program.js';
import { sizeOf, sizeOfFile } from './size.js';
import { typeErrorsOfUser } from './strict-user.js';
import { closure, published, publishedPackages } from './workspace.js';

/** A check of the published packages. */
export interface Check {
  readonly title: string;
  /** Returns the problems, one sentence each. A thrown error is a problem, too. */
  readonly complaints: () => Promise<readonly string[]>;
}

/**
 * Returns the maximum size of each package's code in bytes, minified and gzipped. Raise a budget only with a reason.
 */
export const budgets = (): Readonly<Record<string, number>> =>
  JSON.parse(readFileSync(join(root, 'tools', 'publish', 'budgets.json'), 'utf8')) as Record<string, number>;

function overBudget(name: string, size: number): string[] {
  const budget = budgets()[name];
  if (budget === undefined) return [`${name} has no budget in tools/publish/budgets.json. Its size is ${size} bytes.`];
  if (size <= budget) return [];
  return [
    `The size of ${size} bytes exceeds the budget of ${budget}. Reduce it, or raise the budget and state the reason.`,
  ];
}

/** Runs code in a project with only this package. It must succeed without output on standard error. */
async function loads(name: string, code: string, args: readonly string[]): Promise<string[]> {
  const project = await installPacked([name]);
  const { code: exit, stderr } = await run(process.execPath, ['--no-warnings', ...args, '-e', code], project, 20_000);
  return exit === 0 && stderr === '' ? [] : [stderr || `The program exited with code ${exit}.`];
}

async function startsAs(name: string, command: string): Promise<string[]> {
  const project = await installPacked([name]);
  const bin = join(project, 'node_modules', name, published(name).bin[command]!);
  const { code, stdout, stderr } = await run(process.execPath, [bin, '--help'], project, 20_000);
  return code === 0 && stdout.includes(command) ? [] : [`--help exited with code ${code}: ${stderr || stdout}`];
}

function ofPackage(name: string): Check[] {
  const { commonjs } = published(name);
  const some = `if (Object.keys(it).length === 0) throw new Error('The package exports nothing.');`;
  return [
    { title: `${name}: publint`, complaints: async () => publintOf(await pack(name)) },
    {
      title: `${name}: types (attw${commonjs === undefined ? ', esm-only' : ''})`,
      complaints: async () => attwOf(await pack(name), commonjs === undefined),
    },
    { title: `${name}: size budget`, complaints: async () => overBudget(name, await sizeOf(name)) },
    ...(commonjs === undefined
      ? []
      : [
          {
            title: `${name}: size budget of the CommonJS file`,
            complaints: async () =>
              overBudget(`${name} (CommonJS)`, await sizeOfFile(await installPacked([name]), name, commonjs)),
          },
        ]),
    {
      title: `${name}: installed alone, loads with import`,
      complaints: () => loads(name, `import * as it from '${name}'; ${some}`, ['--input-type=module']),
    },
    {
      title: `${name}: installed alone, loads with require`,
      complaints: () => loads(name, `const it = require('${name}'); ${some}`, ['--input-type=commonjs']),
    },
    ...Object.keys(published(name).bin).map(command => ({
      title: `${name}: installed alone, \`${command} --help\` starts`,
      complaints: () => startsAs(name, command),
    })),
  ];
}

/** Returns the packages whose declarations must not need the types of Node.js. */
const anywhere = (): string[] =>
  publishedPackages()
    .filter(({ name, bundled }) => !closure([name, ...bundled]).ours.includes('@tessera/node'))
    .map(({ name }) => name);

/** Returns all checks. */
export const checks = (): Check[] => [
  ...publishedPackages().flatMap(({ name }) => ofPackage(name)),
  ...programs.map(({ title, packages, code }) => ({
    title: `${title}: size budget`,
    complaints: async () => overBudget(title, (await bundleOf(await installPacked(packages), code)).size),
  })),
  {
    title: 'all packages type-check with strict settings and the types of Node.js',
    complaints: async () => {
      const all = publishedPackages().map(({ name }) => name);
      return typeErrorsOfUser(await installPacked(all), all, ['node']);
    },
  },
  {
    title: 'all packages except those for Node.js type-check without the types of Node.js and browsers',
    complaints: async () => typeErrorsOfUser(await installPacked(anywhere()), anywhere(), []),
  },
  ...['@tessera/client', '@tessera/mql'].map(name => ({
    title: `${name}: the bundle for a browser imports no Node.js modules`,
    complaints: async () =>
      (await hostImportsInBrowser(await installPacked([name]), name)).map(path => `The bundle imports ${path}.`),
  })),
];
