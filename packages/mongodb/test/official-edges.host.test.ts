/** What programs written for the official driver give it beside what its types say: the same answers, the same errors. */
import type * as official from 'mongodb';
import { describe } from 'vitest';
import { same } from './both-drivers.js';
import type { Program, Room } from './both-drivers.js';

const one = async ({ films }: Room): Promise<unknown> => films.insertOne({ _id: 1, title: 'M', year: 1931 });

/** Of the program: the class of its error, and what is left of the document. */
const left =
  (program: Program): Program =>
  async room => {
    await one(room);
    const said = await program(room).catch((error: unknown) => (error as Error).name);
    return [said, await room.films.find().toArray()];
  };

describe('an update whose operators are all undefined, which ignoreUndefined leaves out', () => {
  const nothing = { $set: undefined } as official.UpdateFilter<{ _id: number }>;
  const ignoreUndefined = true;
  const filter = { _id: 1 };
  same(
    'updateOne',
    left(({ films }) => films.updateOne(filter, nothing, { ignoreUndefined })),
  );
  same(
    'updateMany',
    left(({ films }) => films.updateMany(filter, nothing, { ignoreUndefined })),
  );
  same(
    'findOneAndUpdate',
    left(({ films }) => films.findOneAndUpdate(filter, nothing, { ignoreUndefined })),
  );
  same(
    'bulkWrite',
    left(({ films }) => films.bulkWrite([{ updateOne: { filter, update: nothing } }], { ignoreUndefined })),
  );
  same(
    'of a client',
    left(({ films }) => films.updateOne(filter, nothing)),
    { ignoreUndefined },
  );
  same(
    'bulkWrite of a client',
    left(({ client, films: { namespace } }) =>
      client.bulkWrite([{ name: 'updateOne', namespace, filter, update: nothing }], { ignoreUndefined }),
    ),
  );
  same(
    'one of two',
    left(({ films }) => films.updateOne(filter, { $unset: undefined, $set: { year: 1 } }, { ignoreUndefined })),
  );
  same(
    'gathered',
    left(({ films }) => {
      const gathered = films.initializeOrderedBulkOp({ ignoreUndefined });
      gathered.find(filter).updateOne(nothing);
      return gathered.execute();
    }),
  );
});
