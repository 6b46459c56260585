/** The number of lines of source files, and its limits. */
import { textOf, writtenFiles } from './repository.js';

/** The maximum number of lines of one source file, and of all source files of one package. */
export const limits = { file: 500, package: 25_000 } as const;

/** A source file, or a folder such as `packages/pool`, with its number of lines. */
export interface Lines {
  readonly path: string;
  readonly lines: number;
}

const source = /^(?:packages|tools|examples)\/[^/]+\/src\/.*\.ts$/;

/** Returns the source files of packages, tools and examples with their lines. */
export const sourceLines = (): Lines[] =>
  writtenFiles()
    .filter(path => source.test(path))
    .map(path => ({ path, lines: textOf(path).trimEnd().split('\n').length }));

/** Returns the total lines of each package, tool and example, the largest first. */
export function linesOfFolders(files: readonly Lines[]): Lines[] {
  const totals = new Map<string, number>();
  for (const { path, lines } of files) {
    const folder = path.split('/').slice(0, 2).join('/');
    totals.set(folder, (totals.get(folder) ?? 0) + lines);
  }
  return [...totals].map(([path, lines]) => ({ path, lines })).sort((a, b) => b.lines - a.lines);
}

/** Returns a message for each source file and each package that exceeds its limit. Tools and examples have no limit. */
export function tooLong(files: readonly Lines[]): string[] {
  const exceeding = (all: readonly Lines[], limit: number): string[] =>
    all
      .filter(({ lines }) => lines > limit)
      .map(({ path, lines }) => `${path} has ${lines} lines. The limit is ${limit}.`);
  const inPackages = linesOfFolders(files).filter(({ path }) => path.startsWith('packages/'));
  return [...exceeding(files, limits.file), ...exceeding(inPackages, limits.package)];
}

/** Returns one line of text for each package and each tool, the largest first. */
export const linesReport = (files: readonly Lines[]): string[] =>
  linesOfFolders(files).map(({ path, lines }) =>
    path.startsWith('packages/') ? `${path}: ${lines} of ${limits.package} lines` : `${path}: ${lines} lines`,
  );
