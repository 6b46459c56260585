import { Collection, Db, MongoServerError } from '@tessera/client';
import type { MongoClient } from '@tessera/client';
import type { Clock, Document } from '@tessera/contracts';
import type { Entities } from './entities.js';
import { countOf } from './expectations.js';
import type { Operation } from './format.js';
import { match, root } from './match.js';
import { Unsupported } from './unsupported.js';

type Run<T> = (target: T, given: Document) => Promise<unknown>;

const onDatabases: Readonly<Record<string, Run<Db>>> = {
  runCommand: (db, { command, commandName: _, ...options }) => db.command(command as Document, options),
};

const onCollections: Readonly<Record<string, Run<Collection>>> = {
  insertOne: (all, { document, ...options }) => all.insertOne(document as never, options),
  insertMany: (all, { documents, ...options }) => all.insertMany(documents as never, options),
  find: (all, { filter, ...options }) => all.find(filter as Document, options).toArray(),
  deleteOne: (all, { filter, ...options }) => all.deleteOne(filter as Document, options),
  deleteMany: (all, { filter, ...options }) => all.deleteMany(filter as Document, options),
  updateOne: (all, { filter, update, ...options }) => all.updateOne(filter as Document, update as Document, options),
  updateMany: (all, { filter, update, ...options }) => all.updateMany(filter as Document, update as Document, options),
  replaceOne: (all, { filter, replacement, ...options }) =>
    all.replaceOne(filter as Document, replacement as Document, options),
  findOneAndUpdate: (all, { filter, update, ...options }) =>
    all.findOneAndUpdate(filter as Document, update as Document, options),
  findOneAndReplace: (all, { filter, replacement, ...options }) =>
    all.findOneAndReplace(filter as Document, replacement as Document, options),
  aggregate: (all, { pipeline, ...options }) => all.aggregate(pipeline as Document[], options).toArray(),
  createIndex: (all, { keys, ...options }) => all.createIndex(keys as Document, options),
  dropIndex: (all, { name, ...options }) => all.dropIndex(name as string, options),
  bulkWrite: (all, { requests, ...options }) => all.bulkWrite(requests as never, options),
};

const onClients: Readonly<Record<string, Run<MongoClient>>> = {
  close: client => client.close(),
  listDatabases: (client, options) => client.db().admin().listDatabases(options),
};

export interface Stage {
  readonly entities: Entities;
  readonly clock: Clock;
}

const PATIENCE = 10_000;

const ofRunner: Readonly<Record<string, Run<Stage>>> = {
  failPoint: async ({ entities }, { client, failPoint }) => {
    await entities
      .client(client as string)
      .client.db('admin')
      .command(failPoint as Document);
  },
  createEntities: ({ entities }, { entities: made }) => {
    entities.create(made as readonly Readonly<Record<string, Document>>[]);
    return Promise.resolve();
  },
  async waitForEvent({ entities, clock }, { client, event, count }) {
    const { events } = entities.client(client as string);
    const deadline = clock.now() + PATIENCE;
    while (countOf(events, event as Document) < (count as number)) {
      if (clock.now() > deadline)
        throw new Error(`${JSON.stringify(event)} did not happen ${String(count)} times within ${PATIENCE} ms`);
      await clock.sleep(10);
    }
  },
  assertEventCount({ entities }, { client, event, count }) {
    const happened = countOf(entities.client(client as string).events, event as Document);
    if (happened === count) return Promise.resolve();
    throw new Error(`${JSON.stringify(event)} happened ${happened} times, not ${String(count)}`);
  },
  wait: ({ clock }, { ms }) => clock.sleep(ms as number),
};

const operationOf = <T>(table: Readonly<Record<string, Run<T>>>, { name, object }: Operation): Run<T> => {
  if (!Object.hasOwn(table, name)) throw new Unsupported(`the operation ${name} of ${object.replace(/\d+$/, '')}`);
  return table[name]!;
};

const perform = (stage: Stage, operation: Operation): Promise<unknown> => {
  const { object, arguments: given = {} } = operation;
  if (given['session'] !== undefined) throw new Unsupported('operations with a session');
  if (object === 'testRunner') return operationOf(ofRunner, operation)(stage, given);
  const target = stage.entities.target(object);
  if (target instanceof Collection) return operationOf(onCollections, operation)(target, given);
  if (target instanceof Db) return operationOf(onDatabases, operation)(target, given);
  return operationOf(onClients, operation)(target, given);
};

/** Rule: "expectedError". */
const judgeError = (expected: Document, error: unknown): void => {
  for (const [name, value] of Object.entries(expected)) {
    if (name === 'isError') continue;
    if (name !== 'isClientError') throw new Unsupported(`the expectation ${name} of errors`);
    if (!(error instanceof MongoServerError) !== value)
      throw new Error(
        `expected ${value === true ? 'an error of the client' : 'an error of the server'}: ${String(error)}`,
      );
  }
};

/** Answers the error that the operation raised and was expected to raise. @throws Error if it did anything else. */
export const runOperation = async (stage: Stage, operation: Operation): Promise<Error | undefined> => {
  const { name, expectError, expectResult, ignoreResultAndError, saveResultAsEntity } = operation;
  if (saveResultAsEntity !== undefined) throw new Unsupported('results that become entities');
  let result: unknown;
  try {
    result = await perform(stage, operation);
  } catch (error) {
    if (error instanceof Unsupported || (expectError === undefined && ignoreResultAndError !== true)) throw error;
    judgeError(expectError ?? {}, error);
    return error as Error;
  }
  if (expectError !== undefined) throw new Error(`${name} did not fail`);
  if (expectResult !== undefined) match(expectResult, result, root(name));
  return undefined;
};
