import { crossesArray, sortedPaths } from '../paths.js';
import type { Pair, Rule } from '../rule.js';
import {
  bothDo,
  equalBut,
  has,
  isUpsert,
  narrowInteger,
  sortedFields,
  stringOperators,
  theyRefuse,
  untypedNumber,
  uses,
  weRefuse,
  weRefuseArgument,
  withoutModified,
} from '../traits.js';
import type { Tree } from '../tree.js';
import { isArray, isDocument, isObject, wrapperOf } from '../tree.js';
import { keysOfArrays, parallelArrays } from './indexes.js';
import { doublesAndDecimals } from './numbers.js';
import { asPython, pythonKeeps } from './python.js';

const theirText = ({ theirs }: Pair): string => JSON.stringify(theirs);

const withoutNulls = (tree: Tree): Tree =>
  isDocument(tree) ? Object.fromEntries(Object.entries(tree).filter(([, value]) => value !== null)) : tree;

const withoutZone = (tree: Tree): Tree => (typeof tree === 'string' ? tree.replace(/(\d)Z$/, '$1') : tree);

const isOddNumber = (tree: Tree): boolean =>
  (typeof tree === 'number' && tree !== 0 && tree !== 1) || (wrapperOf(tree)?.startsWith('$number') ?? false);

/** Constants are computed before any document is read. */
const weRefuseConstant = ({ ours, theirs }: Pair): boolean =>
  theirs.kind === 'done' && ours.kind === 'refused' && ours.message.startsWith('Failed to optimize pipeline');

const givesNull = ({ ours }: Pair): boolean => JSON.stringify(ours).includes('null');

const anyNumberBeyond = (tree: Tree): boolean =>
  has(tree, value => {
    if (!isObject(value)) return false;
    const [text] = Object.values(value);
    return wrapperOf(value)?.startsWith('$number') === true && !(Math.abs(Number(text)) < 2 ** 63);
  });

const everythingOf = ({ documents, foreign, operation }: Pair): Tree => [documents, foreign, operation.command];

/** What it does otherwise than MongoDB's documentation says. */
export const secantusdbRules: readonly Rule[] = [
  parallelArrays,
  keysOfArrays,
  {
    name: 'crash',
    reason: 'says "internal server error": Python cannot hold the date, order the values or round the number',
    holds: ({ theirs }) =>
      theirs.kind === 'refused' && theirs.code === 1 && theirs.message.includes('internal server error'),
  },
  {
    name: 'int32 for int64',
    reason: '$isoWeekYear and includeArrayIndex give an int64, and $bit the wider of its two types; it gives an int32',
    holds: pair =>
      bothDo(pair) &&
      (uses(pair, '$isoWeekYear', '$bit') || has(pair.operation.command, (_, name) => name === 'includeArrayIndex')) &&
      equalBut(pair, narrowInteger),
  },
  {
    name: 'the index in a document',
    reason: 'includeArrayIndex may be a path; it makes a field with dots in its name',
    holds: pair =>
      bothDo(pair) &&
      has(
        pair.operation.command,
        (value, name) => name === 'includeArrayIndex' && typeof value === 'string' && value.includes('.'),
      ),
  },
  {
    name: 'a date of a year',
    reason: '$toDate takes the int64 of $isoWeekYear; its int32 it refuses',
    holds: pair => uses(pair, '$isoWeekYear') && theyRefuse(pair, 241, /from int to date/),
  },
  {
    name: '$bit type',
    reason: '$bit with an int64 that changes no bit makes an int64 of an int32, and modifies; it does not',
    holds: pair => bothDo(pair) && uses(pair, '$bit') && equalBut(pair, tree => withoutModified(narrowInteger(tree))),
  },
  {
    name: 'parallel arrays',
    reason: 'a sort through two arrays is refused, also if one of them is empty',
    holds: pair => weRefuse(pair, 2, /cannot sort with keys that are parallel arrays/),
  },
  {
    name: 'sort through arrays',
    reason: 'an element of an array that lacks the field sorts as null; it passes over such elements',
    holds: pair =>
      (bothDo(pair) || 'findAndModify' in pair.operation.command) &&
      sortedPaths(pair.operation.command).some(path => crossesArray(pair, path)),
  },
  {
    name: 'accumulators of constants',
    reason: 'folds the argument of an accumulator together with the accumulator, which is no expression',
    holds: pair =>
      theyRefuse(pair, 168, /Unrecognized expression|Unsupported/) ||
      theyRefuse(pair, 5788200, /Failed to optimize/) ||
      theyRefuse(pair, 28689, /Failed to optimize/),
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
      bothDo(pair) && uses(pair, '$dateToString') && has(pair.operation.command, (_, name) => name === 'onNull'),
  },
  {
    name: 'array updates of what is not there',
    reason: '$[] and $[id] need the array; it does nothing where the path does not exist',
    holds: pair =>
      weRefuse(
        pair,
        2,
        /must exist in the document in order to apply array updates|Cannot apply array updates to non-array/,
      ),
  },
  {
    name: 'the position without a match',
    reason:
      '$ in an update or projection needs an array element that the query matched; it does nothing, or takes another one',
    holds: pair => weRefuse(pair, 2, /positional operator did not find the match/) || weRefuse(pair, 51246),
  },
  {
    name: 'the position of a match',
    reason: 'every condition that an element of an array meets sets the position; it knows few that do',
    holds: pair => theyRefuse(pair, 2, /positional operator did not find the match/),
  },
  {
    name: '$or in $elemMatch',
    reason: '$elemMatch holds a filter, which can begin with $or',
    holds: pair => uses(pair, '$elemMatch') && theyRefuse(pair, 2, /unknown operator: \$or/),
  },
  {
    name: 'equality of Python',
    reason: 'takes false for 0 and true for 1, and a Decimal128 for different from any other number',
    holds: pair =>
      bothDo(pair) &&
      ('distinct' in pair.operation.command ||
        uses(pair, '$addToSet', '$pull', '$pullAll', '$setUnion', '$setIntersection')) &&
      has(everythingOf(pair), value => typeof value === 'boolean' || wrapperOf(value) === '$numberDecimal') &&
      (equalBut(pair, asPython) || pythonKeeps(pair)),
  },
  {
    name: 'missing as null',
    reason: '$first, $last and $arrayElemAt without an element give a missing value, and not null',
    holds: pair =>
      uses(pair, '$first', '$last', '$arrayElemAt', '$shift', '$getField') &&
      ((bothDo(pair) && equalBut(pair, withoutNulls)) || weRefuse(pair, 40392)),
  },
  {
    name: 'missing as an object',
    reason: 'what $arrayElemAt, $first, $last or $getField did not find is read as an object',
    holds: ({ theirs, ...rest }) =>
      theirs.kind === 'refused' &&
      /\bobject\b/.test(theirs.message) &&
      uses(rest, '$arrayElemAt', '$first', '$last', '$getField', '$let', '$cond', '$switch', '$ifNull'),
  },
  {
    name: '$sortArray by fields of what is no document',
    reason: 'elements that are no documents have no fields, are equal, and stay in their order',
    holds: pair =>
      bothDo(pair) &&
      has(pair.operation.command, (value, name) => name === 'sortBy' && isDocument(value)) &&
      uses(pair, '$sortArray'),
  },
  {
    name: 'the n of nothing',
    reason: 'n is looked at first, also for an empty array',
    holds: pair => weRefuse(pair, 5787903) || weRefuse(pair, 5787902) || weRefuse(pair, 5787908),
  },
  {
    name: '$zip of nothing',
    reason: 'an input that is null or missing makes the result null',
    holds: pair => uses(pair, '$zip') && theyRefuse(pair, 34468),
  },
  {
    name: '$count of nothing',
    reason: '$count gives no document if none reaches it',
    holds: pair =>
      uses(pair, '$count') &&
      pair.ours.kind === 'done' &&
      /^\[(?:\]|\{"[xy]":\[)/.test(JSON.stringify(pair.ours.result)),
  },
  {
    name: '$mod of what is no int64',
    reason: 'a number beyond the int64 has no remainder, and an element that is an array none either',
    holds: pair => uses(pair, '$mod') && (anyNumberBeyond(everythingOf(pair)) || uses(pair, '$elemMatch')),
  },
  {
    name: 'positions that are not there',
    reason: 'below an array, a path that ends in no element has no value at all; it reads null',
    holds: pair => pair.theirs.kind === 'done' && has(pair.operation.command, (_, name) => /\.\d/.test(name ?? '')),
  },
  {
    name: 'what $all compares',
    reason: 'in $all an array is equal to the whole field, null to what is missing, and an expression to itself',
    holds: pair =>
      pair.theirs.kind === 'done' &&
      has(
        pair.operation.command,
        (value, name) =>
          name === '$all' &&
          isArray(value) &&
          value.some(item => isArray(item) || item === null || wrapperOf(item) === '$regularExpression'),
      ),
  },
  {
    name: 'shares of $bucketAuto',
    reason: 'a bucket takes the rounded share of the documents; it gives the rest to the first ones',
    holds: pair => bothDo(pair) && uses(pair, '$bucketAuto'),
  },
  {
    name: 'arguments unread',
    reason:
      'arguments are refused, and constants computed, whatever the documents; it reads them when it comes to them',
    holds: pair => weRefuseArgument(pair) || weRefuseConstant(pair),
  },
  {
    name: 'the order of new fields',
    reason: 'the _id that an upsert makes stands first',
    holds: pair => bothDo(pair) && isUpsert(pair) && equalBut(pair, sortedFields),
  },
  {
    name: 'years before 1000',
    reason: 'years have four digits',
    holds: pair => /"1-0\d-\d\dT/.test(theirText(pair)),
  },
  {
    name: 'nothing at the end',
    reason: '$indexOfCP looks from the start before the end of the string: the empty string is not found at its end',
    holds: pair => bothDo(pair) && uses(pair, '$indexOfCP'),
  },
  {
    name: 'fields in what is no document',
    reason: 'an element of $[] that is no document cannot get a field',
    holds: pair => weRefuse(pair, 28),
  },
  {
    name: 'a number as a constant',
    reason: 'in $project every number but nought includes the field; it takes those other than 1 for values',
    holds: pair =>
      bothDo(pair) &&
      has(
        pair.operation.command,
        (value, name) => name === '$project' && isDocument(value) && Object.values(value).some(isOddNumber),
      ),
  },
  {
    name: '$fill of nothing',
    reason: 'locf and linear give null where there is nothing to go by, a value that is missing stays missing',
    holds: pair => bothDo(pair) && uses(pair, '$fill') && equalBut(pair, withoutNulls),
  },
  {
    name: 'repeated values in $fill',
    reason: 'linear needs a sort field without repetitions',
    holds: pair => weRefuse(pair, 6050106),
  },
  {
    name: 'values that nobody needs',
    reason: '$first and $last of a group, bucket or window evaluate the one document that counts',
    holds: pair =>
      uses(pair, '$first', '$last') &&
      uses(pair, '$group', '$bucket', '$bucketAuto', '$setWindowFields') &&
      pair.ours.kind === 'done' &&
      pair.theirs.kind === 'refused',
  },
  {
    name: 'types of $fill and of partitions',
    reason: 'linear refuses what is no number, and an array is no partition; it passes them over',
    holds: pair =>
      weRefuse(
        pair,
        14,
        /Value to be filled must be numeric|Value of the sortBy field must be numeric|An expression used to partition cannot evaluate to value of type array/,
      ),
  },
  {
    name: '$densify and what lacks the field',
    reason: 'documents without the field are passed on as they are, partitions without documents are none',
    holds: pair => bothDo(pair) && uses(pair, '$densify'),
  },
  {
    name: '$densify of dates without a unit',
    reason: 'a date among what is made denser needs a step with a unit; it passes the date over',
    holds: pair => weRefuse(pair, 6053600),
  },
  {
    name: 'timestamps as dates',
    reason: 'a timestamp or an ObjectId stands for its date wherever a date is read',
    holds: pair => theyRefuse(pair, 14, /must be a datetime/),
  },
  {
    name: 'whole amounts of time',
    reason: '$dateAdd and $dateSubtract take a double or a decimal that is a whole number',
    holds: pair => theyRefuse(pair, 5166405),
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
    name: '$graphLookup of nothing',
    reason: 'a start that is missing finds nothing; it finds null',
    holds: pair => bothDo(pair) && uses(pair, '$graphLookup'),
  },
  {
    name: '$linearFill of decimals',
    reason: 'a decimal is a number as others are',
    holds: pair => theyRefuse(pair, 14, /\$linearFill requires numeric/),
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
        '$add',
        '$multiply',
        '$setUnion',
        '$setIntersection',
        '$bitAnd',
        '$bitOr',
        '$bitXor',
        '$concat',
        '$concatArrays',
        '$dateAdd',
        '$dateSubtract',
      ) &&
      pair.theirs.kind === 'refused' &&
      givesNull(pair),
  },
  {
    name: 'the position of an array in an array',
    reason: 'to $elemMatch an element that is an array is a value of its own, whose elements are not looked at',
    holds: pair =>
      uses(pair, '$elemMatch') &&
      has(pair.operation.command, (_, name) => name?.includes('.$') === true) &&
      has([pair.documents], value => isArray(value) && value.some(isArray)),
  },
  {
    name: 'an array as _id',
    reason: 'an _id is no array, also where the query of an upsert says so',
    holds: pair => weRefuse(pair, 53, /cannot be of type array/),
  },
  {
    name: 'symbols in collations',
    reason: 'by a collation, symbols and punctuation stand before digits, and these before letters',
    holds: pair =>
      bothDo(pair) &&
      has(pair.operation.command, (_, name) => name === 'collation') &&
      has([pair.documents, pair.operation.command], value => typeof value === 'string' && /[^A-Za-z0-9]/.test(value)),
  },
  {
    name: 'ranges of decimals',
    reason: 'a decimal is a number, and windows may be ranges of such',
    holds: pair => theyRefuse(pair, 14, /range windows require numeric/),
  },
  {
    name: 'a sum of null and a string',
    reason:
      'operands of sums, products and bits are looked at in their order; it looks for a null among all of them first',
    holds: pair =>
      uses(pair, '$add', '$multiply', '$bitAnd', '$bitOr', '$bitXor') &&
      weRefuse(pair, 14, /only supports? (?:numeric|int and long)/),
  },
  doublesAndDecimals,
  {
    name: 'the end of $regexFindAll',
    reason: 'it looks for matches while something is left: the empty match at the end of the string is none',
    holds: pair => bothDo(pair) && uses(pair, '$regexFindAll'),
  },
  {
    name: 'arrays in $elemMatch',
    reason: '$elemMatch of a filter reads an element that is an array as a document',
    holds: pair =>
      bothDo(pair) && uses(pair, '$elemMatch') && has([pair.documents], value => isArray(value) && value.some(isArray)),
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
    name: 'the index of nothing',
    reason: '$arrayElemAt of what is missing is null, whatever the index',
    holds: pair => theyRefuse(pair, 28691) || theyRefuse(pair, 28690),
  },
  {
    name: 'nothing minus something',
    reason: '$setDifference is null if one of its operands is, whatever the other',
    holds: pair => theyRefuse(pair, 17048),
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
  {
    name: 'the query of a replacing upsert',
    reason: 'a replacement takes nothing but the _id from the query',
    holds: pair => theyRefuse(pair, 54),
  },
  {
    name: 'decimals of doubles',
    reason: 'a double becomes a decimal of 15 digits',
    holds: pair =>
      bothDo(pair) &&
      has(pair.ours.kind === 'done' ? pair.ours.result : null, value => wrapperOf(value) === '$numberDecimal') &&
      equalBut(pair, untypedNumber),
  },
];
