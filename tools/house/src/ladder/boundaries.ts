import { join } from 'node:path';
import type { TSESLint } from '@typescript-eslint/utils';
import { ambientRule } from './ambient-rule.js';
import { importRule } from './import-rule.js';
import type { ImportOptions } from './import-rule.js';
import { ladder } from './table.js';
import type { Rung } from './table.js';

const plugin = { meta: { name: 'ladder' }, rules: { ambient: ambientRule, imports: importRule } };

function ofRung(rung: Rung, root: string): TSESLint.FlatConfig.Config[] {
  const files = [`packages/${rung.folder}/src/**/*.ts`];
  const imports: ImportOptions = {
    sources: join(root, 'packages', rung.folder, 'src'),
    name: rung.name,
    ours: rung.imports,
    entries: rung.entries ?? [],
    outside: rung.outside,
    builtins: rung.host === 'all',
  };
  const star: TSESLint.FlatConfig.Config = {
    name: `ladder/${rung.folder}/imports`,
    files,
    plugins: { ladder: plugin },
    rules: { 'ladder/imports': ['error', imports] },
  };
  if (rung.host === 'all') return [star];
  return [
    star,
    { name: `ladder/${rung.folder}/ambient`, files, rules: { 'ladder/ambient': ['error', []] } },
    ...Object.entries(rung.host).map(([file, names]): TSESLint.FlatConfig.Config => ({
      name: `ladder/${rung.folder}/ambient of ${file}`,
      files: [`packages/${rung.folder}/${file}`],
      rules: { 'ladder/ambient': ['error', names] },
    })),
  ];
}

/** Returns the ESLint configuration for the table. `root` is the folder that contains `packages/`. */
export const boundaries = (root: string): TSESLint.FlatConfig.Config[] => ladder.flatMap(rung => ofRung(rung, root));
