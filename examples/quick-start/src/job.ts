import type { Collection, Db, Document } from '@tessera/mongodb';
import type { Film, Flight } from './data.js';
import { number } from './screen.js';
import type { Screen } from './screen.js';

/** The result of a step: a line for the reader, and the values, which do not depend on the driver. */
export interface Found {
  readonly text: string;
  readonly values: unknown;
  /** The number of documents sent or received. */
  readonly documents: number;
}

/** A document with a number as `_id`. */
interface Numbered extends Document {
  _id: number;
}

/** A step-down of the primary during an import. */
export interface FailOver {
  begin(): Promise<void>;
  /** Describes the step-down and its effects. */
  report(): string;
}

interface Job {
  readonly films: Collection<Numbered>;
  readonly flights: Collection<Numbered>;
  readonly data: { readonly films: readonly Film[]; readonly flights: readonly Flight[] };
  readonly screen: Screen;
  readonly failOver: FailOver | undefined;
}

export interface Step {
  readonly title: string;
  readonly run: (job: Job) => Promise<Found>;
}

const batch = 1_000;

const insertAll = async (
  collection: Collection<Numbered>,
  documents: readonly object[],
  { title, screen, failOver }: { readonly title: string } & Pick<Job, 'screen' | 'failOver'>,
): Promise<Found> => {
  const done = screen.progress(title, documents.length);
  let inserted = 0;
  let stepDown: Promise<void> | undefined;
  for (let at = 0; at < documents.length; at += batch) {
    // The next batch is sent during the step-down.
    if (2 * at >= documents.length) stepDown ??= failOver?.begin();
    const some = documents.slice(at, at + batch).map((document, index) => ({ _id: at + index, ...document }));
    inserted += (await collection.insertMany(some)).insertedCount;
    done(inserted);
  }
  const text = `${number(inserted)} inserted, ${number(batch)} at a time`;
  if (failOver === undefined) return { text, values: inserted, documents: inserted };
  await stepDown;
  const there = await collection.countDocuments({});
  if (there !== documents.length)
    throw new Error(`${failOver.report()}. Expected ${number(inserted)} documents, found ${number(there)}.`);
  return {
    text: `${text}; ${failOver.report()}, all ${number(there)} documents found`,
    values: inserted,
    documents: inserted,
  };
};

const list = (values: readonly unknown[]): string => values.map(String).join(', ');

const rows = (found: readonly Document[], show: (row: Document) => string): string => found.map(show).join('; ');

/** All steps of the quick start, in order. */
export const steps: readonly Step[] = [
  {
    title: 'import films',
    run: ({ films, data, screen }) => insertAll(films, data.films, { title: 'films', screen, failOver: undefined }),
  },
  {
    title: 'import flights',
    run: ({ flights, data, screen, failOver }) =>
      insertAll(flights, data.flights, { title: 'flights', screen, failOver }),
  },
  {
    title: 'create indexes',
    run: async ({ films, flights }) => {
      const names = [
        await films.createIndex({ 'rating.imdb': -1, votes: -1 }),
        await films.createIndex({ director: 1 }, { sparse: true }),
        await flights.createIndex({ distance: 1, delay: -1 }),
        await flights.createIndex({ delay: 1 }, { partialFilterExpression: { delay: { $gt: 60 } }, name: 'late' }),
      ];
      const all = (await films.listIndexes().toArray()).length + (await flights.listIndexes().toArray()).length;
      return { text: `${list(names)}; ${String(all)} in all`, values: { names, all }, documents: all };
    },
  },
  {
    title: 'count and distinct',
    run: async ({ films, flights }) => {
      const estimated = await flights.estimatedDocumentCount();
      const late = await flights.countDocuments({ delay: { $gt: 60 } });
      const genres = (await films.distinct('genre', { genre: { $ne: null } })).map(String).sort();
      return {
        text: `${number(late)} of ${number(estimated)} flights over an hour late; ${String(genres.length)} genres`,
        values: { estimated, late, genres },
        documents: genres.length,
      };
    },
  },
  {
    title: 'find, sort, project',
    run: async ({ films }) => {
      const best = await films
        .find({ votes: { $gte: 100_000 }, 'rating.imdb': { $gte: 8 } })
        .sort({ 'rating.imdb': -1, votes: -1 })
        .project({ _id: 0, title: 1, 'rating.imdb': 1 })
        .limit(5)
        .toArray();
      const text = rows(best, ({ title, rating }) => `${String(title)} ${String((rating as Document)['imdb'])}`);
      return { text, values: best, documents: best.length };
    },
  },
  {
    title: 'find by pattern and array',
    run: async ({ films }) => {
      const found = await films
        .find({ title: /^the .*(ring|rings|king)\b/i, $or: [{ votes: { $gt: 50_000 } }, { 'gross.us': null }] })
        .sort({ title: 1, _id: 1 })
        .limit(4)
        .project({ _id: 0, title: 1, released: 1 })
        .toArray();
      const text = rows(
        found,
        ({ title, released }) => `${String(title)} (${String((released as Date).getUTCFullYear())})`,
      );
      return { text, values: found, documents: found.length };
    },
  },
  {
    title: 'find through an index',
    run: async ({ flights }) => {
      const found = await flights
        .find({ distance: { $gte: 2_000, $lt: 2_100 } })
        .sort({ distance: 1, delay: -1 })
        .limit(2_000)
        .toArray();
      return {
        text: `${number(found.length)} flights of 2,000 to 2,100 miles`,
        values: found,
        documents: found.length,
      };
    },
  },
  {
    title: 'aggregate films',
    run: async ({ films }) => {
      const found = await films
        .aggregate([
          { $match: { genre: { $ne: null }, 'gross.world': { $gt: 0 }, budget: { $gt: 0 } } },
          {
            $group: {
              _id: '$genre',
              films: { $sum: 1 },
              gross: { $sum: '$gross.world' },
              earned: { $avg: { $divide: ['$gross.world', '$budget'] } },
              newest: { $max: '$released' },
            },
          },
          { $sort: { gross: -1, _id: 1 } },
          { $limit: 4 },
          {
            $project: {
              films: 1,
              billions: { $round: [{ $divide: ['$gross', 1e9] }, 1] },
              earned: { $round: ['$earned', 2] },
              newest: { $year: '$newest' },
            },
          },
        ])
        .toArray();
      const text = rows(found, ({ _id, billions }) => `${String(_id)} ${String(billions)} billion`);
      return { text, values: found, documents: found.length };
    },
  },
  {
    title: 'aggregate flights',
    run: async ({ flights }) => {
      const found = await flights
        .aggregate([
          { $addFields: { hour: { $floor: '$time' } } },
          {
            $group: {
              _id: '$hour',
              flights: { $sum: 1 },
              delay: { $avg: '$delay' },
              worst: { $max: '$delay' },
              far: { $sum: { $cond: [{ $gt: ['$distance', 1_500] }, 1, 0] } },
            },
          },
          { $match: { flights: { $gt: 1_000 } } },
          { $sort: { delay: -1, _id: 1 } },
          { $limit: 3 },
          { $set: { delay: { $round: ['$delay', 1] } } },
        ])
        .toArray();
      const text = rows(found, ({ _id, delay }) => `${String(_id)}:00 ${String(delay)} min`);
      return { text: `worst hours: ${text}`, values: found, documents: found.length };
    },
  },
  {
    title: 'facet, unwind, lookup',
    run: async ({ films }) => {
      const found = await films
        .aggregate([
          { $match: { director: { $in: ['Steven Spielberg', 'Ridley Scott', 'Christopher Nolan'] } } },
          {
            $facet: {
              directors: [
                { $group: { _id: '$director', titles: { $push: '$title' }, budget: { $sum: '$budget' } } },
                { $sort: { _id: 1 } },
                { $lookup: { from: 'films', localField: '_id', foreignField: 'director', as: 'films' } },
                { $project: { budget: 1, films: { $size: '$films' }, first: { $arrayElemAt: ['$titles', 0] } } },
              ],
              words: [
                { $project: { word: { $split: [{ $toLower: '$title' }, ' '] } } },
                { $unwind: '$word' },
                { $sortByCount: '$word' },
                { $sort: { count: -1, _id: 1 } },
                { $limit: 3 },
              ],
              count: [{ $count: 'films' }],
            },
          },
        ])
        .toArray();
      const [{ directors = [] } = {}] = found as readonly { readonly directors?: readonly Document[] }[];
      const text = rows(directors, ({ _id, films: count }) => `${String(_id)} ${String(count)}`);
      return { text, values: found, documents: found.length };
    },
  },
  {
    title: 'update',
    run: async ({ films, flights }) => {
      const many = await flights.updateMany(
        { delay: { $gt: 120 } },
        { $set: { late: true }, $inc: { delay: 1 }, $unset: { time: '' } },
      );
      const one = await films.updateOne(
        { title: 'Inception' },
        { $push: { tags: { $each: ['dream', 'heist'], $sort: 1 } }, $mul: { votes: 2 } },
      );
      const upsert = await films.updateOne(
        { _id: -1 },
        { $setOnInsert: { title: 'Tessera' }, $max: { votes: 1 } },
        { upsert: true },
      );
      const before = await films.findOneAndUpdate(
        { title: 'Inception' },
        { $addToSet: { tags: 'city' } },
        { projection: { _id: 0, tags: 1 } },
      );
      const after = await films.findOneAndUpdate(
        { title: 'Inception' },
        { $pull: { tags: 'heist' } },
        { returnDocument: 'after', projection: { _id: 0, tags: 1 } },
      );
      return {
        text: `${number(many.modifiedCount)} flights marked late; tags of Inception: ${list((after?.['tags'] ?? []) as string[])}`,
        values: { many, one, upsert, before, after },
        documents: 2,
      };
    },
  },
  {
    title: 'bulk write',
    run: async ({ films }) => {
      const { insertedCount, modifiedCount, deletedCount, upsertedCount, upsertedIds } = await films.bulkWrite([
        { insertOne: { document: { _id: 10_001, title: 'One' } } },
        { updateOne: { filter: { _id: 10_001 }, update: { $set: { title: 'Two' } } } },
        { replaceOne: { filter: { _id: 10_002 }, replacement: { title: 'Three' }, upsert: true } },
        { deleteOne: { filter: { _id: 10_001 } } },
      ]);
      const values = { insertedCount, modifiedCount, deletedCount, upsertedCount, upsertedIds };
      return {
        text: `${String(insertedCount)} in, ${String(modifiedCount)} changed, ${String(deletedCount)} out`,
        values,
        documents: 4,
      };
    },
  },
  {
    title: 'duplicate key error',
    run: async ({ films }) => {
      try {
        await films.insertOne({ _id: 0, title: 'twice' });
      } catch (error) {
        const { message, code } = error as Error & { readonly code: number };
        return { text: message, values: { message, code }, documents: 0 };
      }
      throw new Error('A second document with the same _id was accepted.');
    },
  },
  {
    title: 'stream every flight',
    run: async ({ flights, screen }) => {
      const total = await flights.estimatedDocumentCount();
      const done = screen.progress('flights', total);
      let count = 0;
      let minutes = 0;
      for await (const { delay } of flights.find({}, { batchSize: 500, projection: { _id: 0, delay: 1 } })) {
        minutes += delay as number;
        done(++count);
      }
      const text = `${number(count)} read in ${number(Math.ceil(count / 500))} batches; ${number(minutes / 60)} hours lost`;
      return { text, values: { count, minutes }, documents: count };
    },
  },
  {
    title: 'delete',
    run: async ({ films, flights }) => {
      const { deletedCount } = await flights.deleteMany({ late: true });
      const removed = await films.findOneAndDelete({ _id: -1 }, { projection: { title: 1 } });
      return { text: `${number(deletedCount)} flights removed`, values: { deletedCount, removed }, documents: 1 };
    },
  },
];

/** Creates the collections and data for the steps. */
export const createJob = (db: Db, data: Job['data'], screen: Screen, failOver: FailOver | undefined): Job => ({
  films: db.collection('films'),
  flights: db.collection('flights'),
  data,
  screen,
  failOver,
});
