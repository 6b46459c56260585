/**
 * Plants faults of `scripts/faults/lists` in the packages that a child process loads. The files of the packages do not
 * change.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import type { ViolationKind } from './verdict.js';

interface Edit {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

export interface Fault extends Edit {
  readonly title: string;
  readonly also?: readonly Edit[];
  /** The kinds of violations that show the fault. */
  readonly violations: readonly ViolationKind[];
}

/** The used exports of `scripts/faults/list.mjs`. */
interface Lists {
  readonly editsOf: (fault: Fault) => readonly Edit[];
  readonly check: (faults: readonly Fault[]) => void;
}

const root = new URL('../../../../', import.meta.url);
const at = (path: string): URL => new URL(path, root);
const { editsOf, check } = (await import(at('scripts/faults/list.mjs').href)) as Lists;

/**
 * Returns the faults that random programs must find.
 * @throws Error if the text that a fault replaces does not occur exactly once in its file
 */
export const readFaults = async (): Promise<readonly Fault[]> => {
  const { default: faults } = (await import(at('scripts/faults/lists/rough.mjs').href)) as { default: Fault[] };
  check(faults);
  return faults;
};

const planted = (fault: Fault): Readonly<Record<string, string>> => {
  const sources = new Map<string, string>();
  for (const { file, find, replace } of editsOf(fault))
    sources.set(
      file,
      (sources.get(file) ?? readFileSync(at(file), 'utf8')).replace(find, () => replace),
    );
  const modules = [...sources].map(([file, source]) => {
    const built = file.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
    return [at(built).href, transformSync(source, { loader: 'ts', target: 'es2023' }).code];
  });
  return Object.fromEntries(modules) as Record<string, string>;
};

/** Returns the arguments of Node.js for a process that loads the packages with the fault. */
export const plant = (fault: Fault, number: number): readonly string[] => {
  const folder = fileURLToPath(at('.cache/rough'));
  mkdirSync(folder, { recursive: true });
  const file = `${folder}/planted-${number}.json`;
  writeFileSync(file, JSON.stringify(planted(fault)));
  const url = new URL('register.js', import.meta.url);
  url.searchParams.set('modules', pathToFileURL(file).href);
  return ['--import', url.href];
};
