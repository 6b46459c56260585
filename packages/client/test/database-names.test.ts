import { expect, test } from 'vitest';
import { withServer } from './with-server.js';

test('"$external", the database of X.509 users, accepts commands like any database', () =>
  withServer(async ({ client }) => {
    const external = client.db('$external');
    expect(external.databaseName).toBe('$external');
    expect(await external.command({ ping: 1 })).toEqual({ ok: 1 });
  }));

test.for(['$cmd', '$external.x', 'a.b', 'a b', 'a/b', 'a\\b', 'a\0b'])(
  '%j is rejected as a database name',
  async name => {
    await withServer(async ({ client }) => {
      expect(() => client.db(name)).toThrow(
        `${JSON.stringify(name)} cannot be the name of a database, because it contains `,
      );
    });
  },
);
