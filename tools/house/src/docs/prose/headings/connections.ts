import { audited, headingsOf, notInAudited } from './list.js';
import type { HeadingList } from './list.js';

const pools = 'Connection Monitoring and Pooling';
const poolFile = 'connection-monitoring-and-pooling/tests/README.md';
const poolCommit = '207c5cd2798f64a48945b1a563ab2b374ce5646d';
const handshake = 'MongoDB Handshake';
const handshakeFile = 'mongodb-handshake/tests/README.md';
const stepDown = 'Connections Survive Primary Step Down';
const stepDownFile = 'connections-survive-step-down/tests/README.md';
const stepDownCommit = '496dec6360267c3804327a10645ac51a30e9869b';

export const connectionHeadings: readonly HeadingList[] = [
  headingsOf(pools, poolFile, poolCommit, [
    ['1', '(options at the MongoClient level)'],
    ['2', '(the same options for all pools)'],
    ['3', '(options in the URI)'],
    ['4', '(subscription to events)'],
    ['5', '(reason connectionError)'],
  ]),
  headingsOf(
    pools,
    poolFile,
    poolCommit,
    [
      ['6.1', 'Recover Partially Read Response (2)'],
      ['6.2', 'Recover Partially Read Response (4)'],
      ['6.3', 'Recover Partially Read Response (16)'],
      ['6.4', 'Recover Partially Read Response (20)'],
      ['7', 'Non-destructive Aliveness Check'],
      ['8', 'Exhaust Cursors'],
    ],
    notInAudited,
  ),
  headingsOf(handshake, handshakeFile, audited, [
    ['1.1', 'Valid AWS'],
    ['1.2', 'Valid Azure'],
    ['1.3', 'Valid GCP'],
    ['1.4', 'Valid Vercel'],
    ['1.5', 'Invalid - multiple providers'],
    ['1.6', 'Invalid - long string'],
    ['1.7', 'Invalid - wrong types'],
    ['1.8', 'Invalid - AWS_EXECUTION_ENV does not start with "AWS_Lambda_"'],
    ['1.9', 'Valid container and FaaS provider'],
    ['2', 'Test that the driver accepts an arbitrary auth mechanism'],
    ['M1', 'Test that the driver updates metadata'],
    ['M2', 'Multiple Successive Metadata Updates'],
    ['M3', 'Multiple Successive Metadata Updates with Duplicate Data'],
    ['M4', 'Multiple Metadata Updates with Duplicate Data'],
    ['M5', 'Metadata is not appended if identical to initial metadata'],
    ['M6', 'Metadata is not appended if identical to initial metadata (separated by non-identical metadata)'],
    ['M7', 'Empty strings are considered unset when appending duplicate metadata'],
    ['M8', 'Empty strings are considered unset when appending metadata identical to initial metadata'],
    ['M9', 'Handshake documents include backpressure: "2"'],
  ]),
  headingsOf(
    handshake,
    handshakeFile,
    1975,
    [
      ['M10', 'Entries in driver.name and driver.version correspond by index'],
      ['M11', 'Appending metadata containing the delimiter raises an error'],
    ],
    notInAudited,
  ),
  headingsOf(
    'Command Logging and Monitoring',
    'command-logging-and-monitoring/tests/README.md',
    'c058cd5277b676ead2b5e80806cb27341e6ec36e',
    [
      ['1', 'Default truncation limit'],
      ['2', 'Explicitly configured truncation limit'],
      ['3', 'Truncation with multi-byte codepoints'],
    ],
  ),
  headingsOf('Logging', 'logging/logging.md', audited, []),
  headingsOf('OP_COMPRESSED', 'compression/OP_COMPRESSED.md', '299e4e53bf7069f2b087884efedda2c15f7b44b3', [
    ['1', '(compressors=snappy)'],
    ['2', '(compressors=snoopy)'],
    ['3', '(compressors=snappy,zlib)'],
    ['4', '(compressors=zlib,snappy)'],
    ['5', '(authenticate, create a user, run serverStatus)'],
    ['6', '(reconnect as that user)'],
  ]),
  headingsOf('OP_MSG', 'message/OP_MSG.md', '0a7a8b5202ebb708956147f4f19776a54cd1fb2d', [
    ['1', '(a single document)'],
    ['2', '(two documents)'],
    ['3', '(maxWriteBatchSize)'],
    ['4', '(updates and deletes)'],
    ['5', '(a small and a large document)'],
  ]),
  headingsOf('SOCKS5 Support', 'socks5-support/tests/README.md', 'a563b79ed26d2e590209778029c30f5656ddec67', [
    ['1', '(mappedhost, port 1080)'],
    ['2', '(mappedhost, port 1081)'],
    ['3', '(replicaset, port 1080)'],
    ['4', '(replicaset, port 1081)'],
    ['5', '(mappedhost, port 1080, nonexistentuser)'],
    ['6', '(mappedhost, port 1081, nonexistentuser)'],
    ['7', '(replicaset, port 1081, nonexistentuser)'],
    ['8', '(mappedhost, port 1080, username)'],
    ['9', '(mappedhost, port 1081, again)'],
    ['10', '(replicaset, port 1080, username)'],
    ['11', '(replicaset, port 1081, again)'],
    ['12', '(variants with MongoClient options)'],
    ['13', '(command monitoring events)'],
  ]),
  headingsOf(stepDown, stepDownFile, stepDownCommit, [
    ['1', 'getMore Iteration'],
    ['2', 'Not Primary - Keep Connection Pool'],
    ['4', 'Shutdown in progress - Reset Connection Pool'],
    ['5', 'Interrupted at shutdown - Reset Connection Pool'],
  ]),
  headingsOf(stepDown, stepDownFile, stepDownCommit, [['3', 'Not Primary - Reset Connection Pool']], notInAudited),
  headingsOf('OCSP Support', 'ocsp-support/tests/README.md', '01b73f12c05a5c7d8cbd6ac88e23fc1977a2ea0b', [
    ['C1', 'Testing Invalid Configurations (tlsInsecure)'],
    ['C2', 'Testing Invalid Configurations (tlsAllowInvalidCertificates)'],
    ['1', 'Test 1'],
    ['2', 'Test 2'],
    ['3', 'Test 3'],
    ['4', 'Test 4'],
    ['S', 'Soft Fail Test'],
    ['M1', 'Malicious Server Test 1'],
    ['M2', 'Malicious Server Test 2'],
  ]),
  headingsOf('URI Options', 'uri-options/tests/README.md', audited, []),
];
