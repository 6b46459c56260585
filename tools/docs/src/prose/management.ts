import { specification } from './specification.js';
import type { Specification } from './specification.js';

const noAtlas = 'Needs MongoDB Atlas, which builds search indexes; fixtures test the commands.';

const fixtures = 'The specification has no prose tests: its cases are fixtures, which `npm run conformance` runs.';

/** Databases, collections and indexes, rather than documents; and files, which are made of documents. */
export const management: readonly Specification[] = [
  specification(
    'Enumerating Collections',
    ['enumerate-collections/enumerate-collections.md'],
    'Numbered by the tests of its test plan.',
    [
      ['1', 'The names of all collections'],
      ['2', 'The names of capped collections'],
    ],
  ),
  specification(
    'Enumerating Databases',
    ['enumerate-databases/enumerate-databases.md'],
    'Numbered by the tests of its test plan.',
    [
      ['1', 'All databases in full'],
      ['2', 'The names of all databases'],
      ['3', 'All databases as objects', 'The driver has no method that answers them; the specification asks for none.'],
    ],
  ),
  specification(
    'Index Management',
    ['index-management/tests/README.md'],
    'Numbered by the tests of its test plan; S1 to S7 are the cases of search indexes.',
    [
      ['1', 'The names of all indexes'],
      ['2', 'All indexes in full'],
      ['S1', 'Search indexes are made and listed', noAtlas],
      ['S2', 'Several are made at once', noAtlas],
      ['S3', 'They are dropped', noAtlas],
      ['S4', 'They are changed', noAtlas],
      ['S5', 'Dropping one of a collection that is not there'],
      ['S6', 'Concerns of the collection'],
      ['S7', 'Their types', noAtlas],
    ],
  ),
  specification('Collation', ['collation/collation.md'], 'Numbered by the paragraphs of its test plan.', [
    ['1', 'Every method that takes a collation sends it'],
    ['2', 'Two indexes with the same keys and other collations'],
    [
      '3',
      'Servers without collations',
      'The driver supports no server older than MongoDB 4.2, and says so before anything is sent.',
    ],
  ]),
  specification('Collection Management', ['collection-management/tests/README.md'], fixtures, []),
  specification('Run Command', ['run-command/tests/README.md'], fixtures, []),
  specification('GridFS', ['gridfs/tests/README.md'], fixtures, []),
];
