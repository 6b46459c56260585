import { specification } from './specification.js';
import type { Specification } from './specification.js';

/** What is said. */
export const documents: readonly Specification[] = [
  specification('BSON Corpus', ['bson-corpus/bson-corpus.md'], '', [
    ['1', 'No null byte in what ends with one'],
    ['2', 'Duplicate keys'],
  ]),
  specification('BSON Binary Vector', ['bson-binary-vector/tests/README.md'], '', [
    ['1', 'Unused bits that are not zero: encoding'],
    ['2', 'Unused bits that are not zero: decoding'],
    ['3', 'Unused bits that are not zero: comparison'],
  ]),
];
