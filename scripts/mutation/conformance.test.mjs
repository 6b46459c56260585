// Runs the specification fixtures as tests, one per file, so that Stryker finds the mutants that each file reaches.
import { createNode } from '@tessera/node';
import { describe, expect, test } from 'vitest';

/** Suites whose files another suite runs. @type {Readonly<Record<string, string>>} */
const runBy = { 'uri-options': 'connection-string', 'max-staleness': 'server-selection' };

/** @type {import('./tiles.mjs').Suites} */
const { data, unified } = JSON.parse(process.env['MUTATION_SUITES'] ?? '{"data":[],"unified":[]}');

const source = '../../tools/conformance/src';
const { readFixtures } = await import(`${source}/fixtures.ts`);

/**
 * @typedef {{ name: string, json: object }} Fixture
 * @typedef {{ outcome: string, name: string, reason?: string }} Result
 */

/** @param {string} suite @param {boolean} isUnified @returns {readonly Fixture[]} */
const filesOf = (suite, isUnified) =>
  readFixtures(suite).filter((/** @type {Fixture} */ { json }) => 'schemaVersion' in json === isUnified);

/** @param {string} suite @param {readonly Fixture[]} files @param {(file: Fixture) => Promise<readonly Result[]>} run */
const describeSuite = (suite, files, run) =>
  describe(suite, () => {
    test.each(files)('$name', async file => {
      const results = await run(file);
      expect(results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    });
  });

for (const suite of data) {
  const { run } = await import(`${source}/suites/${runBy[suite] ?? suite}.ts`);
  describeSuite(suite, filesOf(suite, false), file => run([file]));
}

if (unified.length > 0) {
  const { createEmbedded } = await import(`${source}/unified/embedded.ts`);
  const { casesOf } = await import(`${source}/unified/cases.ts`);
  const { runOnBench } = await import(`${source}/unified/run.ts`);
  const { amended } = await import(`${source}/known/amendments.ts`);
  // Most cases run on a replica set. Cases for other deployments are left out.
  const bench = createEmbedded({ version: '8.2.1', topology: 'replicaset', auth: false }, createNode());
  for (const suite of unified)
    describeSuite(suite, filesOf(suite, true), file =>
      runOnBench(
        bench,
        casesOf(suite, [file]).map((/** @type {unknown} */ one) => amended(one)),
      ),
    );
}
