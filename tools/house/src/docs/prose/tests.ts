import { textOf, writtenFiles } from '../repository.js';
import { coversIn, strayIn } from './titles.js';
import type { Cover } from './titles.js';

const testFile = /^(?:packages|tools|examples)\/[^/]+\/test\/.*\.test\.ts$/;

const testFiles = (): string[] =>
  writtenFiles().filter(file => testFile.test(file) && !file.startsWith('tools/house/test/docs/'));

/** Every test of the repository that says which prose tests it covers. */
export const proseCovers = (): Cover[] => testFiles().flatMap(file => coversIn(file, textOf(file)));

/** Titles that speak of prose tests, but not so that they are found. */
export const strayTitles = (): string[] => testFiles().flatMap(file => strayIn(file, textOf(file)));
