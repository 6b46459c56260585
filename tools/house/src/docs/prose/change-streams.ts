import { specification } from './specification.js';
import type { Specification } from './specification.js';

const removed = 'Removed from the specification.';

export const changeStreams: Specification = specification('Change Streams', '', [
  ['1', 'The last resume token is tracked'],
  ['2', 'A change without a resume token is an error'],
  ['3', 'A stream resumes with its initial pipeline and options and the resume token'],
  ['4', 'An error of the initial aggregate does not resume the stream'],
  ['5', 'Removed', removed],
  ['6', 'A resume selects a server with the initial read preference'],
  ['7', 'A cursor with an empty first batch stays open'],
  ['8', 'An error of killCursors during a resume is ignored'],
  ['9', 'On MongoDB 4.0.0 to 4.0.6 a stream without results resumes with startAtOperationTime'],
  ['10', 'Removed', removed],
  ['11', 'At the end of a batch the resume token is the postBatchResumeToken'],
  ['12', 'At the end of a batch of a server without postBatchResumeToken the resume token is that of the last change'],
  ['13', 'Within a batch the resume token is that of the previous change'],
  ['14', 'Before the first change is read the resume token is startAfter, resumeAfter or none'],
  ['15', 'Removed', removed],
  ['16', 'Removed', removed],
  ['17', 'A stream that began with startAfter and has no results resumes with startAfter'],
  ['18', 'A stream that began with startAfter and has results resumes with resumeAfter'],
  ['19', 'A large event is split into fragments'],
]);
