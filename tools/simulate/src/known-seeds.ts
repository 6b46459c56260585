import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@tessera-tools/house';

/** The seeds of the histories that find mutants, by the mutants' names. */
export type KnownSeeds = Readonly<Record<string, number>>;

const file = join(root, 'tools', 'simulate', 'seeds.json');

/** Returns the seeds by which mutants were found before. */
export const readKnownSeeds = (): KnownSeeds => JSON.parse(readFileSync(file, 'utf8')) as KnownSeeds;

export const writeKnownSeeds = (seeds: KnownSeeds): void => {
  writeFileSync(file, `${JSON.stringify(seeds, null, 2)}\n`);
};
