import { headingsOf, notInAudited } from './list.js';
import type { HeadingList } from './list.js';

const indexes = 'Index Management';
const indexFile = 'index-management/tests/README.md';
const indexCommit = '38b81de088b6153daa1f7815126e251c1f602a3f';

export const managementHeadings: readonly HeadingList[] = [
  headingsOf(
    'Enumerating Collections',
    'enumerate-collections/enumerate-collections.md',
    '299e4e53bf7069f2b087884efedda2c15f7b44b3',
    [
      ['1', '(collection names)'],
      ['2', '(names of capped collections)'],
    ],
  ),
  headingsOf(
    'Enumerating Databases',
    'enumerate-databases/enumerate-databases.md',
    '2cd0b4a69d4951130179d640ab76d521ddea4b25',
    [
      ['1', '(full database information)'],
      ['2', '(database names)'],
      ['3', '(MongoDatabase objects)'],
    ],
  ),
  headingsOf(indexes, indexFile, indexCommit, [
    ['1', '(index names)'],
    ['2', '(index information records)'],
    ['S1', 'Case 1: Driver can successfully create and list search indexes'],
    ['S2', 'Case 2: Driver can successfully create multiple indexes in batch'],
    ['S3', 'Case 3: Driver can successfully drop search indexes'],
    ['S4', 'Case 4: Driver can update a search index'],
    ['S5', 'Case 5: dropSearchIndex suppresses namespace not found errors'],
    [
      'S6',
      'Case 6: Driver can successfully create and list search indexes with non-default readConcern and writeConcern',
    ],
    ['S7', 'Case 7: Driver can successfully handle search index types when creating indexes'],
    ['S8', 'Case 8: Driver requires explicit type to create a vector search index'],
  ]),
  headingsOf(
    indexes,
    indexFile,
    indexCommit,
    [['S9', 'Case 9: Drivers use server default for unspecified name ("default") and type ("search")']],
    notInAudited,
  ),
  headingsOf('Collation', 'collation/collation.md', '08761bed138d92e2c1812853a7b0c7414f2bcf55', [
    ['1', '(each affected component)'],
    ['2', '(two indexes)'],
    ['3', '(maxWireVersion below 5)'],
  ]),
  headingsOf(
    'Collection Management',
    'collection-management/tests/README.md',
    '5eee2a83df479f8a03eb49b155be735ad4791c0d',
    [],
  ),
  headingsOf('Run Command', 'run-command/tests/README.md', 'e115902b3cbfb953fdf1b53ae9ecf5b68a14e884', []),
  headingsOf('GridFS', 'gridfs/tests/README.md', '5eee2a83df479f8a03eb49b155be735ad4791c0d', []),
];
