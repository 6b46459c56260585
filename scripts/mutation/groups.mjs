// What is mutated, and by whose tests it is judged.
import { existsSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { Failure } from '../failure.mjs';
import { root } from '../workspace.mjs';

/** @typedef {{ name: string, package: string, mutate: readonly string[], tests: readonly string[] }} Group */

/** @param {readonly string[]} names */
const ofTopology = names => names.map(name => `packages/topology/src/${name}.ts`);

/** @type {readonly Group[]} */
export const groups = [
  {
    name: 'reducer',
    package: 'topology',
    mutate: ofTopology([
      'reduce',
      'update',
      'draft',
      'application-error',
      'state-change',
      'topology-version',
      'topology-description',
      'server-description',
      'told',
      'refusal',
      'rescan',
    ]),
    tests: ['reduce', 'update', 'application-error', 'hello-description', 'equality', 'rescan', 'odd-hello'],
  },
  {
    name: 'selection',
    package: 'topology',
    mutate: ofTopology([
      'suitable',
      'choose',
      'read-preference',
      'round-trip',
      'selector',
      'selection-error',
      'verdict',
      'waiters',
    ]),
    tests: ['suitable', 'selector', 'verdict', 'waiters'],
  },
  { name: 'pool', package: 'pool', mutate: ['packages/pool/src/*.ts'], tests: ['!(properties|many-waiters)'] },
  { name: 'retry', package: 'retry', mutate: ['packages/retry/src/*.ts'], tests: ['!(contract)'] },
  { name: 'session', package: 'session', mutate: ['packages/session/src/*.ts'], tests: ['!(properties)'] },
];

/** The groups that the arguments name by their own name, their package's, or files of a package. @param {readonly string[]} args */
export function groupsOf(args) {
  if (args.length === 0) return groups;
  const named = groups.filter(({ name, package: of }) => args.includes(name) || args.includes(of));
  const files = args.filter(arg => !groups.some(({ name, package: of }) => arg === name || arg === of));
  return [...named, ...ofFiles(files)];
}

/** A file is judged as in its group, one of no group by all tests of its package. @param {readonly string[]} files */
function ofFiles(files) {
  /** @type {Map<string, Group>} */
  const made = new Map();
  for (const file of files) {
    const path = relative(root, join(root, file)).split(sep);
    const [folder, name, source] = path;
    if (folder !== 'packages' || name === undefined || source !== 'src' || !existsSync(join(root, ...path)))
      throw new Failure(
        `${file} is neither a group (${groups.map(({ name }) => name).join(', ')}) nor a file packages/*/src/*.ts of this repository.`,
      );
    const found = groups.find(({ mutate }) =>
      mutate.some(pattern => pattern === path.join('/') || pattern === `packages/${name}/src/*.ts`),
    );
    const of = found ?? { name, package: name, tests: ['*'] };
    const mutate = [...(made.get(of.name)?.mutate ?? []), path.join('/')];
    made.set(of.name, { ...of, name: `files of ${of.name}`, mutate });
  }
  return [...made.values()];
}
