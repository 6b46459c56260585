import type { Rung } from './table.js';
import type { Member } from './workspace.js';

const missing = (from: readonly string[], wanted: readonly string[]): string[] =>
  wanted.filter(name => !from.includes(name));

const difference = (subject: string, has: readonly string[], law: readonly string[]): string[] => [
  ...missing(law, has).map(name => `${subject} has ${name}, which the table does not allow.`),
  ...missing(has, law).map(name => `${subject} lacks ${name}, which the table lists.`),
];

function ofMember(member: Member, rung: Rung, ladder: readonly Rung[]): string[] {
  const folderOf = (name: string): string => ladder.find(other => other.name === name)?.folder ?? name;
  const { bundled = [] } = rung;
  const law = [...rung.imports, ...rung.outside];
  const installed = law.filter(name => !bundled.includes(name));
  const imports = member.imports.filter(name => rung.host !== 'all' || !name.startsWith('node:'));
  return [
    ...(member.name === rung.name
      ? []
      : [`packages/${rung.folder} is named ${member.name}, but ${rung.name} in the table.`]),
    ...difference(`${rung.folder}/package.json`, member.dependencies, installed),
    ...difference(`${rung.folder}/package.json (devDependencies)`, member.devDependencies, bundled),
    ...difference(`${rung.folder}/tsconfig.json`, member.references, rung.imports.map(folderOf)),
    ...difference(`${rung.folder}/src`, imports, law),
  ];
}

/** Checks that exactly the composition roots import packages of the repository other than contracts. */
function ofRoot({ folder, imports, isRoot }: Rung): string[] {
  const others = imports.filter(name => name !== '@tessera/contracts');
  if (isRoot && others.length === 0)
    return [`The table lists ${folder} as a composition root, but it imports no other package.`];
  return isRoot
    ? []
    : others.map(name => `The table lets ${folder} import ${name}, but ${folder} is not a composition root.`);
}

/**
 * Compares package.json, tsconfig.json and the sources of each package with the table. Returns a sentence for each
 * difference.
 */
export function disagreements(workspace: readonly Member[], ladder: readonly Rung[]): string[] {
  const folders = workspace.map(member => member.folder);
  return [
    ...missing(
      ladder.map(rung => rung.folder),
      folders,
    ).map(folder => `packages/${folder} is missing in the table.`),
    ...missing(
      folders,
      ladder.map(rung => rung.folder),
    ).map(folder => `The table lists packages/${folder}, which does not exist.`),
    ...ladder.flatMap(ofRoot),
    ...ladder.flatMap(rung => {
      const member = workspace.find(other => other.folder === rung.folder);
      return member === undefined ? [] : ofMember(member, rung, ladder);
    }),
  ];
}
