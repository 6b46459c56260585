// A plugin of Stryker: passes the mutants that MUTATION_ONLY names, and leaves all others out.
import { readFileSync } from 'node:fs';
import { CheckStatus } from '@stryker-mutator/api/check';
import { PluginKind, declareFactoryPlugin } from '@stryker-mutator/api/plugin';
import { keyOf, pathOf } from './mutants.mjs';

/** @typedef {import('@stryker-mutator/api/core').Mutant} Mutant */

/** @returns {import('@stryker-mutator/api/check').Checker} */
function createOnly() {
  /** @type {Set<string>} */
  const wanted = new Set(JSON.parse(readFileSync(String(process.env['MUTATION_ONLY']), 'utf8')));
  /** @param {Mutant} mutant */
  const isWanted = mutant => wanted.has(keyOf(pathOf(mutant.fileName), mutant));
  return {
    init: () => Promise.resolve(),
    group: mutants => Promise.resolve([mutants.map(({ id }) => id)]),
    check: mutants =>
      Promise.resolve(
        Object.fromEntries(
          mutants.map(mutant => [
            mutant.id,
            isWanted(mutant)
              ? { status: CheckStatus.Passed }
              : { status: CheckStatus.CompileError, reason: 'not chosen' },
          ]),
        ),
      ),
  };
}

export const strykerPlugins = [declareFactoryPlugin(PluginKind.Checker, 'only', createOnly)];
