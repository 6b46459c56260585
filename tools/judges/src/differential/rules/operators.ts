import { shapedPaths } from '../paths.js';
import type { Rule } from '../rule.js';
import type { Tree } from '../tree.js';
import { has, isArray, isDocument, isObject, wrapperOf } from '../tree.js';
import {
  anyNumberBeyond,
  asPython,
  bothDo,
  dropsFields,
  equalBut,
  everythingOf,
  fieldsRead,
  givesNull,
  hasNestedArray,
  hasScalarElement,
  isOddNumber,
  lacks,
  missingAsNull,
  narrowInteger,
  nearDouble,
  pythonKeeps,
  refusesNull,
  specsOf,
  stringOperators,
  theirText,
  theyRefuse,
  uses,
  weRefuse,
  weRefuseArgument,
  weRefuseConstant,
  withoutEmpty,
  withoutNullElements,
  withoutNulls,
  withoutZone,
} from './traits.js';

/** Numbers whose double and decimal values differ. */
const unequalForms = /"0\.1"|1234\.5678/;

/** Known differences of SecantusDB's operators from MongoDB's documentation. In the reasons, "it" is SecantusDB. */
export const operatorRules: readonly Rule[] = [
  {
    name: 'crash',
    reason:
      'it fails with "internal server error", because Python cannot represent the date, order the values or round the number',
    holds: ({ theirs }) =>
      theirs.kind === 'refused' && theirs.code === 1 && theirs.message.includes('internal server error'),
  },
  {
    name: 'int32 instead of int64',
    reason:
      '$isoWeekYear, includeArrayIndex and depthField return an int64, and $bit the wider of its two types; it returns an int32',
    holds: pair =>
      bothDo(pair) &&
      (uses(pair, '$isoWeekYear $bit') ||
        has(pair.operation.command, (_, name) => name === 'includeArrayIndex' || name === 'depthField')) &&
      equalBut(pair, narrowInteger),
  },
  {
    name: 'dates of $isoWeekYear',
    reason: '$toDate accepts the int64 of $isoWeekYear; it rejects its own int32',
    holds: pair => uses(pair, '$isoWeekYear') && theyRefuse(pair, 241, /from int to date/),
  },
  {
    name: 'format of dates in a time zone',
    reason: 'the default format of $dateToString ends with Z only in UTC',
    holds: pair => bothDo(pair) && uses(pair, '$dateToString') && equalBut(pair, withoutZone),
  },
  {
    name: 'onNull of $dateToString',
    reason: 'it ignores onNull',
    holds: pair =>
      (pair.theirs.kind === 'done' || refusesNull(pair)) &&
      uses(pair, '$dateToString') &&
      has(pair.operation.command, (_, name) => name === 'onNull'),
  },
  {
    name: 'Python equality',
    reason: 'it treats false as 0 and true as 1, and a Decimal128 as different from every other number',
    holds: pair =>
      bothDo(pair) &&
      ('distinct' in pair.operation.command || uses(pair, '$addToSet $pull $pullAll $setUnion $setIntersection')) &&
      has(everythingOf(pair), value => typeof value === 'boolean' || wrapperOf(value) === '$numberDecimal') &&
      (equalBut(pair, asPython) || pythonKeeps(pair)),
  },
  {
    name: 'missing elements as null',
    reason: '$first, $last and $arrayElemAt without an element return a missing value; it returns null',
    holds: pair =>
      uses(pair, '$first $last $arrayElemAt $shift $getField') &&
      ((bothDo(pair) &&
        (equalBut(pair, withoutNulls) || equalBut(pair, missingAsNull) || equalBut(pair, withoutNullElements))) ||
        weRefuse(pair, 40392)),
  },
  {
    name: 'missing values as objects',
    reason: 'it treats a missing result of $arrayElemAt, $first, $last or $getField as an object',
    holds: ({ theirs, ...rest }) =>
      theirs.kind === 'refused' &&
      /\bobject\b/.test(theirs.message) &&
      uses(rest, '$arrayElemAt $first $last $getField $let $cond $switch $ifNull'),
  },
  {
    name: '$sortArray by fields of scalars',
    reason: 'elements that are not documents have no fields, are equal, and keep their order',
    holds: pair =>
      bothDo(pair) &&
      uses(pair, '$sortArray $push') &&
      has(pair.operation.command, (value, name) => (name === 'sortBy' || name === '$sort') && isDocument(value)) &&
      hasScalarElement([...fieldsRead(pair), pair.operation.command]),
  },
  {
    name: '$zip of null',
    reason: 'a null or missing input makes the result null',
    holds: pair => uses(pair, '$zip') && theyRefuse(pair, 34468),
  },
  {
    name: '$mod outside of int64',
    reason:
      'a number outside of int64 has no remainder, a number above 2^53 its own, and an array as an element or position none',
    holds: pair =>
      uses(pair, '$mod') &&
      (anyNumberBeyond(everythingOf(pair)) ||
        ((uses(pair, '$elemMatch') || has(pair.operation.command, (_, name) => /\.\d+$/.test(name ?? ''))) &&
          hasNestedArray(fieldsRead(pair)))),
  },
  {
    name: 'argument errors',
    reason:
      'invalid arguments and constants fail regardless of the documents; it evaluates them only when it needs them',
    holds: pair => weRefuseArgument(pair) || weRefuseConstant(pair),
  },
  {
    name: 'years before 1000',
    reason: 'years have four digits',
    holds: pair => /"1-0\d-\d\d[Tt]/.test(theirText(pair)),
  },
  {
    name: 'fields in scalars',
    reason: 'an element of $[] that is not a document cannot get a field',
    holds: pair => weRefuse(pair, 28),
  },
  {
    name: 'numbers in $project',
    reason:
      'in $project every number except 0 includes the field, also in a subdocument; it treats other numbers as values',
    holds: pair =>
      bothDo(pair) &&
      has(
        pair.operation.command,
        (value, name) =>
          name === '$project' &&
          isDocument(value) &&
          Object.values(value).some(item => isOddNumber(item) || isDocument(item)),
      ),
  },
  {
    name: 'timestamps as dates',
    reason: 'a timestamp or an ObjectId is accepted wherever a date is read',
    holds: pair => theyRefuse(pair, 14, /must be (?:a datetime|datetimes)/),
  },
  {
    name: 'UUIDs as strings',
    reason: 'the string of a UUID is its hexadecimal form; it returns the form of other binary data',
    holds: pair =>
      bothDo(pair) &&
      uses(pair, '$toString') &&
      has(
        everythingOf(pair),
        value => isObject(value) && isObject(value['$binary']) && value['$binary']['subType'] === '04',
      ),
  },
  {
    name: 'empty characters to trim',
    reason: 'an empty string of characters trims nothing; it trims spaces',
    holds: pair =>
      bothDo(pair) &&
      ['$trim', '$ltrim', '$rtrim'].some(name => specsOf(pair, name).some(spec => 'chars' in spec)) &&
      has(everythingOf(pair), value => value === ''),
  },
  {
    name: '$in of missing values',
    reason: 'a missing value does not equal null in a list',
    holds: pair =>
      bothDo(pair) &&
      has(
        pair.operation.command,
        (value, name) =>
          name === '$in' && isArray(value) && typeof value[0] === 'string' && lacks(pair, value[0].slice(1)),
      ),
  },
  {
    name: 'comparison of missing values with null',
    reason:
      'a missing value is less than null and does not satisfy a condition; it treats missing results of $first, $getField and similar operators as null',
    holds: pair =>
      bothDo(pair) &&
      uses(pair, '$first $last $arrayElemAt $shift $getField') &&
      uses(pair, '$eq $ne $gt $gte $lt $lte $cmp $in $expr $cond $and $or $not'),
  },
  {
    name: 'computed fields in missing documents',
    reason: 'a computed field below a missing field creates a document, even if its value is missing',
    holds: pair => bothDo(pair) && shapedPaths(pair.operation.command).length > 0 && equalBut(pair, withoutEmpty),
  },
  {
    name: 'code with scope',
    reason: 'code with scope is ordered by its text and then by its scope',
    holds: pair =>
      bothDo(pair) && has(fieldsRead(pair), value => isObject(value) && '$code' in value && '$scope' in value),
  },
  {
    name: 'last digits of sums and products',
    reason:
      'a sum compensates for rounding, and a product with a double uses doubles throughout; it computes differently',
    holds: pair => bothDo(pair) && uses(pair, '$avg $sum $multiply $add') && equalBut(pair, nearDouble),
  },
  {
    name: 'infinite decimals',
    reason: 'an infinite decimal rounds to itself',
    holds: pair =>
      bothDo(pair) &&
      uses(pair, '$floor $ceil $round $trunc $pow') &&
      has(
        everythingOf(pair),
        value => isObject(value) && JSON.stringify(value['$numberDecimal'] ?? '').includes('Infinity'),
      ),
  },
  {
    name: 'averages of large integers',
    reason: 'an average is computed from the exact sum',
    holds: pair => bothDo(pair) && uses(pair, '$avg') && anyNumberBeyond(everythingOf(pair)),
  },
  {
    name: 'arrays as objects',
    reason: '$mergeObjects rejects an array, even an empty one',
    holds: pair => weRefuse(pair, 40400),
  },
  {
    name: 'null operands',
    reason:
      'sums, products, sets and bit operators return null at the first null operand, before they evaluate the next operand',
    holds: pair =>
      uses(
        pair,
        '$add $multiply $setUnion $setIntersection $bitAnd $bitOr $bitXor $concat $concatArrays $dateAdd $dateSubtract',
      ) &&
      pair.theirs.kind === 'refused' &&
      (givesNull(pair) || dropsFields(pair)),
  },
  {
    name: 'comparison with a collation',
    reason: 'with a collation, strings are compared in the order of the language; it compares their code points',
    holds: pair =>
      pair.theirs.kind === 'done' &&
      has(pair.operation.command, (_, name) => name === 'collation') &&
      has(pair.operation.command, (value, name) => /^\$[gl]te?$/.test(name ?? '') && typeof value === 'string'),
  },
  {
    name: 'symbols with a collation',
    reason: 'with a collation, symbols and punctuation precede digits, and digits precede letters',
    holds: pair =>
      bothDo(pair) &&
      has(pair.operation.command, (_, name) => name === 'collation') &&
      has(everythingOf(pair), value => typeof value === 'string' && /[^A-Za-z0-9]/.test(value)),
  },
  {
    name: 'sums of null and strings',
    reason: 'sums, products and bit operators check their operands in order; it first searches all operands for a null',
    holds: pair =>
      uses(pair, '$add $multiply $bitAnd $bitOr $bitXor') &&
      weRefuse(pair, 14, /only supports? (?:numeric|int and long)/),
  },
  {
    name: 'doubles and decimals',
    reason: 'a double is compared with a decimal by its exact value',
    holds: pair => {
      const everything: Tree = [fieldsRead(pair), pair.operation.command];
      return (
        (bothDo(pair) || theyRefuse(pair, 11000)) &&
        has(everything, value => wrapperOf(value) === '$numberDecimal') &&
        has(everything, value => wrapperOf(value) === '$numberDouble') &&
        unequalForms.test(JSON.stringify(everything))
      );
    },
  },
  {
    name: 'code as a string',
    reason: 'JavaScript code is not a string; in Python it is',
    holds: pair => has(everythingOf(pair), value => wrapperOf(value) === '$code') && stringOperators(pair),
  },
  {
    name: 'types of operands',
    reason:
      '$replaceOne, $replaceAll, $substrBytes, $substrCP, $abs and $pow reject operands that are missing, out of range or of another type; it returns null, an empty string, infinity or a double',
    holds: pair =>
      [40395, 51744, 51745, 51746, 16006, 16034, 16035, 34450, 34452, 34454, 28680, 28764].some(code =>
        weRefuse(pair, code),
      ),
  },
  {
    name: "dates outside of Python's range",
    reason: 'dates extend beyond the year 9999',
    holds: pair => theyRefuse(pair, 16006, /DatetimeMS/),
  },
  {
    name: '$slice of constants in projections',
    reason: '$slice of a field in a projection is the expression of that name',
    holds: pair => theyRefuse(pair, 28724),
  },
];
