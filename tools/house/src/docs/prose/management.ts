import { specification } from './specification.js';
import type { Row, Specification } from './specification.js';

const noAtlas = 'Requires MongoDB Atlas, which builds search indexes; fixtures test the commands.';
const fixtures = 'The specification has no prose tests: its cases are fixtures, which `npm run conformance` runs.';
const inOrder = 'Numbered in the order of the test plan.';

const indexes: readonly Row[] = [
  ['1', 'The names of all indexes are listed'],
  ['2', 'All indexes are listed with their properties'],
  ['S1', 'Search indexes are created and listed', noAtlas],
  ['S2', 'Several search indexes are created in one command', noAtlas],
  ['S3', 'Search indexes are dropped', noAtlas],
  ['S4', 'Search indexes are updated', noAtlas],
  ['S5', 'Dropping a search index of a collection that does not exist is not an error'],
  ['S6', 'The read and write concern of the collection are not sent'],
  ['S7', 'Search indexes have a type', noAtlas],
  ['S8', 'A vector search index requires an explicit type'],
  ['S9', 'The server sets the default name and type of a search index', noAtlas],
];

/** Databases, collections, indexes and files. */
export const management: readonly Specification[] = [
  specification('Enumerating Collections', inOrder, [
    ['1', 'The names of all collections are listed'],
    ['2', 'The names of capped collections are listed'],
  ]),
  specification('Enumerating Databases', inOrder, [
    ['1', 'All databases are listed with their properties'],
    ['2', 'The names of all databases are listed'],
    [
      '3',
      'All databases are listed as database objects',
      'The specification leaves the method to the driver ("MAY"), and this driver has none.',
    ],
  ]),
  specification(
    'Index Management',
    '1 and 2 are the tests of the test plan; S1 to S9 are the cases of search indexes.',
    indexes,
  ),
  specification('Collation', 'Numbered in the order of the paragraphs of the test plan.', [
    ['1', 'Every method with a collation option sends it'],
    ['2', 'Two indexes with the same keys and different collations are told apart by name'],
    [
      '3',
      'A collation is an error on servers without collations',
      'The driver supports no server older than MongoDB 4.2.',
    ],
  ]),
  specification('Collection Management', fixtures, []),
  specification('Run Command', fixtures, []),
  specification('GridFS', fixtures, []),
];
