import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@tessera-tools/house';
import { hostImportsInBrowser } from './browser.js';
import { installPacked } from './install.js';
import { attwOf, publintOf } from './judges.js';
import { pack } from './pack.js';
import { run } from './program.js';
import { sizeOf } from './size.js';
import { typeErrorsOfUser } from './strict-user.js';
import { closure, published, publishedPackages } from './workspace.js';

/** One thing that can go wrong. */
export interface Check {
  readonly title: string;
  /** What is wrong, a sentence each; throwing says the same. */
  readonly complaints: () => Promise<readonly string[]>;
}

/** Package → the bytes of its code, minified and gzipped, that it may not exceed. Raised by hand, with a reason. */
export const budgets = (): Readonly<Record<string, number>> =>
  JSON.parse(readFileSync(join(root, 'tools', 'publish', 'budgets.json'), 'utf8')) as Record<string, number>;

async function overBudget(name: string): Promise<string[]> {
  const size = await sizeOf(name);
  const budget = budgets()[name];
  if (budget === undefined) return [`it has no budget in tools/publish/budgets.json; it measures ${size} bytes`];
  if (size <= budget) return [];
  return [`${size} bytes are more than its budget of ${budget}: make it smaller, or raise the budget and say why`];
}

/** Runs one line in a project of that package alone; it must end well and print nothing but what is expected. */
async function loads(name: string, code: string, args: readonly string[]): Promise<string[]> {
  const project = await installPacked([name]);
  const { code: exit, stderr } = await run(process.execPath, ['--no-warnings', ...args, '-e', code], project, 20_000);
  return exit === 0 && stderr === '' ? [] : [stderr || `exit code ${exit}`];
}

async function startsAs(name: string, command: string): Promise<string[]> {
  const project = await installPacked([name]);
  const bin = join(project, 'node_modules', name, published(name).bin[command]!);
  const { code, stdout, stderr } = await run(process.execPath, [bin, '--help'], project, 20_000);
  return code === 0 && stdout.includes(command) ? [] : [`--help ended with exit code ${code}: ${stderr || stdout}`];
}

function ofPackage(name: string): Check[] {
  const some = `if (Object.keys(it).length === 0) throw new Error('it exports nothing');`;
  return [
    { title: `${name}: publint`, complaints: async () => publintOf(await pack(name)) },
    { title: `${name}: the types are right (attw, esm-only)`, complaints: async () => attwOf(await pack(name)) },
    { title: `${name}: within its size budget`, complaints: () => overBudget(name) },
    {
      title: `${name}: installed alone, loads by import`,
      complaints: () => loads(name, `import * as it from '${name}'; ${some}`, ['--input-type=module']),
    },
    {
      title: `${name}: installed alone, loads by require`,
      complaints: () => loads(name, `const it = require('${name}'); ${some}`, ['--input-type=commonjs']),
    },
    ...Object.keys(published(name).bin).map(command => ({
      title: `${name}: installed alone, \`${command} --help\` starts`,
      complaints: () => startsAs(name, command),
    })),
  ];
}

/** Those whose declarations must not need the types of Node.js. */
const anywhere = (): string[] =>
  publishedPackages()
    .map(({ name }) => name)
    .filter(name => !closure([name]).ours.includes('@tessera/node'));

/** All of them. */
export const checks = (): Check[] => [
  ...publishedPackages().flatMap(({ name }) => ofPackage(name)),
  {
    title: 'all packages type-check in the strictest project of a user on Node.js',
    complaints: async () => {
      const all = publishedPackages().map(({ name }) => name);
      return typeErrorsOfUser(await installPacked(all), all, ['node']);
    },
  },
  {
    title: 'all packages but those for Node.js type-check where neither its types nor those of browsers are',
    complaints: async () => typeErrorsOfUser(await installPacked(anywhere()), anywhere(), []),
  },
  ...['@tessera/client', '@tessera/mql'].map(name => ({
    title: `${name}: bundled for a browser, asks for nothing of Node.js`,
    complaints: async () =>
      (await hostImportsInBrowser(await installPacked([name]), name)).map(path => `the bundle imports ${path}`),
  })),
];
