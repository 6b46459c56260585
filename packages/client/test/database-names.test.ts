import { expect, test } from 'vitest';
import { inHouse } from './house.js';

test('"$external", where the users of certificates are made, takes commands as any database does', () =>
  inHouse(async ({ client }) => {
    const external = client.db('$external');
    expect(external.databaseName).toBe('$external');
    expect(await external.command({ ping: 1 })).toEqual({ ok: 1 });
  }));

test.for(['$cmd', '$external.x', 'a.b', 'a b', 'a/b', 'a\\b', 'a\0b'])(
  '%j is refused as the name of a database',
  async name => {
    await inHouse(async ({ client }) => {
      expect(() => client.db(name)).toThrow(`${JSON.stringify(name)} cannot be the name of a database.`);
    });
  },
);
