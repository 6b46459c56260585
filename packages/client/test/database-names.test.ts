import { expect, test } from 'vitest';
import { inHouse } from './house.js';

test('"$external", the database of X.509 users, accepts commands like any database', () =>
  inHouse(async ({ client }) => {
    const external = client.db('$external');
    expect(external.databaseName).toBe('$external');
    expect(await external.command({ ping: 1 })).toEqual({ ok: 1 });
  }));

test.for(['$cmd', '$external.x', 'a.b', 'a b', 'a/b', 'a\\b', 'a\0b'])(
  '%j is rejected as a database name',
  async name => {
    await inHouse(async ({ client }) => {
      expect(() => client.db(name)).toThrow(`${JSON.stringify(name)} cannot be the name of a database.`);
    });
  },
);
