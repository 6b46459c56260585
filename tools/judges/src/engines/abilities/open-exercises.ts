import { deepStrictEqual as equal } from 'node:assert';
import { MongoClient } from '@tessera/mongodb';
import type { ChangeStreamOptions, Timestamp } from '@tessera/mongodb';

/**
 * An exercise on an engine without TLS and authentication.
 * @throws Error if the engine does not behave as expected
 */
export type OpenExercise = (uri: string) => Promise<void>;

/** Checks the topology description that the monitors discover from the seed list. */
const discovery: OpenExercise = async uri => {
  const [, address, setName] = /^mongodb:\/\/([^/]+)\/(?:\?replicaSet=(\w+))?/.exec(uri) ?? [];
  await using client = new MongoClient(uri);
  let found: unknown;
  client.on('topologyDescriptionChanged', ({ newDescription: { type, setName: name, servers } }) => {
    found = [type, name, [...servers.values()].map(server => [server.address, server.type])];
  });
  await client.connect();
  await client.db('admin').command({ ping: 1 });
  const isSet = setName !== undefined;
  equal(found, [isSet ? 'ReplicaSetWithPrimary' : 'Single', setName, [[address, isSet ? 'RSPrimary' : 'Standalone']]]);
};

interface Film {
  readonly _id: number;
  readonly title: string;
  readonly year: number;
  readonly seen?: number;
}

const crud: OpenExercise = async uri => {
  await using client = new MongoClient(uri);
  const films = client.db('abilities').collection<Film>('films');
  equal(await films.insertOne({ _id: 1, title: 'Metropolis', year: 1927 }), { acknowledged: true, insertedId: 1 });
  const more = [
    { _id: 2, title: 'M', year: 1931 },
    { _id: 3, title: 'Fury', year: 1936 },
  ];
  equal((await films.insertMany(more)).insertedCount, 2);
  equal(await films.findOne({ year: { $gt: 1930 }, title: 'M' }), more[0]);
  const updated = await films.updateOne({ _id: 1 }, { $inc: { seen: 2 }, $set: { title: 'Métropolis' } });
  equal([updated.matchedCount, updated.modifiedCount, updated.upsertedId ?? null], [1, 1, null]);
  equal((await films.updateMany({ year: { $lt: 1935 } }, { $inc: { seen: 1 } })).modifiedCount, 2);
  equal(
    (await films.replaceOne({ _id: 4 }, { title: 'You Only Live Once', year: 1937 }, { upsert: true })).upsertedId,
    4,
  );
  equal(await films.findOneAndUpdate({ _id: 2 }, { $inc: { seen: 1 } }, { returnDocument: 'after' }), {
    ...more[0],
    seen: 2,
  });
  const duplicate: unknown = await films
    .insertOne({ _id: 3, title: 'Fury', year: 1936 })
    .catch((error: unknown) => error);
  equal((duplicate as { code?: unknown }).code, 11_000);
  equal((await films.deleteMany({ _id: { $gte: 3 } })).deletedCount, 2);
  equal(
    await films
      .find({}, { projection: { year: 0 } })
      .sort({ _id: 1 })
      .toArray(),
    [
      { _id: 1, title: 'Métropolis', seen: 3 },
      { _id: 2, title: 'M', seen: 2 },
    ],
  );
};

/** The number of documents, which takes more than five replies. */
const count = 250;
const batchSize = 40;

const cursors: OpenExercise = async uri => {
  await using client = new MongoClient(uri, { monitorCommands: true });
  const numbers = client.db('abilities').collection<{ _id: number }>('numbers');
  const documents = Array.from({ length: count }, (_, _id) => ({ _id }));
  await numbers.insertMany(documents);
  const commands: string[] = [];
  client.on('commandSucceeded', ({ commandName }) => commands.push(commandName));
  const find = () => numbers.find({}, { batchSize }).sort({ _id: 1 });
  equal(await find().toArray(), documents);
  equal(commands.splice(0).slice(0, 7), ['find', ...Array<string>(6).fill('getMore')]);
  const half: number[] = [];
  for await (const { _id } of find()) {
    half.push(_id);
    if (half.length > batchSize) break;
  }
  equal(
    half,
    documents.slice(0, batchSize + 1).map(({ _id }) => _id),
  );
  equal(commands.splice(0), ['find', 'getMore', 'killCursors']);
  equal((await find().skip(10).limit(100).toArray()).length, 100);
};

/** Checks the change events of a document, and that a stream resumes after the first one. */
const changeStreams: OpenExercise = async uri => {
  await using client = new MongoClient(uri);
  const changing = await client.db('abilities').createCollection<{ _id: number; n: number }>('changing');
  const take = async (options: ChangeStreamOptions, count: number): Promise<[string, unknown][]> => {
    const types: [string, unknown][] = [];
    await using stream = changing.watch([], options);
    while (types.length < count) {
      const { operationType, _id } = await stream.next();
      types.push([operationType, _id]);
    }
    return types;
  };
  const { operationTime } = await client.db('abilities').command({ ping: 1 });
  await changing.insertOne({ _id: 1, n: 0 });
  await changing.updateOne({ _id: 1 }, { $inc: { n: 1 } });
  await changing.deleteOne({ _id: 1 });
  const all = await take({ startAtOperationTime: operationTime as Timestamp }, 3);
  const types = all.map(([type]) => type);
  equal(types, ['insert', 'update', 'delete']);
  equal(await take({ resumeAfter: all[0]?.[1] }, 2), all.slice(1));
};

export const openExercises: Readonly<Record<'discovery' | 'CRUD' | 'cursors' | 'change streams', OpenExercise>> = {
  discovery,
  CRUD: crud,
  cursors,
  'change streams': changeStreams,
};
