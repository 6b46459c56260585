import { expect, test } from 'vitest';
import { bundleOf, installPacked } from '../src/index.js';

const modulesOf = async (code: string): Promise<string[]> => {
  const { modules } = await bundleOf(await installPacked(['@tessera/mongodb']), code);
  return Object.keys(modules).sort();
};

const bson = 'node_modules/bson/lib/bson.node.mjs';

test('a bundle of ObjectId contains npm bson and no module of the driver', { timeout: 60_000 }, async () => {
  expect(await modulesOf(`export { ObjectId } from '@tessera/mongodb';`)).toEqual([bson]);
});

test('a bundle of the default export contains the driver and npm bson', { timeout: 60_000 }, async () => {
  expect(await modulesOf(`export { default } from '@tessera/mongodb';`)).toEqual([
    'node_modules/@tessera/contracts/dist/package.js',
    'node_modules/@tessera/mongodb/dist/package.driver.js',
    'node_modules/@tessera/mongodb/dist/package.js',
    bson,
  ]);
});
