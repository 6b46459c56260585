import { specification } from './specification.js';
import type { Specification } from './specification.js';

const noEncryption = 'Client-side encryption is left out.';

export const timeouts: Specification = specification(
  'Client Side Operations Timeout',
  ['client-side-operations-timeout/tests/README.md'],
  '',
  [
    ['1', 'The batches of an insertMany share one time limit'],
    ['2', 'No maxTimeMS for mongocryptd', noEncryption],
    ['3', 'ClientEncryption', noEncryption],
    ['4', 'Connections that a pool makes by itself'],
    ['5', 'Methods that wait for the next document'],
    ['6', 'GridFS: upload and abort'],
    ['7', 'GridFS: download'],
    ['8', 'Server selection'],
    ['9', 'endSession'],
    ['10', 'withTransaction'],
    ['11', 'The batches of a bulkWrite share one time limit'],
  ],
);
