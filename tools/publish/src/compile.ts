import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { hostTypes } from './host-types.js';
import { mustRun, run, tsc } from './program.js';
import type { Outcome } from './program.js';

/** Programs that were compiled with only the published packages. */
export interface Compiled {
  /** The folder of the compiled files. */
  readonly folder: string;
  /**
   * Runs a program by its name without `.ts`. A program that runs longer than a minute is killed, with exit code 137.
   */
  run(name: string, ...args: readonly string[]): Promise<Outcome>;
  /** Removes the sources and the compiled files from the project. */
  remove(): void;
}

/** The strictest settings. `typeErrorsOfUser` checks the declarations of the packages. */
const compilerOptions = {
  target: 'es2023',
  lib: ['es2023', 'esnext.disposable'],
  module: 'node20',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
  types: [],
  rootDir: '.',
  outDir: 'out',
};

/**
 * Copies the TypeScript files of a folder into a project of {@link installPacked} and compiles them against the
 * installed
 * packages.
 * @throws Error with the compiler's messages
 */
export async function compileIn(project: string, folder: string): Promise<Compiled> {
  const copy = mkdtempSync(join(project, `${basename(folder)}-`));
  const remove = (): void => rmSync(copy, { recursive: true, force: true });
  try {
    cpSync(folder, copy, { recursive: true });
    writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    writeFileSync(join(copy, 'host.d.ts'), hostTypes);
    const [program, ...args] = tsc(7);
    await mustRun(program, [...args, '-p', '.'], copy);
  } catch (error) {
    remove();
    throw error;
  }
  return {
    folder: join(copy, 'out'),
    run: (name, ...args) => run(process.execPath, [join(copy, 'out', `${name}.js`), ...args], project),
    remove,
  };
}
