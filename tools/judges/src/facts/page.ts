/** The table of docs/facts.md. */
import { dirname } from 'node:path/posix';
import { markdownTable } from '@tessera-tools/house';
import { factsOf, type FactFile } from './fact-file.js';

const sumOf = (files: readonly FactFile[]): number => files.reduce((sum, file) => sum + factsOf(file), 0);

const missingOf = (files: readonly FactFile[]): number =>
  files.flatMap(({ rows }) => rows).filter(({ reason }) => reason !== undefined).length;

/** The number of files and facts of each folder, and of the facts that do not hold. */
export const tableOf = (files: readonly FactFile[]): string => {
  const rows = [...new Set(files.map(({ name }) => dirname(name)))].map(folder => {
    const inside = files.filter(({ name }) => dirname(name) === folder);
    return [`\`jstests/${folder}\``, inside.length, sumOf(inside), missingOf(inside)];
  });
  return markdownTable(
    ['Folder', 'Files', 'Facts', 'Not held'],
    [...rows, ['all', files.length, sumOf(files), missingOf(files)]],
  );
};
