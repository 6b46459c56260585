import { specification } from './specification.js';
import type { Specification } from './specification.js';

const removed = 'Removed from the specification.';

export const changeStreams: Specification = specification('Change Streams', ['change-streams/tests/README.md'], '', [
  ['1', 'The last resume token is tracked'],
  ['2', 'A change without a resume token is an error'],
  ['3', 'Resumed with the same pipeline and options, and the token'],
  ['4', 'No error of an aggregate is resumed'],
  ['5', 'Removed', removed],
  ['6', 'Selects a server by the first read preference'],
  ['7', 'A cursor with an empty first batch stays open'],
  ['8', 'No error of killCursors comes through'],
  ['9', 'Resumed by startAtOperationTime'],
  ['10', 'Removed', removed],
  ['11', 'The token at the end of a batch, with postBatchResumeToken'],
  ['12', 'The token at the end of a batch, without'],
  ['13', 'The token within a batch'],
  ['14', 'The token before the first change'],
  ['15', 'Removed', removed],
  ['16', 'Removed', removed],
  ['17', 'Resumed by startAfter before the first change'],
  ['18', 'Resumed by resumeAfter after it'],
  ['19', 'Fragments of a large event'],
]);
