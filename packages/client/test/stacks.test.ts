/** Where an error's stack begins: with the line of the program that called, whatever was called, and however long it took. */
import { describe, expect, test } from 'vitest';
import { ask } from './bad-server.js';
import type { Handles } from './bad-server.js';

interface Given extends Handles {
  readonly options: { readonly timeoutMS?: number };
}

type Call = (given: Given) => Promise<unknown>;

const write = { name: 'insertOne', namespace: 'test.films', document: {} } as const;
const calls: Readonly<Record<string, Call>> = {
  insertOne: ({ films, options }) => films.insertOne({}, options),
  insertMany: ({ films, options }) => films.insertMany([{}], options),
  bulkWrite: ({ films, options }) => films.bulkWrite([{ insertOne: { document: {} } }], options),
  "a client's bulkWrite": ({ client, options }) => client.bulkWrite([write], options),
  updateOne: ({ films, options }) => films.updateOne({}, { $set: { a: 1 } }, options),
  findOne: ({ films, options }) => films.findOne({}, options),
  findOneAndDelete: ({ films, options }) => films.findOneAndDelete({}, options),
  distinct: ({ films, options }) => films.distinct('a', {}, options),
  command: ({ db, options }) => db.command({ buildInfo: 1 }, options),
  toArray: ({ films, options }) => films.find({}, options).toArray(),
  hasNext: ({ films, options }) => films.find({}, options).hasNext(),
  createIndex: ({ films, options }) => films.createIndex({ a: 1 }, options),
  drop: ({ films, options }) => films.drop(options),
};

/** The lines of the stack that the call failed with, without its message. */
const stackOf = async (call: Call, options: Given['options'], answer: object): Promise<readonly string[]> => {
  let stack = '';
  await ask(answer, async handles => {
    try {
      await call({ ...handles, options });
    } catch (error) {
      stack = String((error as Error).stack);
    }
  });
  return stack.split('\n').filter(line => /^ +at /.test(line));
};

const refused = { ok: 0, code: 8000, errmsg: 'no' };
const unsafe = { n: 0, writeConcernError: { code: 64, errmsg: 'waited too long' } };
const failed = { n: 0, writeErrors: [{ index: 0, code: 11000, errmsg: 'no' }] };
const limits: readonly (readonly [title: string, options: Given['options']])[] = [
  ['without a time limit', {}],
  ['with one', { timeoutMS: 1000 }],
];

const ours = expect.stringContaining('client/test/stacks.test.ts') as unknown;

describe.each(limits)('the stack begins with the line that called, %s', (_, options) => {
  test.each(Object.entries(calls))('%s, refused', async (__, call) => {
    expect((await stackOf(call, options, refused))[0]).toEqual(ours);
  });

  test.each(['insertOne', 'insertMany', 'bulkWrite', 'updateOne', 'findOneAndDelete', 'drop'])(
    '%s, done less safely than was asked',
    async name => {
      expect((await stackOf(calls[name]!, options, unsafe))[0]).toEqual(ours);
    },
  );

  test.each(['insertMany', 'bulkWrite'])('%s, with a statement that was refused', async name => {
    expect((await stackOf(calls[name]!, options, failed))[0]).toEqual(ours);
  });
});
