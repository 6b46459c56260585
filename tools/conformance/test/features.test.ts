import { describe, expect, test } from 'vitest';
import { featuresOf } from '../src/unified/features.js';
import type { UnifiedFile, UnifiedTest } from '../src/unified/format.js';
import { unmet } from '../src/unified/requirements.js';
import { checkSchemaVersion, compareVersions } from '../src/unified/version.js';

const file: UnifiedFile = { description: '', schemaVersion: '1.0', tests: [] };
const testOf = (...operations: UnifiedTest['operations']): UnifiedTest => ({ description: '', operations });

describe('featuresOf detects the features that a case needs', () => {
  const start = { name: 'startTransaction', object: 'session0' };
  const client = (options: object): object => ({ entities: [{ client: { id: 'client0', ...options } }] });

  test.each<[feature: string, test: UnifiedTest]>([
    ['transactions', testOf(start)],
    ['change streams', testOf({ name: 'createChangeStream', object: 'collection0' })],
    ['the bulkWrite command', testOf({ name: 'clientBulkWrite', object: 'client0' })],
    ['time series', testOf({ name: 'createCollection', object: 'db', arguments: { timeseries: {} } })],
    [
      'apiStrict',
      testOf({ name: 'createEntities', object: 'testRunner', arguments: client({ serverApi: { strict: true } }) }),
    ],
    ['OpenTelemetry', { ...testOf(), expectTracingMessages: [] }],
  ])('%s', (feature, one) => {
    expect(featuresOf(file, one)).toEqual([feature]);
  });

  test('in the operations of threads and callbacks', () => {
    const inThread = { name: 'runOnThread', object: 'testRunner', arguments: { thread: 't', operation: start } };
    const inCallback = { name: 'anything', object: 'session0', arguments: { callback: [inThread] } };
    expect(featuresOf(file, testOf(inCallback))).toEqual(['transactions']);
  });

  test('several members: if a replica set test waits for many events', () => {
    const waiting = (count: number): UnifiedTest =>
      testOf({
        name: 'waitForEvent',
        object: 'testRunner',
        arguments: { client: 'client', event: { topologyDescriptionChangedEvent: {} }, count },
      });
    const ofSets = { ...file, runOnRequirements: [{ topologies: ['replicaset'] }] };
    expect(featuresOf(ofSets, waiting(4))).toEqual(['several members']);
    expect(featuresOf(ofSets, waiting(2))).toEqual([]);
    expect(featuresOf(file, waiting(4))).toEqual([]);
  });
});

describe('Unified Test Format, "runOnRequirement"', () => {
  const traits = {
    version: '8.2.1',
    topology: 'replicaset',
    auth: false,
    parameters: { enableTestCommands: true, authenticationMechanisms: ['SCRAM-SHA-256'] },
  } as const;

  test('is met if all parts of any requirement are met', () => {
    expect(unmet(undefined, traits)).toEqual([]);
    expect(unmet([{ auth: true }, { minServerVersion: '8.2' }], traits)).toEqual([]);
    expect(unmet([{ minServerVersion: '8.2', auth: true }], traits)).toEqual([{ of: 'auth', what: 'authentication' }]);
  });

  test.each([
    [{ maxServerVersion: '8.2.0' }, 'version', '8.2.0 or earlier'],
    [{ minServerVersion: '8.3' }, 'version', '8.3 or later'],
    [{ topologies: ['single', 'sharded-replicaset'] }, 'topology', 'single or sharded'],
    [{ serverless: 'require' }, 'serverless', 'a serverless deployment'],
    [{ csfle: true }, 'encryption', 'client-side encryption'],
    [{ authMechanism: 'MONGODB-OIDC' }, 'mechanism', 'MONGODB-OIDC'],
    [{ serverParameters: { requireApiVersion: false } }, 'parameters', 'requireApiVersion: false'],
  ] as const)('%j is not met', (required, of, what) => {
    expect(unmet([required], traits)).toEqual([{ of, what }]);
  });

  test.each([
    { maxServerVersion: '8.2.99' },
    { topologies: ['replicaset'] },
    { serverless: 'forbid' },
    { csfle: false },
    { authMechanism: 'scram-sha-256' },
    { serverParameters: { enableTestCommands: true } },
  ] as const)('%j is met', required => {
    expect(unmet([required], traits)).toEqual([]);
  });
});

describe('Unified Test Format, "Version String"', () => {
  test('compares parts as numbers, treats missing parts as zero and ignores suffixes', () => {
    expect(compareVersions('4.0.10', '4.0.9')).toBeGreaterThan(0);
    expect(compareVersions('4', '4.0.0')).toBe(0);
    expect(compareVersions('4.9.0-alpha4-271-g7d5cf02', '4.9')).toBe(0);
  });

  test('rejects files of a newer minor or any other major version, accepts newer patch versions', () => {
    expect(() => checkSchemaVersion('1.29.1')).not.toThrow();
    expect(() => checkSchemaVersion('1.30')).toThrow('1.30');
    expect(() => checkSchemaVersion('2.0')).toThrow('2.0');
    expect(() => checkSchemaVersion('0.1')).toThrow('0.1');
  });
});
