import { specification } from './specification.js';
import type { Row, Specification } from './specification.js';

const noOcsp = 'Node.js does not offer an OCSP check (see features.md).';
const noOcspOption =
  'For drivers with an option that enables revocation checks; this driver has none. Fixtures test which `tls` options exclude each other.';

const pools: readonly Row[] = [
  ['1', 'All pool options are options of the client'],
  ['2', 'All pools of a client have the same options'],
  ['3', 'All pool options can be set in the connection string'],
  ['4', 'Applications can subscribe to the events of pools'],
  ['5', 'A checkout whose connection cannot be established fails with reason connectionError'],
  ['6.1', 'A reply that is late after 2 bytes is drained, and the connection is reused'],
  ['6.2', 'A reply that is late after 4 bytes is drained, and the connection is reused'],
  ['6.3', 'A reply that is late after its header of 16 bytes is drained, and the connection is reused'],
  ['6.4', 'A reply that is late after 20 bytes is drained, and the connection is reused'],
  ['7', 'A check of an idle connection does not discard bytes of a late reply'],
  [
    '8',
    'A timeout of an exhaust cursor closes the connection',
    'The driver has no exhaust cursors; the specification lets such drivers skip the test.',
  ],
];

const emptyPlace =
  'The text leaves a version that is not given without a place. The driver keeps an empty place for it, as M10 requires.';

const handshake: readonly Row[] = [
  ['1.1', 'client.env on AWS Lambda'],
  ['1.2', 'client.env on Azure Functions'],
  ['1.3', 'client.env on Google Cloud Functions'],
  ['1.4', 'client.env on Vercel'],
  ['1.5', 'client.env with the variables of several providers'],
  ['1.6', 'client.env with a value that is too long'],
  ['1.7', 'client.env with a value of the wrong type'],
  ['1.8', 'client.env with an AWS_EXECUTION_ENV that is not Lambda'],
  ['1.9', 'client.env with a container and a function provider'],
  ['2', 'An unknown mechanism in saslSupportedMechs is ignored'],
  ['M1', "Appended metadata follows the client's own metadata", undefined, emptyPlace],
  ['M2', 'Metadata is appended several times', undefined, emptyPlace],
  ['M3', 'Partly identical metadata is appended; identical metadata is not'],
  ['M4', 'Metadata that was appended before is not appended again'],
  ['M5', "Metadata identical to the client's own is not appended"],
  ['M6', "Metadata identical to the client's own is not appended after other metadata"],
  ['M7', 'An empty string counts as unset when metadata is appended twice'],
  ['M8', "An empty string counts as unset when metadata is compared with the client's own"],
  ['M9', 'Every handshake sends backpressure: "2"'],
  ['M10', 'Entries of driver.name and driver.version correspond by index'],
  ['M11', 'Metadata that contains the delimiter is an error, and nothing is appended'],
];

const commandLogging: readonly Row[] = [
  ['1', 'Documents are truncated at 1000 characters by default'],
  ['2', 'Documents are truncated at the configured length'],
  ['3', 'A limit within a multi-byte code point does not split the code point'],
];

const compression: readonly Row[] = [
  ['1', 'compressors=snappy compresses with snappy'],
  ['2', 'An unknown compressor causes a warning, an empty list in hello and no compression'],
  ['3', 'compressors=snappy,zlib compresses with snappy'],
  ['4', 'compressors=zlib,snappy compresses with zlib'],
  ['5', 'Authentication and user management commands are not compressed'],
  ['6', 'After authentication serverStatus and its reply are compressed'],
];

const opMsg: readonly Row[] = [
  ['1', 'One document is inserted'],
  ['2', 'Two documents are inserted as a document sequence'],
  [
    '3',
    'maxWriteBatchSize may become 100,000',
    'The sentence announces a limit of the server and demands nothing of a driver.',
  ],
  ['4', 'The same for updates and deletes'],
  ['5', 'A small document and one of 16 MB are inserted, updated and deleted in one round trip'],
];

const socks5: readonly Row[] = [
  ['1', 'Direct, proxy with authentication, no credentials: fails'],
  ['2', 'Direct, proxy without authentication: succeeds'],
  ['3', 'Replica set, proxy with authentication, no credentials: fails'],
  ['4', 'Replica set, proxy without authentication: succeeds'],
  ['5', 'Direct, proxy with authentication, wrong credentials: fails'],
  ['6', 'Direct, proxy without authentication, superfluous credentials: succeeds'],
  ['7', 'Replica set, proxy without authentication, superfluous credentials: succeeds'],
  ['8', 'Direct, proxy with authentication, right credentials: succeeds'],
  ['9', 'Direct, proxy without authentication (repeated in the table): succeeds'],
  ['10', 'Replica set, proxy with authentication, right credentials: succeeds'],
  ['11', 'Replica set, proxy without authentication (repeated in the table): succeeds'],
  ['12', 'The same with options of the client in place of the connection string'],
  ['13', 'Command events name the server and not the proxy'],
];

const stepDown: readonly Row[] = [
  ['1', 'A getMore succeeds after the primary stepped down, and the pool is kept'],
  ['2', 'A "not primary" error keeps the pool'],
  [
    '3',
    'A "not primary" error of MongoDB 4.0 clears the pool',
    'Removed from the specification; the driver supports no server older than MongoDB 4.2.',
  ],
  ['4', 'A "shutdown in progress" error clears the pool'],
  ['5', 'An "interrupted at shutdown" error clears the pool'],
];

const ocsp: readonly Row[] = [
  ['C1', 'Revocation checks together with tlsInsecure are an error', noOcspOption],
  ['C2', 'Revocation checks together with tlsAllowInvalidCertificates are an error', noOcspOption],
  ['1', 'A valid certificate and a server that staples', noOcsp],
  ['2', 'A revoked certificate and a server that staples', noOcsp],
  ['3', 'A valid certificate and a server that does not staple', noOcsp],
  ['4', 'A revoked certificate and a server that does not staple', noOcsp],
  ['S', 'No OCSP responder and a server that does not staple', noOcsp],
  ['M1', 'A revoked Must-Staple certificate and a server that does not staple', noOcsp],
  ['M2', 'No OCSP responder, a Must-Staple certificate and a server that does not staple', noOcsp],
];

/** Connections, their handshake and their messages. */
export const connections: readonly Specification[] = [
  specification(
    'Connection Monitoring and Pooling',
    '6.1 to 8 are the tests of pending responses, which have headings without numbers.',
    pools,
  ),
  specification('MongoDB Handshake', 'M1 to M11 are the tests of metadata updates.', handshake),
  specification('Command Logging and Monitoring', '', commandLogging),
  specification(
    'Logging',
    'The specification has no prose tests of its own: each specification has tests of its own messages.',
    [],
  ),
  specification('OP_COMPRESSED', 'Numbered in the order of the test plan.', compression),
  specification('OP_MSG', 'Numbered in the order of the test plan.', opMsg),
  specification('SOCKS5 Support', '1 to 11 are the rows of the table, 12 and 13 the paragraphs after it.', socks5),
  specification('Connections Survive Primary Step Down', 'Numbered in the order of the headings.', stepDown),
  specification(
    'OCSP Support',
    'C1 and C2 are the tests of invalid configurations; the others are the columns of the table.',
    ocsp,
  ),
  specification(
    'URI Options',
    'The specification has no prose tests: its cases are fixtures, which `npm run conformance` runs.',
    [],
  ),
];
