import { MongoClient } from '@tessera/client';
import type { MongoClientOptions } from '@tessera/client';
import { createServer } from '@tessera/server';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Runs a program with a client whose runtime records its warnings. Returns the warnings. */
const warningsOf = (
  program: (client: MongoClient) => Promise<unknown>,
  options: MongoClientOptions,
  environment: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> => {
  const world = createWorld({ turn }, { seed: 1 });
  const warnings: string[] = [];
  const { host } = world.runtime;
  const runtime = {
    ...world.runtime,
    host: {
      ...host,
      environment: (name: string) => environment[name] ?? host.environment(name),
      warn: (sentence: string) => void warnings.push(sentence),
    },
  };
  return world.run(async () => {
    const server = createServer(world.runtime);
    await server.listen('db1:27017');
    const client = new MongoClient('mongodb://db1:27017', options, { runtime });
    await program(client);
    await client.close();
    await server.close();
    return warnings;
  });
};

const mistake = (client: MongoClient): Promise<unknown> =>
  client
    .db()
    .collection('films')
    .findOne({}, { projektion: { year: 1 } } as object);
const warning = 'No operation has an option "projektion", so it has no effect. Did you mean "projection"?';

describe('warnOnUnknownOptions', () => {
  test('warns once of each name that is not an option of any operation, with the most similar name', async () => {
    const program = async (client: MongoClient): Promise<void> => {
      const films = client.db().collection('films');
      await films.insertOne({}, { writeConcerns: { w: 1 } } as object);
      for (let times = 0; times < 2; times++) {
        await films.find({}, { projektion: { year: 1 }, limit: 1 } as object).toArray();
        await films.findOne({}, { somethingElse: 1 } as object);
      }
    };
    expect(await warningsOf(program, { warnOnUnknownOptions: true })).toEqual([
      'No operation has an option "writeConcerns", so it has no effect. Did you mean "writeConcern"?',
      warning,
      'No operation has an option "somethingElse", so it has no effect. Remove it.',
    ]);
  });

  test('does not warn of options that some operation has', async () => {
    const program = async (client: MongoClient): Promise<void> => {
      const films = client.db().collection<{ year: number }>('films');
      await client.db().createCollection('capped', { capped: true, size: 4096 });
      await films.createIndex({ year: 1 }, { name: 'years', sparse: true });
      await films.find({}, { sort: { year: 1 }, timeoutMS: 1000, enableUtf8Validation: false }).toArray();
      await films.insertOne({ year: 1 }, { comment: 'x', timeoutMS: 1000 });
      await films.bulkWrite([{ deleteMany: { filter: {} } }], { ordered: false });
    };
    expect(await warningsOf(program, { warnOnUnknownOptions: true })).toEqual([]);
  });

  test('is on by default only in a development environment', async () => {
    expect(await warningsOf(mistake, {})).toEqual([]);
    expect(await warningsOf(mistake, {}, { NODE_ENV: 'development' })).toEqual([warning]);
    expect(await warningsOf(mistake, { warnOnUnknownOptions: false }, { NODE_ENV: 'development' })).toEqual([]);
  });
});
