import type { Dependent, Excluded } from './dependent.js';

/** All dependents, in the order in which they run. */
export const dependents: readonly Dependent[] = [
  {
    name: 'mongoose',
    packages: { mongoose: '9.12.1' },
    program: 'mongoose/main.cjs',
    short: true,
    explained: {
      'documents that are too large':
        'The official driver fails with a RangeError of its buffer. Tessera checks the limit of a write before it sends it, and the server rejects a larger filter.',
      'values that do not fit BSON':
        'The official driver stores a bigint beyond 64 bits as another number, and throws errors of its encoder. Tessera throws a MongoInvalidArgumentError for each.',
      'a transaction on a standalone server':
        "The official driver replaces the server's error by one without code. Tessera keeps the code.",
      setClient:
        'When a client closes, Tessera emits topologyDescriptionChanged with the type Unknown, as the specification requires. mongoose then changes its state.',
      'commands: a transaction with a write concern':
        'The official driver adds "wtimeout" to the first commitTransaction. The specification adds it only to a retry.',
      'helpers: explain of findOneAndUpdate':
        'The official driver returns the field "value" of the plan, which does not exist. Tessera returns the plan.',
      'transfers: functions that return no promise':
        'Tessera accepts a function that returns no promise, and rejects a value that is no function with its own error.',
      'transfers: options that a transaction rejects':
        'The official driver ignores the concerns of an operation in a transaction. The specification demands an error.',
      'errors inside of transactions':
        "The official driver replaces the server's error by one without code. Tessera keeps the code.",
    },
  },
  {
    name: 'connect-mongo',
    packages: { 'connect-mongo': '6.0.0', 'express-session': '1.19.0', express: '5.3.0' },
    program: 'connect-mongo.mjs',
  },
  { name: 'typeorm', packages: { typeorm: '1.1.1', 'reflect-metadata': '0.2.2' }, program: 'typeorm.cjs' },
  {
    name: 'mikro-orm',
    packages: { '@mikro-orm/core': '7.2.2', '@mikro-orm/mongodb': '7.2.2' },
    program: 'mikro-orm.mjs',
  },
  { name: 'agenda', packages: { agenda: '6.2.6', '@agendajs/mongo-backend': '4.0.3' }, program: 'agenda.mjs' },
  { name: 'migrate-mongo', packages: { 'migrate-mongo': '14.0.7' }, program: 'migrate-mongo.mjs' },
  {
    name: 'auth',
    packages: { '@auth/mongodb-adapter': '3.11.3' },
    program: 'auth-adapter.mjs',
    ignoresPeers: true,
    short: true,
  },
  { name: 'keyv', packages: { keyv: '5.5.5', '@keyv/mongo': '3.1.0' }, program: 'keyv.mjs', short: true },
  { name: 'rate-limiter', packages: { 'rate-limiter-flexible': '11.4.0' }, program: 'rate-limiter.cjs' },
  { name: 'papr', packages: { papr: '17.1.1' }, program: 'papr.cjs' },
  {
    name: 'mongosh',
    packages: { '@mongosh/service-provider-node-driver': '5.6.0' },
    program: 'mongosh.cjs',
  },
  {
    name: 'opentelemetry',
    packages: {
      '@opentelemetry/api': '1.10.0',
      '@opentelemetry/sdk-trace-node': '2.12.1',
      '@opentelemetry/instrumentation-mongodb': '0.77.0',
    },
    program: 'opentelemetry.cjs',
    ignoresPeers: true,
    explained: {
      spans: 'The span of an aggregation names its collection. The official driver reports the collection $cmd for it.',
    },
  },
  { name: 'parse-server', packages: { 'parse-server': '9.10.0' }, program: 'parse-server.cjs' },
];

/** The dependents that cannot be compared. */
export const excluded: readonly Excluded[] = [
  {
    name: '@payloadcms/db-mongodb',
    reason: 'It reaches the driver only through mongoose, whose program covers the same calls.',
  },
];
