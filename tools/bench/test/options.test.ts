import { expect, test } from 'vitest';
import { parseOptions } from '../src/options.js';
import { rows, titleOf } from '../src/rows.js';

const titles = (...args: string[]): readonly string[] => {
  const wish = parseOptions(args);
  return wish.is === 'bench' ? wish.options.rows.map(titleOf) : [];
};

test('without names all rows are measured', () => {
  expect(parseOptions([])).toEqual({
    is: 'bench',
    options: { rows, short: false, readme: false, json: undefined },
  });
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

test('after the word server, arguments are those of the measuring of servers', () => {
  expect(parseOptions(['server', '--only', 'findOne'])).toEqual({ is: 'server', args: ['--only', 'findOne'] });
});

test('options that are unknown are refused, and so are rows', () => {
  expect(() => parseOptions(['--fast'])).toThrow(/'--fast'/);
  expect(() => parseOptions(['findTwo'])).toThrow(
    "There is no row 'findTwo': encode-flat, encode-deep, encode-full, encode-tweet, encode-small, encode-large, encode-varied, decode-flat, decode-deep, decode-full, decode-tweet, decode-small, decode-large, decode-varied, ping, findOne, insertOne, stack-findOne, insertMany, toArray, forAwait, tls-findOne, zlib-toArray, scram-hot, scram-cold, import, memory, idle.",
  );
  expect(() => parseOptions(['--json'])).toThrow(/--json/);
});

test('the page shows all rows, fully measured', () => {
  for (const args of [
    ['--readme', '--short'],
    ['--readme', 'ping'],
  ]) {
    expect(() => parseOptions(args)).toThrow('--readme shows all rows, fully measured');
  }
});
