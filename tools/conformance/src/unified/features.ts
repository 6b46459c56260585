/** Detects features that a case needs although its `runOnRequirements` do not name them. */
import type { Document } from '@tessera/contracts';
import type { Operation, UnifiedFile, UnifiedTest } from './format.js';

/** All features that a deployment or the driver may lack, as they appear in reports. */
export const features = [
  'transactions',
  'change streams',
  'snapshot reads',
  'several members',
  'sharded',
  'load-balanced',
  'the bulkWrite command',
  'apiStrict',
  'time series',
  'clustered collections',
  'pre- and post-images',
  'OIDC',
  'encryption',
  'OpenTelemetry',
  'fail points',
] as const;

export type Feature = (typeof features)[number];

/** Returns the operations and all operations nested in them. */
const allOperations = (operations: readonly Operation[]): readonly Operation[] =>
  operations.flatMap(operation => {
    const { callback = [], operations: looped = [], operation: threaded } = operation.arguments ?? {};
    const inner = [...(callback as Operation[]), ...(looped as Operation[])];
    return [operation, ...allOperations(threaded === undefined ? inner : [...inner, threaded as Operation])];
  });

const anywhere = (value: unknown, holds: (key: string, value: unknown) => boolean): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => holds(key, inner) || anywhere(inner, holds));
};

interface Parts {
  readonly operations: readonly Operation[];
  readonly entities: readonly Document[];
  readonly file: UnifiedFile;
  readonly test: UnifiedTest;
}

const named =
  (...names: readonly string[]) =>
  ({ operations }: Parts): boolean =>
    operations.some(({ name }) => names.includes(name));

const runs =
  (command: string) =>
  ({ operations }: Parts): boolean =>
    operations.some(({ arguments: given }) => given?.['commandName'] === command);

const says =
  (...keys: readonly string[]) =>
  ({ operations, file }: Parts): boolean => {
    const of = (key: string): boolean => keys.includes(key);
    return operations.some(({ arguments: given }) => anywhere(given, of)) || anywhere(file.initialData, of);
  };

const either =
  (...all: readonly ((parts: Parts) => boolean)[]) =>
  (parts: Parts): boolean =>
    all.some(one => one(parts));

const entity =
  (kind: string, holds: (given: Document) => boolean) =>
  ({ entities }: Parts): boolean =>
    entities.some(one => one[kind] !== undefined && holds(one[kind] as Document));

/** Event counts that a client of a replica set reaches only if the set has more than one member. */
const many: Readonly<Record<string, number>> = { topologyDescriptionChangedEvent: 4, serverHeartbeatSucceededEvent: 3 };

const isForSets = ({ runOnRequirements }: UnifiedFile | UnifiedTest): boolean =>
  runOnRequirements?.every(({ topologies }) => topologies?.join() === 'replicaset') === true;

const expectsMembers = ({ operations, file, test }: Parts): boolean =>
  (isForSets(file) || isForSets(test)) &&
  operations.some(({ name, arguments: given }) => {
    if (name !== 'waitForEvent') return false;
    const [event = ''] = Object.keys(given?.['event'] as Document);
    return (given?.['count'] as number) >= (many[event] ?? Infinity);
  });

const needs: Readonly<Partial<Record<Feature, (parts: Parts) => boolean>>> = {
  transactions: named('startTransaction', 'withTransaction'),
  'change streams': either(named('createChangeStream'), says('$changeStream')),
  'snapshot reads': entity(
    'session',
    ({ sessionOptions }) => (sessionOptions as Document | undefined)?.['snapshot'] === true,
  ),
  'several members': either(named('waitForPrimaryChange'), runs('replSetStepDown'), expectsMembers),
  'the bulkWrite command': either(named('clientBulkWrite'), runs('bulkWrite')),
  apiStrict: entity('client', ({ serverApi }) => (serverApi as Document | undefined)?.['strict'] === true),
  'time series': says('timeseries'),
  'clustered collections': says('clusteredIndex'),
  'pre- and post-images': says('changeStreamPreAndPostImages'),
  OIDC: entity(
    'client',
    ({ uriOptions }) => (uriOptions as Document | undefined)?.['authMechanism'] === 'MONGODB-OIDC',
  ),
  encryption: either(
    entity('client', ({ autoEncryptOpts }) => autoEncryptOpts !== undefined),
    entity('clientEncryption', () => true),
    ({ file, test }) =>
      [file, test].some(({ runOnRequirements: all }) =>
        all?.every(({ csfle }) => csfle !== undefined && csfle !== false),
      ),
  ),
  OpenTelemetry: ({ test }) => test.expectTracingMessages !== undefined,
};

/** Returns the features that the case needs, as far as its operations and entities show. */
export const featuresOf = (file: UnifiedFile, test: UnifiedTest): readonly Feature[] => {
  const operations = allOperations(test.operations);
  const created = operations
    .filter(({ name }) => name === 'createEntities')
    .flatMap(({ arguments: given }) => given?.['entities'] as readonly Document[]);
  const parts: Parts = { operations, entities: [...(file.createEntities ?? []), ...created], file, test };
  return Object.entries(needs)
    .filter(([, holds]) => holds(parts))
    .map(([feature]) => feature as Feature);
};

/** Returns whether the case runs a transaction. Rule: "Terminating Open Transactions". */
export const hasTransaction = (test: UnifiedTest): boolean =>
  allOperations(test.operations).some(({ name }) => name === 'startTransaction' || name === 'withTransaction');

/** Returns whether the case sets fail points. */
export const hasFailPoint = (test: UnifiedTest): boolean =>
  allOperations(test.operations).some(({ name }) => name === 'failPoint' || name === 'targetedFailPoint');
