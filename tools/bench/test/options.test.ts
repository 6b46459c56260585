import { expect, test } from 'vitest';
import { readOptions } from '../src/options.js';
import type { Options } from '../src/options.js';
import { rows, titleOf } from '../src/rows.js';

const read = (...args: string[]): Options => readOptions(args);

const titles = (...args: string[]): readonly string[] => read(...args).rows.map(titleOf);

test('without names all rows are measured', () => {
  expect(read()).toEqual({ rows, short: false, readme: false, json: undefined });
});

test('a short run without names leaves out the large document, commands at 1 and 128 in flight, and idle connections', () => {
  expect(rows.map(titleOf).filter(title => !titles('--short').includes(title))).toEqual([
    'encode-large',
    'decode-large',
    ...['ping', 'findOne', 'insertOne'].flatMap(name => [`${name}@1`, `${name}@128`]),
    'idle',
  ]);
  expect(titles('--short', 'ping@1')).toEqual(['ping@1']);
});

test('a name stands for all rows of that name, for all that begin with it, or for one number in flight', () => {
  expect(titles('findOne')).toEqual(['findOne@1', 'findOne@16', 'findOne@128']);
  expect(titles('findOne@16', 'ping@1')).toEqual(['ping@1', 'findOne@16']);
  expect(titles('decode')).toEqual(
    ['flat', 'deep', 'full', 'tweet', 'small', 'large', 'varied'].map(name => `decode-${name}`),
  );
});

test('options that are unknown are refused, and so are rows', () => {
  expect(() => read('--fast')).toThrow('There is no option --fast.');
  expect(() => read('findTwo')).toThrow(
    'There is no row "findTwo": encode-flat, encode-deep, encode-full, encode-tweet, encode-small, encode-large, encode-varied, decode-flat, decode-deep, decode-full, decode-tweet, decode-small, decode-large, decode-varied, ping, findOne, insertOne, stack-findOne, insertMany, toArray, forAwait, tls-findOne, zlib-toArray, scram-hot, scram-cold, import, memory, idle.',
  );
  expect(() => read('--json')).toThrow('--json needs a value.');
});

test('the page shows all rows, fully measured', () => {
  for (const args of [
    ['--readme', '--short'],
    ['--readme', 'ping'],
  ]) {
    expect(() => read(...args)).toThrow('--readme shows all rows, fully measured');
  }
});
