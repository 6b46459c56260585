import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DateValue, UNDEFINED } from '../src/value/value.js';
import { checkExpressions as check, date, evaluate, refused } from './agg-cases.js';
import { decimal, double, text } from './shorthand.js';

const maxLong = 9223372036854775807n;
const minLong = -9223372036854775808n;

check('$add: "adds numbers together or adds numbers and a date"', [
  [{ $add: [1, 2] }, 3],
  [{ $add: [1, 2, 3, 4] }, 10],
  [{ $add: [] }, 0],
  [{ $add: 5 }, 5],
  [{ $add: [1, 2n] }, 3n],
  [{ $add: [1, 2.5] }, 3.5],
  [{ $add: [double(1), 2] }, double(3)],
  [{ $add: [2147483647, 1] }, 2147483648n],
  [{ $add: [2147483647, 1, -1] }, 2147483647],
  [{ $add: [maxLong, 1] }, double(9223372036854775808)],
  [{ $add: [maxLong, -1] }, 9223372036854775806n],
  [{ $add: [decimal('0.1'), decimal('0.2')] }, decimal('0.3')],
  [{ $add: [decimal('0.1'), 1] }, decimal('1.1')],
  [{ $add: [1, null] }, null],
  [{ $add: ['$a', 1] }, null],
  [{ $add: [1, UNDEFINED] }, null],
  [{ $add: [null, 'x'] }, null],
  [{ $add: ['x', null] }, refused(14, '$add only supports numeric or date types, not string')],
  [{ $add: [1, true] }, refused(14, '$add only supports numeric or date types, not bool')],
  [{ $add: [date('2020-01-01'), 1000] }, date('2020-01-01T00:00:01Z')],
  [{ $add: [1, date('2020-01-01'), 1.5] }, new DateValue(Date.parse('2020-01-01') + 3)],
  [{ $add: [date('2020-01-01'), decimal('2.5')] }, new DateValue(Date.parse('2020-01-01') + 2)],
  [{ $add: [date('2020-01-01'), date('2020-01-01')] }, refused(16612, 'only one date allowed in an $add expression')],
  [{ $add: [date('2020-01-01'), double(1e300)] }, refused(15, 'date overflow')],
  [{ $add: ['$price', '$fee'] }, 12, { price: 10, fee: 2 }],
  [{ $add: ['$d', '$n'] }, new DateValue(86_400_000), { d: new DateValue(0), n: 86_400_000n }],
]);

check('$subtract', [
  [{ $subtract: [5, 3] }, 2],
  [{ $subtract: [-2147483648, 1] }, -2147483649n],
  [{ $subtract: [minLong, 1] }, double(-9223372036854775808)],
  [{ $subtract: [5n, 3] }, 2n],
  [{ $subtract: [5, 1.5] }, 3.5],
  [{ $subtract: [5, decimal('1.50')] }, decimal('3.50')],
  [{ $subtract: [date('2020-01-02'), date('2020-01-01')] }, 86_400_000n],
  [{ $subtract: [date('2020-01-02'), 1000] }, date('2020-01-01T23:59:59Z')],
  [{ $subtract: [date('2020-01-02'), 1000.4] }, date('2020-01-01T23:59:59Z')],
  [{ $subtract: [null, 1] }, null],
  [{ $subtract: [1, '$a'] }, null],
  [{ $subtract: ['x', 1] }, refused(14, `can't $subtract int from string`)],
  [{ $subtract: [1, date('2020-01-02')] }, refused(14, `can't $subtract date from int`)],
  [{ $subtract: [date('2020-01-02'), 'x'] }, refused(14, `can't $subtract string from Date`)],
  [{ $subtract: [1] }, refused(16020, 'Expression $subtract takes exactly 2 arguments. 1 were passed in.')],
]);

check('$multiply', [
  [{ $multiply: [3, 4] }, 12],
  [{ $multiply: [] }, 1],
  [{ $multiply: [65536, 65536] }, 4294967296n],
  [{ $multiply: [2147483648n, 4294967296n] }, double(9223372036854775808)],
  [{ $multiply: [3, 2n] }, 6n],
  [{ $multiply: [3, 0.5] }, 1.5],
  [{ $multiply: [decimal('1.1'), 2] }, decimal('2.2')],
  [{ $multiply: [2, 0.5, decimal('3.00000000000000')] }, decimal('3.0000000000000000000000000000')],
  [{ $multiply: [3, null] }, null],
  [{ $multiply: [3, 'x'] }, refused(14, '$multiply only supports numeric types, not string')],
  [{ $multiply: ['$price', '$quantity'] }, 20, { price: 10, quantity: 2 }],
]);

check('$divide', [
  [{ $divide: [6, 3] }, double(2)],
  [{ $divide: [1, 4] }, 0.25],
  [{ $divide: [1n, 2n] }, 0.5],
  [{ $divide: [decimal('1'), 8] }, decimal('0.125')],
  [{ $divide: [1, 0] }, refused(2, `can't $divide by zero`)],
  [{ $divide: [1, double(-0)] }, refused(2, `can't $divide by zero`)],
  [{ $divide: [1, decimal('0')] }, refused(2, `can't $divide by zero`)],
  [{ $divide: [null, 0] }, null],
  [{ $divide: ['$a', 0] }, null],
  [{ $divide: ['a', 2] }, refused(14, '$divide only supports numeric types, not string and int')],
]);

check('$mod', [
  [{ $mod: [7, 3] }, 1],
  [{ $mod: [-7, 3] }, -1],
  [{ $mod: [7, -3] }, 1],
  [{ $mod: [7n, 3] }, 1n],
  [{ $mod: [7.5, 2] }, 1.5],
  // A divisor that is a whole double counts as an int.
  [{ $mod: [7, double(3)] }, 1],
  [{ $mod: [7n, double(3)] }, 1n],
  [{ $mod: [double(7), double(3)] }, double(1)],
  [{ $mod: [7, 3.25] }, 0.5],
  [{ $mod: [500000000000n, double(450000000000)] }, double(50000000000)],
  [{ $mod: [7, double(NaN)] }, double(NaN)],
  [{ $mod: [decimal('7.5'), 2] }, decimal('1.5')],
  [{ $mod: [7, 0] }, refused(16610, `can't $mod by zero`)],
  [{ $mod: [7, decimal('0')] }, refused(5733415, `can't $mod by zero`)],
  [{ $mod: [7, null] }, null],
  [{ $mod: ['x', 1] }, refused(16611, '$mod only supports numeric types, not string and int')],
]);

check('$abs, $ceil, $floor', [
  [{ $abs: -1 }, 1],
  [{ $abs: 1 }, 1],
  [{ $abs: null }, null],
  [{ $abs: '$a' }, null],
  [{ $abs: -1.5 }, 1.5],
  [{ $abs: -5n }, 5n],
  [{ $abs: -2147483648 }, 2147483648n],
  [{ $abs: minLong }, refused(28680, `can't take $abs of long long min`)],
  [{ $abs: decimal('-1.50') }, decimal('1.50')],
  [{ $abs: 'x' }, refused(28765, '$abs only supports numeric types, not string')],
  [{ $abs: [1, 2] }, refused(16020, 'Expression $abs takes exactly 1 arguments. 2 were passed in.')],
  [{ $ceil: 1 }, 1],
  [{ $ceil: 7.8 }, double(8)],
  [{ $ceil: -2.8 }, double(-2)],
  [{ $ceil: -0.5 }, double(-0)],
  [{ $ceil: 5n }, 5n],
  [{ $ceil: decimal('1.01') }, decimal('2')],
  [{ $ceil: decimal('1E+2') }, decimal('100')],
  [{ $ceil: null }, null],
  [{ $floor: 1 }, 1],
  [{ $floor: 7.8 }, double(7)],
  [{ $floor: -2.8 }, double(-3)],
  [{ $floor: decimal('-1.01') }, decimal('-2')],
  [{ $floor: double(NaN) }, double(NaN)],
  [{ $floor: true }, refused(28765, '$floor only supports numeric types, not bool')],
]);

check('$round: "rounds a number to a whole integer or to a specified decimal place", half to even', [
  [{ $round: [10.5, 0] }, double(10)],
  [{ $round: [11.5] }, double(12)],
  [{ $round: 12.5 }, double(12)],
  [{ $round: [19.25, 1] }, 19.2],
  [{ $round: [28.73, 1] }, 28.7],
  [{ $round: [34.32, 1] }, 34.3],
  [{ $round: [-45.39, 1] }, -45.4],
  [{ $round: [19, -1] }, 20],
  [{ $round: [25, -1] }, 20],
  [{ $round: [35n, -1] }, 40n],
  [{ $round: [2147483647, -1] }, 2147483650n],
  [{ $round: [5, 3] }, 5],
  [{ $round: [1.005, 2] }, double(1)],
  [{ $round: [decimal('1.25'), 1] }, decimal('1.2')],
  [{ $round: [decimal('5'), 2] }, decimal('5.00')],
  [{ $round: [decimal('1.298'), 100] }, decimal('1.298')],
  [{ $trunc: [decimal('-1.298'), 100] }, decimal('-1.298')],
  [{ $round: [decimal('NaN'), 100] }, decimal('NaN')],
  [{ $round: [double(Infinity), 1] }, double(Infinity)],
  [{ $round: [null, 1] }, null],
  [{ $round: [1.5, null] }, null],
  [{ $round: [1.5, '$a'] }, null],
  [{ $round: ['x', 1] }, refused(51081, '$round only supports numeric types, not string')],
  [{ $round: [1, 1.5] }, refused(51082, 'precision argument to  $round must be a integral value')],
  [{ $round: [1, 101] }, refused(51083, 'cannot apply $round with precision value 101 value must be in [-20, 100]')],
  [{ $round: [1, -21] }, refused(51083, /-21/)],
  [
    { $round: [1, 2, 3] },
    refused(28667, 'Expression $round takes at least 1 arguments, and at most 2, but 3 were passed in.'),
  ],
  [
    { $round: [maxLong, -1] },
    refused(
      51080,
      'invalid conversion from Decimal128 result in $round resulting from arguments: [9223372036854775807, -1]',
    ),
  ],
]);

check('$trunc', [
  [{ $trunc: [7.8, 0] }, double(7)],
  [{ $trunc: [-2.3] }, double(-2)],
  [{ $trunc: [19.25, 1] }, 19.2],
  [{ $trunc: [19, -1] }, 10],
  [{ $trunc: [decimal('1.29'), 1] }, decimal('1.2')],
  [{ $trunc: 5 }, 5],
  [{ $trunc: 'x' }, refused(51081, '$trunc only supports numeric types, not string')],
]);

check('$pow', [
  [{ $pow: [5, 0] }, 1],
  [{ $pow: [5, 2] }, 25],
  [{ $pow: [5, -2] }, 0.04],
  [{ $pow: [-5, 0.5] }, double(NaN)],
  [{ $pow: [2, 31] }, 2147483648n],
  [{ $pow: [2n, 3] }, 8n],
  [{ $pow: [2, 63] }, double(9223372036854775808)],
  [{ $pow: [-2, 63] }, minLong],
  [{ $pow: [0, 0] }, 1],
  [{ $pow: [-1, 1000001] }, -1],
  [{ $pow: [double(2), 3] }, double(8)],
  [{ $pow: [decimal('1.1'), 2] }, decimal(`1.21${'0'.repeat(31)}`)],
  [{ $pow: [decimal(`1.${'0'.repeat(32)}1`), 300] }, decimal(`1.${'0'.repeat(30)}300`)],
  [{ $pow: [decimal('9'.repeat(34)), 300] }, decimal('Infinity')],
  [{ $pow: [5, decimal('-112')] }, decimal('5.192296858534827628530496329220096E-79')],
  [{ $pow: [decimal('3'), -1] }, decimal(`0.${'3'.repeat(34)}`)],
  [{ $pow: [decimal('2'), -2] }, decimal(`0.25${'0'.repeat(32)}`)],
  [{ $pow: [decimal('2'), decimal('0.5')] }, decimal('1.414213562373095048801688724209698')],
  [{ $pow: [decimal('7'), 0] }, decimal(`1.${'0'.repeat(33)}`)],
  [{ $pow: [decimal('Infinity'), 2] }, decimal('Infinity')],
  [{ $pow: [decimal('-1'), double(Infinity)] }, decimal(`1.${'0'.repeat(33)}`)],
  [{ $pow: [0, -1] }, refused(28764, '$pow cannot take a base of 0 and a negative exponent')],
  [{ $pow: ['x', 1] }, refused(28762, `$pow's base must be numeric, not string`)],
  [{ $pow: [1, 'x'] }, refused(28763, `$pow's exponent must be numeric, not string`)],
  [{ $pow: [null, 'x'] }, null],
]);

check('$exp, $ln, $log, $log10, $sqrt, $sigmoid', [
  [{ $exp: 0 }, double(1)],
  [{ $exp: 1 }, Math.E],
  [{ $exp: decimal('1') }, decimal('2.718281828459045235360287471352662')],
  [{ $exp: decimal('-1') }, decimal('0.3678794411714423215955237701614609')],
  [{ $exp: null }, null],
  [{ $ln: 1 }, double(0)],
  [{ $ln: decimal('10') }, decimal('2.302585092994045684017991454684364')],
  [{ $ln: 0 }, refused(28766, `$ln's argument must be a positive number, but is 0`)],
  [{ $ln: -1.5 }, refused(28766, `$ln's argument must be a positive number, but is -1.5`)],
  [{ $log: [100, 10] }, double(2)],
  [{ $log: [decimal('1000'), 10] }, decimal('3')],
  [{ $log: [null, 10] }, null],
  [{ $log: ['x', 10] }, refused(28756, `$log's argument must be numeric, not string`)],
  [{ $log: [10, 'x'] }, refused(28757, `$log's base must be numeric, not string`)],
  [{ $log: [-1, 10] }, refused(28758, `$log's argument must be a positive number, but is -1`)],
  [{ $log: [10, 1] }, refused(28759, `$log's base must be a positive number not equal to 1, but is 1`)],
  [{ $log10: 100 }, double(2)],
  [{ $log10: decimal('0.001') }, decimal('-3')],
  [{ $log10: -1 }, refused(28761, `$log10's argument must be a positive number, but is -1`)],
  [{ $sqrt: 25 }, double(5)],
  [{ $sqrt: 30 }, Math.sqrt(30)],
  [{ $sqrt: decimal('2') }, decimal('1.414213562373095048801688724209698')],
  [{ $sqrt: decimal('4') }, decimal('2')],
  [{ $sqrt: -1 }, refused(28714, `$sqrt's argument must be greater than or equal to 0`)],
  [{ $sqrt: null }, null],
  [{ $sigmoid: 0 }, 0.5],
]);

check('trigonometry', [
  [{ $sin: 0 }, double(0)],
  [{ $sin: Math.PI / 2 }, double(1)],
  [{ $sin: decimal('1') }, decimal('0.8414709848078965066525023216302990')],
  [{ $sin: double(Infinity) }, refused(50989, 'cannot apply $sin to inf, value must be in (-inf,inf)')],
  [{ $sin: null }, null],
  [{ $sin: 'x' }, refused(28765, '$sin only supports numeric types, not string')],
  [{ $cos: 0 }, double(1)],
  [{ $cos: decimal('0') }, decimal('1')],
  [{ $tan: 0 }, double(0)],
  [{ $tan: decimal('1') }, decimal('1.557407724654902230506974807458360')],
  [{ $asin: 1 }, Math.PI / 2],
  [{ $asin: 2 }, refused(50989, 'cannot apply $asin to 2, value must be in [-1,1]')],
  [{ $acos: 1 }, double(0)],
  [{ $acos: decimal('-1') }, decimal('3.141592653589793238462643383279503')],
  [{ $acos: -1.1 }, refused(50989, 'cannot apply $acos to -1.1, value must be in [-1,1]')],
  [{ $atan: 1 }, Math.PI / 4],
  [{ $atan: decimal('1') }, decimal('0.7853981633974483096156608458198757')],
  [{ $atan2: [1, 1] }, Math.PI / 4],
  [{ $atan2: [4, null] }, null],
  [{ $atan2: ['x', 1] }, refused(51044, '$atan2 only supports numeric types, not string')],
  [{ $atan2: [1, 'x'] }, refused(51045, '$atan2 only supports numeric types, not string')],
  [{ $atan2: [decimal('1'), decimal('-1')] }, decimal('2.356194490192344928846982537459627')],
  [{ $sinh: 0 }, double(0)],
  [{ $cosh: 0 }, double(1)],
  [{ $tanh: decimal('1') }, decimal('0.7615941559557648881194582826047936')],
  [{ $asinh: decimal('1') }, decimal('0.8813735870195430252326093249797923')],
  [{ $acosh: 0 }, refused(50989, 'cannot apply $acosh to 0, value must be in [1,inf]')],
  [{ $acosh: 1 }, double(0)],
  [{ $atanh: 0 }, double(0)],
  [{ $atanh: 1 }, double(Infinity)],
  [{ $atanh: 3 }, refused(50989, 'cannot apply $atanh to 3, value must be in [-1,1]')],
  [{ $degreesToRadians: 180 }, Math.PI],
  [{ $degreesToRadians: decimal('180') }, decimal('3.141592653589793238462643383279503')],
  [{ $radiansToDegrees: Math.PI }, double(180)],
]);

check('$bitAnd, $bitOr, $bitXor, $bitNot', [
  [{ $bitAnd: [0, 127, 5] }, 0],
  [{ $bitAnd: [10, 12] }, 8],
  [{ $bitAnd: [10, 12n] }, 8n],
  [{ $bitAnd: [] }, -1],
  [{ $bitOr: [10, 5] }, 15],
  [{ $bitOr: [] }, 0],
  [{ $bitXor: [12, 10] }, 6],
  [{ $bitXor: [12, null] }, null],
  [{ $bitAnd: [1, 'abc'] }, refused(14, '$bitAnd only supports int and long operands.')],
  [{ $bitOr: [1, 1.5] }, refused(14, '$bitOr only supports int and long operands.')],
  [{ $bitNot: 0 }, -1],
  [{ $bitNot: 5n }, -6n],
  [{ $bitNot: null }, null],
  [{ $bitNot: 1.5 }, refused(14, '$bitNot only supports int and long, not: double.')],
  [{ $bitNot: 'abc' }, refused(28765, '$bitNot only supports numeric types, not string')],
]);

test('$add of integers is exact, has the narrowest type that holds the sum, and does not depend on the order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer(), { maxLength: 8 }),
      fc.array(fc.bigInt({ min: -(2n ** 40n), max: 2n ** 40n })),
      (ints, longs) => {
        const sum = [...ints, ...longs].reduce<bigint>((total, n) => total + BigInt(n), 0n);
        const fitsInt = longs.length === 0 && sum >= -(2n ** 31n) && sum < 2n ** 31n;
        const wanted = fitsInt ? text(Number(sum)) : text(sum);
        expect(text(evaluate({ $add: [...ints, ...longs] }))).toBe(wanted);
        expect(text(evaluate({ $add: [...longs.toReversed(), ...ints.toReversed()] }))).toBe(wanted);
      },
    ),
  );
});

test('$multiply reverses $divide for decimals with few digits', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), fc.constantFrom('2', '4', '5', '8', '10', '0.5'), (n, by) => {
      const result = evaluate({
        $eq: [{ $multiply: [{ $divide: [decimal(String(n)), decimal(by)] }, decimal(by)] }, n],
      });
      expect(result).toBe(true);
    }),
  );
});
