// Stryker plugins that choose the mutants and run the tests.
import { readFileSync } from 'node:fs';
import { CheckStatus } from '@stryker-mutator/api/check';
import { PluginKind, commonTokens, declareFactoryPlugin, tokens } from '@stryker-mutator/api/plugin';
import { DryRunStatus } from '@stryker-mutator/api/test-runner';
import { strykerPlugins as ofVitest } from '@stryker-mutator/vitest-runner';
import { keyOf, pathOf } from './mutants.mjs';

/** @typedef {import('@stryker-mutator/api/core').Mutant} Mutant */

/**
 * Makes a checker that accepts only the mutants in the file of MUTATION_ONLY.
 * @returns {import('@stryker-mutator/api/check').Checker}
 */
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

/**
 * The used part of Stryker's runner.
 * @typedef {{ name: string, result?: { state: string, errors?: readonly { message: string }[] } }} TestFile
 * @typedef {import('@stryker-mutator/api/test-runner').DryRunResult} DryRunResult
 * @typedef {import('@stryker-mutator/api/test-runner').TestRunner & {
 * ctx: { state: { getFiles(): readonly TestFile[] } }, run(how: object): Promise<DryRunResult>
 * }} Runner
 */

/**
 * Wraps Stryker's runner for vitest, which treats a test file that cannot be loaded as a file without tests. A mutant
 * that breaks the loading would survive, so the wrapper reports an error instead.
 * @param {import('@stryker-mutator/api/plugin').Injector<import('@stryker-mutator/api/plugin').PluginContext>} injector
 */
function createRunner(injector) {
  const [{ factory }] = /** @type {[{ factory: (from: typeof injector) => Runner }]} */ (
    /** @type {unknown} */ (ofVitest)
  );
  const runner = factory(injector);
  const run = runner.run.bind(runner);
  runner.run = async how => {
    const result = await run(how);
    const broken = runner.ctx.state
      .getFiles()
      .find(({ result: of }) => of?.state === 'fail' && (of.errors ?? []).length > 0);
    if (broken === undefined || result.status !== DryRunStatus.Complete) return result;
    const errorMessage = `${broken.name} failed outside of its tests: ${broken.result?.errors?.[0]?.message ?? ''}`;
    return { status: DryRunStatus.Error, errorMessage };
  };
  return runner;
}
createRunner.inject = tokens(commonTokens.injector);

export const strykerPlugins = [
  declareFactoryPlugin(PluginKind.Checker, 'only', createOnly),
  declareFactoryPlugin(PluginKind.TestRunner, 'sources', createRunner),
];
