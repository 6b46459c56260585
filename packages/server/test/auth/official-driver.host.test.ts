import { createNode } from '@tessera/node';
import { MongoClient, MongoServerError } from 'mongodb';
import type { MongoClientOptions } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.js';
import { createServer } from '../../src/index.js';

// Uses the official driver, whose SCRAM implementation is independent of this server. Rule: Authentication, "Test
// Plan".

let server: Server;
let address: string;

beforeAll(async () => {
  server = createServer(createNode(), {
    users: [
      { user: 'sha1', pwd: 'sha1', mechanisms: ['SCRAM-SHA-1'] },
      { user: 'sha256', pwd: 'sha256', mechanisms: ['SCRAM-SHA-256'] },
      { user: 'both', pwd: 'both' },
      { user: 'IX', pwd: 'IX', mechanisms: ['SCRAM-SHA-256'] },
      { user: '\u2168', pwd: '\u2163', mechanisms: ['SCRAM-SHA-256'] },
    ],
  });
  ({ address } = await server.listen('127.0.0.1:0'));
});

afterAll(() => server.close());

/** Returns the authenticated users after a command that requires authentication, or the error. */
const tried = async (username: string, password: string, more: MongoClientOptions = {}): Promise<unknown> => {
  const options = { auth: { username, password }, serverSelectionTimeoutMS: 5000, ...more };
  const client = new MongoClient(`mongodb://${address}/`, options);
  try {
    await client.db('shop').collection('items').countDocuments();
    const { authInfo } = await client.db('admin').command({ connectionStatus: 1 });
    return authInfo.authenticatedUsers;
  } catch (error) {
    return error instanceof MongoServerError ? `${error.code} ${error.message}` : error;
  } finally {
    await client.close();
  }
};
const inAs = (user: string): unknown => [{ user, db: 'admin' }];
const FAILED = '18 Authentication failed.';

describe('the official driver', () => {
  test('steps 1 and 2: logs in with each mechanism of the user, both explicit and negotiated', async () => {
    expect(await tried('sha1', 'sha1')).toEqual(inAs('sha1'));
    expect(await tried('sha256', 'sha256')).toEqual(inAs('sha256'));
    expect(await tried('both', 'both')).toEqual(inAs('both'));
    expect(await tried('sha1', 'sha1', { authMechanism: 'SCRAM-SHA-1' })).toEqual(inAs('sha1'));
    expect(await tried('both', 'both', { authMechanism: 'SCRAM-SHA-1' })).toEqual(inAs('both'));
    expect(await tried('both', 'both', { authMechanism: 'SCRAM-SHA-256' })).toEqual(inAs('both'));
  });

  test('step 3: another mechanism, an unknown user, a wrong password and a wrong authSource fail alike', async () => {
    expect(await tried('sha1', 'sha1', { authMechanism: 'SCRAM-SHA-256' })).toBe(FAILED);
    expect(await tried('sha256', 'sha256', { authMechanism: 'SCRAM-SHA-1' })).toBe(FAILED);
    expect(await tried('nobody', 'sha256')).toBe(FAILED);
    expect(await tried('both', 'wrong')).toBe(FAILED);
    expect(await tried('both', 'both', { authSource: 'shop' })).toBe(FAILED);
  });

  test('step 4: accepts every form of a password that SASLprep maps to the same one', async () => {
    expect(await tried('IX', 'I\u00ADX')).toEqual(inAs('IX'));
    expect(await tried('\u2168', 'IV')).toEqual(inAs('\u2168'));
    expect(await tried('\u2168', 'I\u00ADV')).toEqual(inAs('\u2168'));
  });

  test('without credentials, ping succeeds and other commands fail', async () => {
    const client = new MongoClient(`mongodb://${address}/`);
    try {
      expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
      const error = await client
        .db('shop')
        .collection('items')
        .findOne()
        .catch((e: unknown) => e);
      expect(error).toMatchObject({
        code: 13,
        codeName: 'Unauthorized',
        message: 'Command find requires authentication',
      });
    } finally {
      await client.close();
    }
  });
});
