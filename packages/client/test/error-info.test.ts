import type { Document } from '@tessera/contracts';
import { expect, test } from 'vitest';
import { withServers } from './with-servers.js';

test('CRUD, prose test 1: errInfo of a write concern error is available unchanged', () =>
  withServers([{}], async ({ open, failPoint }) => {
    const errInfo = { writeConcern: { w: 2, wtimeout: 0, provenance: 'clientSupplied' } };
    const about = { code: 100, codeName: 'UnsatisfiableWriteConcern', errmsg: 'Not enough data-bearing nodes' };
    await failPoint('db1', { times: 1 }, { failCommands: ['insert'], writeConcernError: { ...about, errInfo } });
    const films = open('mongodb://db1').db().collection('films');
    const error = await films.insertOne({}).catch((reason: unknown) => reason as Document);
    expect(error).toMatchObject({ name: 'MongoWriteConcernError', code: 100, errInfo });
  }));

test('a failed validation names the fields that the server names', () =>
  withServers([{}], async ({ open }) => {
    const db = open('mongodb://db1').db();
    const address = { bsonType: 'object', required: ['city'], properties: { zip: { bsonType: 'string' } } };
    const schema = { required: ['name'], properties: { age: { minimum: 18 }, address } };
    await db.createCollection('users', { validator: { $jsonSchema: schema } });
    await db.createCollection('films', { validator: { year: { $gt: 1887 } } });
    const messageOf = (failing: Promise<unknown>): Promise<unknown> =>
      failing.catch((error: unknown) => (error as Error).message);
    const users = db.collection('users');
    const failed =
      'Document failed validation ("age": comparison failed; "address.zip": type did not match; "address.city" is missing; "name" is missing)';
    expect(await messageOf(users.insertOne({ age: 17, address: { zip: 1 } }))).toBe(failed);
    expect(await messageOf(users.insertMany([{ age: 17, address: { zip: 1 } }]))).toBe(failed);
    expect(await messageOf(users.findOneAndUpdate({ age: 17 }, { $set: { name: 'Ada' } }, { upsert: true }))).toBe(
      'Plan executor error during findAndModify :: caused by :: Document failed validation ("age": comparison failed)',
    );
    expect(await messageOf(db.collection('films').insertOne({ year: 1800 }))).toBe(
      'Document failed validation ("year": comparison failed)',
    );
  }));

test('CRUD, prose test 2: errInfo of a write error is available unchanged', () =>
  withServers([{}], async ({ open, events }) => {
    const db = open('mongodb://db1').db();
    await db.createCollection('films', { validator: { x: { $type: 'string' } } });
    const error = await db
      .collection('films')
      .insertOne({ x: 1 })
      .catch((reason: unknown) => reason as Document);
    expect(error).toMatchObject({ code: 121, errInfo: expect.anything() as unknown });
    const replies = events.flatMap(event => (event.name === 'commandSucceeded' ? [event.reply] : []));
    const [emitted] = replies.at(-1)!['writeErrors'] as Document[];
    expect((error as Document)['errInfo']).toEqual(emitted?.['errInfo']);
  }));
