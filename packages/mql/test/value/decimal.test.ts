import { describe, expect, test } from 'vitest';
import { Decimal } from '../../src/value/decimal.js';
import { add, multiply } from '../../src/value/numbers.js';
import { double } from '../../src/value/value.js';

const decimal = (text: string): Decimal => Decimal.parse(text)!;

describe('converting a double to a decimal', () => {
  test.each<[number, string]>([
    [1, '1.00000000000000'],
    [-1, '-1.00000000000000'],
    [6, '6.00000000000000'],
    [2.5, '2.50000000000000'],
    [100_000, '100000.000000000'],
    [1e14, '100000000000000'],
    [1e15, '1.00000000000000E+15'],
    [1e16, '1.00000000000000E+16'],
    [0.1, '0.100000000000000'],
    [0.01, '0.0100000000000000'],
    [0.00001, '0.0000100000000000000'],
    [1e-19, '1.00000000000000E-19'],
    [1234567890.12709, '1234567890.12709'],
    [724.8799725651578, '724.879972565158'],
    [-0.09645061728395, '-0.0964506172839500'],
    [0.999999999999999, '0.999999999999999'],
    [0.9999999999999994, '0.999999999999999'],
    [0.9999999999999998, '1.00000000000000'],
    [2 ** 1000, '1.07150860718627E+301'],
    [Number.MAX_VALUE, '1.79769313486232E+308'],
    [-Number.MAX_VALUE, '-1.79769313486232E+308'],
    [2.2250738585072014e-308, '2.22507385850720E-308'],
    [Number.MIN_VALUE, '4.94065645841247E-324'],
  ])('converts %s to %s, with exactly 15 digits', (value, text) => {
    expect(Decimal.fromNumber(value).toString()).toBe(text);
  });

  test('rounds a half to even', () => {
    expect(Decimal.fromNumber(562949953421312.5).toString()).toBe('562949953421312');
    expect(Decimal.fromNumber(562949953421313.5).toString()).toBe('562949953421314');
    expect(Decimal.fromNumber(-562949953421312.5).toString()).toBe('-562949953421312');
  });

  test('keeps zeros, infinities and NaN', () => {
    expect([0, -0, Infinity, -Infinity, NaN].map(value => Decimal.fromNumber(value).toString())).toEqual([
      '0',
      '-0',
      'Infinity',
      '-Infinity',
      'NaN',
    ]);
  });

  test('converts doubles, but not integers, to 15 digits in sums and products', () => {
    expect(add(decimal('5'), double(1)).toString()).toBe('6.00000000000000');
    expect(add(decimal('5'), 1).toString()).toBe('6');
    expect(multiply(decimal('2'), double(3)).toString()).toBe('6.00000000000000');
    expect(multiply(decimal('2'), 3n).toString()).toBe('6');
  });
});

describe('parsing texts of any length', () => {
  const nines = '9'.repeat(1_000_000);

  test.each([
    [
      'too many digits round to 34',
      '1234567890123456789012345678901234567890',
      '1.234567890123456789012345678901235E+39',
    ],
    ['a far digit decides the rounding', `${'1'.repeat(34)}5${'0'.repeat(500)}1E-502`, `${'1'.repeat(33)}2`],
    ['a half rounds to even', `${'1'.repeat(33)}25${'0'.repeat(500)}E-501`, `${'1'.repeat(33)}2`],
    ['a million digits overflow', nines, 'Infinity'],
    ['a million digits with a negative exponent', `${nines}E-1000000`, `1.${'0'.repeat(33)}`],
    ['leading zeros do not count', `${'0'.repeat(1_000_000)}7`, '7'],
    ['an exponent that overflows', '1E+99999999999', 'Infinity'],
    ['an exponent that underflows', '1E-99999999999', '0E-6176'],
  ])('%s', (_title, text, expected) => {
    expect(Decimal.parse(text)?.toString()).toBe(expected);
  });
});
