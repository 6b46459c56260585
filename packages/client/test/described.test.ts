import { MongoClient } from '@tessera/mongodb';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';

const client = new MongoClient('mongodb://ada:secret@db1:27017/shop?authSource=admin', { appName: 'till' });
const db = client.db();
const films = db.collection('films');

describe('a value that was meant to be awaited or read first', () => {
  test.each([
    [db, '"shop"', 'Db { shop }'],
    [films, '"shop.films"', 'Collection { shop.films }'],
    [films.watch(), '"shop.films"', 'ChangeStream { shop.films }'],
    [db.admin(), '"Admin"', 'Admin {}'],
    [client, '"MongoClient"', 'MongoClient { mongodb://db1:27017/shop, new }'],
    [client.startSession(), '"ClientSession"', 'ClientSession {}'],
  ])('shows only its class and namespace, as JSON %#', (value, json, text) => {
    expect(JSON.stringify(value)).toBe(json);
    expect([`${String(value)}`, inspect(value), inspect({ value })]).toEqual([text, text, `{ value: ${text} }`]);
    expect(structuredClone(value)).toEqual({});
  });

  test.each([
    [films.find({ title: 'M' }), 'FindCursor', 'shop.films'],
    [films.aggregate([{ $match: {} }]), 'AggregationCursor', 'shop.films'],
    [db.aggregate([{ $documents: [] }]), 'AggregationCursor', 'shop'],
    [db.listCollections(), 'ListCollectionsCursor', 'shop'],
  ])('a cursor in JSON throws an error that names the forgotten toArray %#', (cursor, name, namespace) => {
    expect(() => JSON.stringify({ films: cursor })).toThrow(
      `The cursor on ${namespace} cannot be converted to JSON. Read its documents first, with "await cursor.toArray()".`,
    );
    expect(`${String(cursor)} ${inspect(cursor)}`).toBe(`${name} { ${namespace} } ${name} { ${namespace} }`);
    expect(JSON.stringify(structuredClone(cursor))).not.toMatch(/db1|ada|secret|till/);
  });
});
