import { headingsOf, notInAudited } from './list.js';
import type { HeadingList } from './list.js';

const corpus = 'BSON Corpus';
const corpusFile = 'bson-corpus/bson-corpus.md';
const corpusCommit = '14af9c8b761082b0cd2ec7a782f5fe0d259e4b83';

export const documentHeadings: readonly HeadingList[] = [
  headingsOf(corpus, corpusFile, corpusCommit, [
    ['1', 'Prohibit null bytes in null-terminated strings when encoding BSON'],
  ]),
  headingsOf(corpus, corpusFile, corpusCommit, [['2', 'Test duplicate keys']], notInAudited),
  headingsOf('BSON Binary Vector', 'bson-binary-vector/tests/README.md', '003aed0a278bebe54cb1e90c0f9da013339d0770', [
    ['1', 'Encoding'],
    ['2', 'Decoding'],
    ['3', 'Comparison'],
  ]),
  headingsOf('BSON ObjectID', 'bson-objectid/objectid.md', '2cd0b4a69d4951130179d640ab76d521ddea4b25', [
    ['1', '(timestamps)'],
    ['2', '(counter overflow)'],
    ['3', '(new process)'],
  ]),
  headingsOf('BSON Binary UUID', 'bson-binary-uuid/uuid.md', 'c1bee3b7b1c052bc0a6815963cf8ab441bce3b94', [
    ['E1', 'Explicit encoding 1'],
    ['E2', 'Explicit encoding 2'],
    ['E3', 'Explicit encoding 3'],
    ['E4', 'Explicit encoding 4'],
    ['E5', 'Explicit encoding 5'],
    ['E6', 'Explicit encoding 6'],
    ['D1', 'Explicit Decoding 1'],
    ['D2', 'Explicit Decoding 2'],
    ['D3', 'Explicit Decoding 3'],
    ['D4', 'Explicit Decoding 4'],
    ['I1', 'Implicit encoding 1'],
    ['I2', 'Implicit encoding 2'],
    ['I3', 'Implicit encoding 3'],
    ['I4', 'Implicit encoding 4'],
    ['I5', 'Implicit encoding 5'],
    ['J1', 'Implicit Decoding 1'],
    ['J2', 'Implicit Decoding 2'],
    ['J3', 'Implicit Decoding 3'],
  ]),
  headingsOf('DBRef', 'dbref/dbref.md', '2cd0b4a69d4951130179d640ab76d521ddea4b25', [
    ['D1', 'Decoding 1'],
    ['D2', 'Decoding 2'],
    ['D3', 'Decoding 3'],
    ['D4', 'Decoding 4'],
    ['D5', 'Decoding 5'],
    ['E1', 'Encoding 1'],
    ['E2', 'Encoding 2'],
    ['E3', 'Encoding 3'],
  ]),
];
