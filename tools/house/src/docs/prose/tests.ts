import { textOf, writtenFiles } from '../repository.js';
import { coversIn, strayIn } from './titles.js';
import type { Cover } from './titles.js';

const testFile = /^(?:packages|tools|examples)\/[^/]+\/test\/.*\.test\.ts$/;

const testFiles = (): string[] =>
  writtenFiles().filter(file => testFile.test(file) && !file.startsWith('tools/house/test/docs/'));

/** Returns every test of the repository whose title names prose tests. */
export const proseCovers = (): Cover[] => testFiles().flatMap(file => coversIn(file, textOf(file)));

/** Returns titles that mention prose tests in a form that `proseCovers` does not find. */
export const strayTitles = (): string[] => testFiles().flatMap(file => strayIn(file, textOf(file)));
