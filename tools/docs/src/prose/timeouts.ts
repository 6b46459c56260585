import { specification } from './specification.js';
import type { Specification } from './specification.js';

const noEncryption = 'The driver does not encrypt fields.';

export const timeouts: Specification = specification(
  'Client Side Operations Timeout',
  ['client-side-operations-timeout/tests/README.md'],
  '1 to 11 as in the specification; U1 to U8 are its unit tests in their order.',
  [
    ['1', 'The batches of an insertMany share one time limit'],
    ['2', 'No maxTimeMS for mongocryptd', noEncryption],
    ['3', 'ClientEncryption', noEncryption],
    ['4', 'Connections that a pool makes by itself'],
    ['5', 'Methods that wait for the next document: tailable cursors, change streams'],
    ['6', 'GridFS: upload and abort'],
    ['7', 'GridFS: download'],
    ['8', 'Server selection'],
    ['9', 'endSession'],
    ['10', 'withTransaction'],
    ['11', 'The batches of a bulkWrite share one time limit'],
    ['U1', 'timeoutMS instead of waitQueueTimeoutMS'],
    ['U2', 'What is left of timeoutMS is the limit of a check-out'],
    ['U3', 'Without timeoutMS waitQueueTimeoutMS is'],
    ['U4', 'A socket has the least of connectTimeoutMS and what is left'],
    ['U5', 'Requests to OCSP responders', 'The driver asks no OCSP responders.'],
    ['U6', 'Requests to KMS servers', noEncryption],
    ['U7', 'Commands for mongocryptd', noEncryption],
    ['U8', 'connectTimeoutMS for the connections of minPoolSize'],
  ],
);
