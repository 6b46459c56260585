import { expect, test } from 'vitest';
import { readOptions } from '../src/options.js';
import type { Options } from '../src/options.js';
import { rows, titleOf } from '../src/rows.js';

const read = (...args: string[]): Options => readOptions(args);

const titles = (...args: string[]): readonly string[] => read(...args).rows.map(titleOf);

test('all rows are measured if no names are given', () => {
  expect(read()).toEqual({ rows, short: false, readme: false, json: undefined });
});

test('a short run without names omits rows that take long, the large document, and commands with 1 and 128 in flight', () => {
  expect(rows.map(titleOf).filter(title => !titles('--short').includes(title))).toEqual([
    'encode-large',
    'decode-large',
    ...['ping', 'findOne', 'insertOne'].flatMap(name => [`${name}@1`, `${name}@128`]),
    'changeStream@1',
    'scram-hundred@1',
    'socket-floor@1',
    'recover',
    'idle',
  ]);
  expect(titles('--short', 'ping@1')).toEqual(['ping@1']);
});

test('a name selects all rows with that name or prefix, or one row by its number in flight', () => {
  expect(titles('findOne')).toEqual(['findOne@1', 'findOne@16', 'findOne@128']);
  expect(titles('findOne@16', 'ping@1')).toEqual(['ping@1', 'findOne@16']);
  expect(titles('decode')).toEqual(
    ['flat', 'deep', 'full', 'tweet', 'small', 'large', 'varied'].map(name => `decode-${name}`),
  );
});

test('unknown options and rows are rejected', () => {
  expect(() => read('--fast')).toThrow('There is no option --fast.');
  expect(() => read('findTwo')).toThrow(
    'There is no row "findTwo". The rows are: encode-flat, encode-deep, encode-full, encode-tweet, encode-small, encode-large, encode-varied, decode-flat, decode-deep, decode-full, decode-tweet, decode-small, decode-large, decode-varied, ping, findOne, insertOne, stack-findOne, insertMany, toArray, forAwait, bulkWrite, client-bulkWrite, gridfs-up, gridfs-down, changeStream, tls-findOne, zlib-toArray, scram-hot, scram-cold, scram-hundred, socket-floor, recover, import, memory, idle.',
  );
  expect(() => read('--json')).toThrow('--json needs a value.');
});

test('--readme cannot be combined with --short or row names', () => {
  for (const args of [
    ['--readme', '--short'],
    ['--readme', 'ping'],
  ]) {
    expect(() => read(...args)).toThrow('--readme requires a full run of all rows: omit --short and row names.');
  }
});
