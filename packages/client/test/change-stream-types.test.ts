import { expectTypeOf } from 'expect-type';
import { describe, test } from 'vitest';
import type { ObjectId } from 'bson';
import type * as official from 'mongodb';
import type {
  ChangeStream,
  ChangeStreamDocument,
  ChangeStreamInsertDocument,
  ChangeStreamOptions,
  Collection,
  Db,
  MongoClient,
  ResumeToken,
  UpdateDescription,
} from '@tessera/client';
import type { Document } from '@tessera/contracts';

interface Film {
  title: string;
  year: number;
}

declare const films: Collection<Film>;
declare const db: Db;
declare const client: MongoClient;

/** Takes a function that only the compiler checks. */
const never = (_: () => unknown): void => undefined;

type Of<Type extends ChangeStreamDocument['operationType']> = Extract<
  ChangeStreamDocument<Film>,
  { operationType: Type }
>;

describe('types of change streams', () => {
  test('a stream has the documents of its collection, or a type that the caller names', () => {
    never(() => {
      expectTypeOf(films.watch()).toEqualTypeOf<ChangeStream<Film, ChangeStreamDocument<Film>>>();
      expectTypeOf(db.watch()).toEqualTypeOf<ChangeStream<Document, ChangeStreamDocument>>();
      expectTypeOf(client.watch<Film>()).toEqualTypeOf<ChangeStream<Film, ChangeStreamDocument<Film>>>();
      expectTypeOf(films.watch<{ _id: number }>().next()).resolves.toEqualTypeOf<
        ChangeStreamDocument<{ _id: number }>
      >();
      expectTypeOf(films.watch().tryNext()).resolves.toEqualTypeOf<ChangeStreamDocument<Film> | null>();
    });
  });

  test('a change can have its own type, for a pipeline that creates one', () => {
    type Marked = ChangeStreamInsertDocument<Film> & { mark: string };
    never(() => {
      expectTypeOf(films.watch<Film, Marked>([]).next()).resolves.toEqualTypeOf<Marked>();
      films.watch<Film, Marked>([]).on('change', change => {
        expectTypeOf(change.mark).toBeString();
        expectTypeOf(change.fullDocument).toEqualTypeOf<Film>();
      });
    });
  });

  test('operationType narrows the type of a change', () => {
    expectTypeOf<Of<'insert'>['fullDocument']>().toEqualTypeOf<Film>();
    expectTypeOf<Of<'update'>['fullDocument']>().toEqualTypeOf<Film | undefined>();
    expectTypeOf<Of<'update'>['updateDescription']>().toEqualTypeOf<UpdateDescription<Film>>();
    expectTypeOf<Of<'update'>['fullDocumentBeforeChange']>().toEqualTypeOf<Film | undefined>();
    expectTypeOf<Of<'delete'>['documentKey']['_id']>().toEqualTypeOf<ObjectId>();
    expectTypeOf<Of<'rename'>['to']>().toEqualTypeOf<{ db: string; coll: string }>();
    expectTypeOf<Of<'dropDatabase'>['ns']>().toEqualTypeOf<{ db: string }>();
    expectTypeOf<Of<'invalidate'>>().not.toHaveProperty('ns');
    expectTypeOf<Of<'create'>['nsType']>().toEqualTypeOf<'collection' | 'timeseries' | 'view' | undefined>();
  });

  test('changes have the types of the official driver, and its options are accepted', () => {
    expectTypeOf<ChangeStreamDocument<Film>>().toExtend<official.ChangeStreamDocument<Film>>();
    expectTypeOf<official.ChangeStreamDocument<Film>>().toExtend<ChangeStreamDocument<Film>>();
    expectTypeOf<ChangeStreamDocument['operationType']>().toEqualTypeOf<
      official.ChangeStreamDocument['operationType']
    >();
    expectTypeOf<
      Pick<official.ChangeStreamOptions, 'fullDocument' | 'resumeAfter' | 'startAtOperationTime' | 'maxAwaitTimeMS'>
    >().toExtend<ChangeStreamOptions>();
    expectTypeOf<ChangeStreamOptions>().not.toHaveProperty('writeConcern');
    expectTypeOf<ChangeStreamOptions>().not.toHaveProperty('timeoutMode');
  });

  test('listeners have the types of their events', () => {
    never(() => {
      const stream = films.watch();
      stream.on('resumeTokenChanged', token => {
        expectTypeOf(token).toEqualTypeOf<ResumeToken>();
      });
      stream.on('error', error => {
        expectTypeOf(error).toEqualTypeOf<Error>();
      });
      stream.once('change', change => {
        expectTypeOf(change).toEqualTypeOf<ChangeStreamDocument<Film>>();
      });
    });
  });
});
