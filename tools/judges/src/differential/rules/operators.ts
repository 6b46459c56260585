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

/** Numbers whose doubles and decimals differ. */
const unequalForms = /"0\.1"|1234\.5678/;

/** What its operators do otherwise than MongoDB's documentation says. */
export const operatorRules: readonly Rule[] = [
  {
    name: 'crash',
    reason: 'says "internal server error": Python cannot hold the date, order the values or round the number',
    holds: ({ theirs }) =>
      theirs.kind === 'refused' && theirs.code === 1 && theirs.message.includes('internal server error'),
  },
  {
    name: 'int32 for int64',
    reason:
      '$isoWeekYear, includeArrayIndex and depthField give an int64, and $bit the wider of its two types; it gives an int32',
    holds: pair =>
      bothDo(pair) &&
      (uses(pair, '$isoWeekYear $bit') ||
        has(pair.operation.command, (_, name) => name === 'includeArrayIndex' || name === 'depthField')) &&
      equalBut(pair, narrowInteger),
  },
  {
    name: 'a date of a year',
    reason: '$toDate takes the int64 of $isoWeekYear; its int32 it refuses',
    holds: pair => uses(pair, '$isoWeekYear') && theyRefuse(pair, 241, /from int to date/),
  },
  {
    name: 'form of dates in a zone',
    reason: 'the default format of $dateToString ends with Z in UTC only',
    holds: pair => bothDo(pair) && uses(pair, '$dateToString') && equalBut(pair, withoutZone),
  },
  {
    name: 'onNull of $dateToString',
    reason: 'does not read onNull',
    holds: pair =>
      (pair.theirs.kind === 'done' || refusesNull(pair)) &&
      uses(pair, '$dateToString') &&
      has(pair.operation.command, (_, name) => name === 'onNull'),
  },
  {
    name: 'equality of Python',
    reason: 'takes false for 0 and true for 1, and a Decimal128 for different from any other number',
    holds: pair =>
      bothDo(pair) &&
      ('distinct' in pair.operation.command || uses(pair, '$addToSet $pull $pullAll $setUnion $setIntersection')) &&
      has(everythingOf(pair), value => typeof value === 'boolean' || wrapperOf(value) === '$numberDecimal') &&
      (equalBut(pair, asPython) || pythonKeeps(pair)),
  },
  {
    name: 'missing as null',
    reason: '$first, $last and $arrayElemAt without an element give a missing value, and not null',
    holds: pair =>
      uses(pair, '$first $last $arrayElemAt $shift $getField') &&
      ((bothDo(pair) &&
        (equalBut(pair, withoutNulls) || equalBut(pair, missingAsNull) || equalBut(pair, withoutNullElements))) ||
        weRefuse(pair, 40392)),
  },
  {
    name: 'missing as an object',
    reason: 'what $arrayElemAt, $first, $last or $getField did not find is read as an object',
    holds: ({ theirs, ...rest }) =>
      theirs.kind === 'refused' &&
      /\bobject\b/.test(theirs.message) &&
      uses(rest, '$arrayElemAt $first $last $getField $let $cond $switch $ifNull'),
  },
  {
    name: '$sortArray by fields of what is no document',
    reason: 'elements that are no documents have no fields, are equal, and stay in their order',
    holds: pair =>
      bothDo(pair) &&
      uses(pair, '$sortArray $push') &&
      has(pair.operation.command, (value, name) => (name === 'sortBy' || name === '$sort') && isDocument(value)) &&
      hasScalarElement([...fieldsRead(pair), pair.operation.command]),
  },
  {
    name: '$zip of nothing',
    reason: 'an input that is null or missing makes the result null',
    holds: pair => uses(pair, '$zip') && theyRefuse(pair, 34468),
  },
  {
    name: '$mod of what is no int64',
    reason:
      'a number beyond the int64 has no remainder, one beyond 2^53 its own, and an element or position that is an array none either',
    holds: pair =>
      uses(pair, '$mod') &&
      (anyNumberBeyond(everythingOf(pair)) ||
        ((uses(pair, '$elemMatch') || has(pair.operation.command, (_, name) => /\.\d+$/.test(name ?? ''))) &&
          hasNestedArray(fieldsRead(pair)))),
  },
  {
    name: 'arguments unread',
    reason:
      'arguments are refused, and constants computed, whatever the documents; it reads them when it comes to them',
    holds: pair => weRefuseArgument(pair) || weRefuseConstant(pair),
  },
  {
    name: 'years before 1000',
    reason: 'years have four digits',
    holds: pair => /"1-0\d-\d\d[Tt]/.test(theirText(pair)),
  },
  {
    name: 'fields in what is no document',
    reason: 'an element of $[] that is no document cannot get a field',
    holds: pair => weRefuse(pair, 28),
  },
  {
    name: 'a number as a constant',
    reason:
      'in $project every number but nought includes the field, also in a document below; it takes those for values',
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
    reason: 'a timestamp or an ObjectId stands for its date wherever a date is read',
    holds: pair => theyRefuse(pair, 14, /must be (?:a datetime|datetimes)/),
  },
  {
    name: 'UUIDs as strings',
    reason: 'the string of a UUID is its hexadecimal form; it gives that of other binary data',
    holds: pair =>
      bothDo(pair) &&
      uses(pair, '$toString') &&
      has(
        everythingOf(pair),
        value => isObject(value) && isObject(value['$binary']) && value['$binary']['subType'] === '04',
      ),
  },
  {
    name: 'no characters to trim',
    reason: 'an empty string of characters trims nothing; it trims spaces',
    holds: pair =>
      bothDo(pair) &&
      ['$trim', '$ltrim', '$rtrim'].some(name => specsOf(pair, name).some(spec => 'chars' in spec)) &&
      has(everythingOf(pair), value => value === ''),
  },
  {
    name: '$in of what is missing',
    reason: 'what is missing is no null in a list',
    holds: pair =>
      bothDo(pair) &&
      has(
        pair.operation.command,
        (value, name) =>
          name === '$in' && isArray(value) && typeof value[0] === 'string' && lacks(pair, value[0].slice(1)),
      ),
  },
  {
    name: 'missing and null compared',
    reason:
      'what is missing is less than null, and no condition that is met; what $first, $getField and their like did not find is null to it',
    holds: pair =>
      bothDo(pair) &&
      uses(pair, '$first $last $arrayElemAt $shift $getField') &&
      uses(pair, '$eq $ne $gt $gte $lt $lte $cmp $in $expr $cond $and $or $not'),
  },
  {
    name: 'computed fields of nothing',
    reason: 'a field below what is not there makes a document of it, also if its value is missing',
    holds: pair => bothDo(pair) && shapedPaths(pair.operation.command).length > 0 && equalBut(pair, withoutEmpty),
  },
  {
    name: 'scopes of code',
    reason: 'code with a scope is ordered by its text, and then by its scope',
    holds: pair =>
      bothDo(pair) && has(fieldsRead(pair), value => isObject(value) && '$code' in value && '$scope' in value),
  },
  {
    name: 'the last digits of sums and products',
    reason:
      'a sum carries what it loses, a product with a double is one of doubles from the beginning; it computes otherwise',
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
    name: 'means of great integers',
    reason: 'a mean is taken of the exact sum',
    holds: pair => bothDo(pair) && uses(pair, '$avg') && anyNumberBeyond(everythingOf(pair)),
  },
  {
    name: 'arrays as objects',
    reason: '$mergeObjects refuses an array, also an empty one',
    holds: pair => weRefuse(pair, 40400),
  },
  {
    name: 'nullish sums',
    reason: 'sums, products, sets and bits are null at the first operand that is null, before the next is evaluated',
    holds: pair =>
      uses(
        pair,
        '$add $multiply $setUnion $setIntersection $bitAnd $bitOr $bitXor $concat $concatArrays $dateAdd $dateSubtract',
      ) &&
      pair.theirs.kind === 'refused' &&
      (givesNull(pair) || dropsFields(pair)),
  },
  {
    name: 'order by a collation',
    reason: 'by a collation strings are greater and less as the language orders them; it compares their code points',
    holds: pair =>
      pair.theirs.kind === 'done' &&
      has(pair.operation.command, (_, name) => name === 'collation') &&
      has(pair.operation.command, (value, name) => /^\$[gl]te?$/.test(name ?? '') && typeof value === 'string'),
  },
  {
    name: 'symbols in collations',
    reason: 'by a collation, symbols and punctuation stand before digits, and these before letters',
    holds: pair =>
      bothDo(pair) &&
      has(pair.operation.command, (_, name) => name === 'collation') &&
      has(everythingOf(pair), value => typeof value === 'string' && /[^A-Za-z0-9]/.test(value)),
  },
  {
    name: 'a sum of null and a string',
    reason:
      'operands of sums, products and bits are looked at in their order; it looks for a null among all of them first',
    holds: pair =>
      uses(pair, '$add $multiply $bitAnd $bitOr $bitXor') &&
      weRefuse(pair, 14, /only supports? (?:numeric|int and long)/),
  },
  {
    name: 'doubles and decimals',
    reason: 'a double is compared with a decimal by the exact value that it has',
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
    reason: 'JavaScript code is no string; in Python it is',
    holds: pair => has(everythingOf(pair), value => wrapperOf(value) === '$code') && stringOperators(pair),
  },
  {
    name: 'types of operands',
    reason:
      '$replaceOne, $replaceAll, $substrBytes, $substrCP, $abs and $pow refuse operands of other types, beyond their range or missing; it gives null, an empty string, infinity or a double',
    holds: pair =>
      [40395, 51744, 51745, 51746, 16006, 16034, 16035, 34450, 34452, 34454, 28680, 28764].some(code =>
        weRefuse(pair, code),
      ),
  },
  {
    name: 'dates beyond Python',
    reason: 'dates reach farther than the year 9999',
    holds: pair => theyRefuse(pair, 16006, /DatetimeMS/),
  },
  {
    name: 'a constant $slice of find',
    reason: '$slice of a field in a projection is the expression of that name',
    holds: pair => theyRefuse(pair, 28724),
  },
];
