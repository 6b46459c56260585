import { expect, test } from 'vitest';
import { createRenaming } from '../src/real/rename.js';

test('renames the databases of a fixture everywhere, except system databases', () => {
  const renaming = createRenaming('own_');
  const fixture = {
    name: 'a.json',
    json: {
      createEntities: [
        { database: { id: 'd', databaseName: 'crud' } },
        { database: { id: 'a', databaseName: 'admin' } },
      ],
      initialData: [{ collectionName: 'c', databaseName: 'crud', documents: [{ _id: 1, x: 'crudity' }] }],
      tests: [
        {
          operations: [{ name: 'aggregate', arguments: { pipeline: [{ $out: { db: 'other', coll: 'c' } }] } }],
          expectEvents: [{ events: [{ command: { $db: 'admin', renameCollection: 'crud.c', to: 'other.c' } }] }],
        },
      ],
    },
  };
  expect(renaming.rename(fixture)).toEqual({
    name: 'a.json',
    json: {
      createEntities: [
        { database: { id: 'd', databaseName: 'own_crud' } },
        { database: { id: 'a', databaseName: 'admin' } },
      ],
      initialData: [{ collectionName: 'c', databaseName: 'own_crud', documents: [{ _id: 1, x: 'crudity' }] }],
      tests: [
        {
          operations: [{ name: 'aggregate', arguments: { pipeline: [{ $out: { db: 'own_other', coll: 'c' } }] } }],
          expectEvents: [
            { events: [{ command: { $db: 'admin', renameCollection: 'own_crud.c', to: 'own_other.c' } }] },
          ],
        },
      ],
    },
  });
  expect([...renaming.given]).toEqual(['own_crud', 'own_other']);
});

test('truncates a database name to the maximum length that MongoDB allows', () => {
  const renaming = createRenaming('own_');
  renaming.rename({ name: 'a.json', json: { databaseName: 'x'.repeat(63) } });
  expect([...renaming.given]).toEqual([`own_${'x'.repeat(59)}`]);
});
