import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@tessera-tools/house';
import { run, tsc } from './program.js';

const settings = {
  target: 'es2023',
  // For Symbol.asyncDispose, which the types of Node.js also declare.
  lib: ['es2023', 'esnext.disposable'],
  module: 'node20',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  // Checks the declarations of the packages, too.
  skipLibCheck: false,
  noEmit: true,
};

/**
 * Returns the errors of the strictest compiler for a program that imports these packages, as installed in the project.
 * @param types the packages of ambient types: `node` or none
 */
export async function typeErrorsOfUser(
  project: string,
  names: readonly string[],
  types: readonly string[],
): Promise<string[]> {
  const folder = `user-${types.join('-') || 'without-types'}`;
  const lines = names.map((name, index) => `export * as part${index} from '${name}';`);
  const compilerOptions = { ...settings, types, typeRoots: [join(root, 'node_modules', '@types')] };
  writeFileSync(join(project, `${folder}.ts`), lines.join('\n'));
  writeFileSync(join(project, `${folder}.json`), JSON.stringify({ compilerOptions, files: [`${folder}.ts`] }));
  // One version of TypeScript for each of the two checks.
  const [compiler, ...args] = tsc(types.length > 0 ? 7 : 6);
  const { stdout } = await run(compiler, [...args, '-p', `${folder}.json`, '--pretty', 'false'], project);
  return stdout.split('\n').filter(line => line !== '');
}
