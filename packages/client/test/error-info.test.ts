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
    const [emitted] = replies.at(-1)?.['writeErrors'] as Document[];
    expect((error as Document)['errInfo']).toEqual(emitted?.['errInfo']);
  }));
