import { describe, expect, test } from 'vitest';
import { flag, many, Mistake, number, oneOf, readArguments, text, textOr, wholeNumber } from '../src/arguments.js';

const declaration = {
  options: {
    short: flag,
    json: text,
    seed: wholeNumber(),
    times: wholeNumber(1),
    minutes: number(),
    auth: oneOf(['on', 'off']),
    topology: many(oneOf(['standalone', 'sharded'])),
    changed: textOr('HEAD'),
  },
  words: { noun: 'engine', known: ['secantusdb', 'ferretdb'] },
  takesRest: true,
} as const;

const nothing = {
  short: false,
  json: undefined,
  seed: undefined,
  times: undefined,
  minutes: undefined,
  auth: undefined,
  topology: [],
  changed: undefined,
};

const read = (...given: string[]) => readArguments(declaration, given);

test('without arguments flags are false, repeatable options empty, and other options undefined', () => {
  expect(read()).toEqual({ options: nothing, words: [], rest: undefined });
});

test('reads each kind of option, words between them, and arguments of another program', () => {
  expect(
    read(
      ...['secantusdb', '--short', '--json', 'a.json', '--seed=7', '--times', '1', '--minutes', '0.5', 'ferretdb'],
      ...['--auth', 'off', '--topology', 'sharded', '--topology', 'standalone', '--', 'ls', '--all'],
    ),
  ).toEqual({
    options: {
      ...nothing,
      ...{ short: true, json: 'a.json', seed: 7, times: 1, minutes: 0.5, auth: 'off' },
      topology: ['sharded', 'standalone'],
    },
    words: ['secantusdb', 'ferretdb'],
    rest: ['ls', '--all'],
  });
});

test('the last of several values counts, unless the option may be repeated', () => {
  expect(read('--seed', '1', '--seed', '2').options.seed).toBe(2);
});

test('an option with an optional text may be last or precede another option', () => {
  expect(read('--changed').options.changed).toBe('HEAD');
  expect(read('--changed', '--short').options).toEqual({ ...nothing, changed: 'HEAD', short: true });
  expect(read('--changed', 'main').options.changed).toBe('main');
});

describe('an invalid argument throws a Mistake', () => {
  test.each([
    [['--fast'], 'There is no option --fast.'],
    [['-s'], 'There is no option -s.'],
    [['--toString'], 'There is no option --toString.'],
    [['--short=yes'], '--short takes no value.'],
    [['--json'], '--json needs a value.'],
    [['--json', '--short'], '--json needs a value.'],
    [['--seed', 'x'], '--seed takes a whole number, not "x".'],
    [['--seed', '1.5'], '--seed takes a whole number, not "1.5".'],
    [['--seed=-1'], '--seed takes a whole number, not "-1".'],
    [['--seed', '99999999999999999999'], '--seed takes a whole number, not "99999999999999999999".'],
    [['--seed', 'x', '--seed', '1'], '--seed takes a whole number, not "x".'],
    [['--times', '0'], '--times takes a whole number from 1, not "0".'],
    [['--minutes', '1m'], '--minutes takes a number, not "1m".'],
    [['--auth', 'yes'], '--auth must be one of on, off, not "yes".'],
    [['--topology', 'ring'], '--topology must be one of standalone, sharded, not "ring".'],
    [['mysql'], 'There is no engine "mysql". Choose from: secantusdb, ferretdb.'],
  ])('%j', (given, sentence) => {
    expect(() => read(...given)).toThrow(new Mistake(sentence));
  });

  test('for positional arguments and arguments after -- that a tool does not accept', () => {
    expect(() => readArguments({ options: {} }, ['x'])).toThrow(new Mistake('Unexpected argument: "x".'));
    expect(() => readArguments({ options: {} }, ['--', 'x'])).toThrow(
      new Mistake('Arguments after "--" are not allowed.'),
    );
  });
});

test('the values have the types of their options', () => {
  const { options, words } = read('--seed', '1');
  const typed: [number | undefined, 'on' | 'off' | undefined, boolean, readonly ('standalone' | 'sharded')[]] = [
    options.seed,
    options.auth,
    options.short,
    options.topology,
  ];
  const engines: readonly ('secantusdb' | 'ferretdb')[] = words;
  expect([typed, engines]).toEqual([[1, undefined, false, []], []]);
});
