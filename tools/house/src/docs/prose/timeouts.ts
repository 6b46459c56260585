import { specification } from './specification.js';
import type { Specification } from './specification.js';

const noEncryption = 'The driver does not include client-side encryption (see features.md).';

export const timeouts: Specification = specification(
  'Client Side Operations Timeout',
  'U1 to U8 are the unit tests in their order.',
  [
    ['1', 'The batches of an insertMany share one timeout'],
    ['2', 'Commands to mongocryptd carry no maxTimeMS', noEncryption],
    ['3', 'ClientEncryption', noEncryption],
    ['4', 'timeoutMS applies to each handshake command of connections for minPoolSize'],
    ['5', 'timeoutMS limits blocking iteration: tailable cursors and change streams'],
    ['6', 'timeoutMS limits GridFS uploads and their abort'],
    ['7', 'timeoutMS limits GridFS downloads'],
    ['8', 'timeoutMS and serverSelectionTimeoutMS limit server selection and handshakes'],
    ['9', 'timeoutMS limits endSession'],
    ['10', 'timeoutMS limits withTransaction, and abortTransaction has it anew'],
    ['11', 'The batches of a bulkWrite share one timeout'],
    ['U1', 'timeoutMS replaces waitQueueTimeoutMS'],
    ['U2', 'What server selection leaves of timeoutMS limits the checkout'],
    ['U3', 'Without timeoutMS waitQueueTimeoutMS limits the checkout'],
    ['U4', 'The smaller of connectTimeoutMS and the remaining timeout limits the connection attempt'],
    ['U5', 'Requests to OCSP responders', 'For drivers that control OCSP; this driver sends no OCSP requests.'],
    ['U6', 'Requests to KMS servers', noEncryption],
    ['U7', 'Commands to mongocryptd', noEncryption],
    ['U8', 'connectTimeoutMS limits connection attempts for minPoolSize'],
  ],
);
