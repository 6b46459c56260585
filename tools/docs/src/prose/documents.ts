import { specification } from './specification.js';
import type { Specification } from './specification.js';

/** What is said. */
export const documents: readonly Specification[] = [
  specification('BSON Corpus', ['bson-corpus/bson-corpus.md'], '', [
    ['1', 'No null byte in what ends with one'],
    ['2', 'Duplicate keys'],
  ]),
];
