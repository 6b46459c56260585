import type { Rule } from '../rule.js';
import { has, isArray, isDocument, wrapperOf } from '../tree.js';
import {
  bothDo,
  endsWith,
  equalBut,
  everythingOf,
  fieldsRead,
  hasNestedArray,
  lacks,
  narrowInteger,
  specsOf,
  theirText,
  theyRefuse,
  uses,
  weRefuse,
  withoutField,
  withoutMade,
  withoutNulls,
} from './traits.js';

/** What its stages do otherwise than MongoDB's documentation says. */
export const stageRules: readonly Rule[] = [
  {
    name: 'the index in a document',
    reason: 'includeArrayIndex may be a path; it makes a field with dots in its name',
    holds: pair =>
      bothDo(pair) &&
      has(
        pair.operation.command,
        (value, name) =>
          name === 'includeArrayIndex' &&
          typeof value === 'string' &&
          value.includes('.') &&
          theirText(pair).includes(JSON.stringify(value)),
      ),
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
    name: '$count of nothing',
    reason: '$count gives no document if none reaches it',
    holds: pair =>
      uses(pair, '$count') &&
      pair.ours.kind === 'done' &&
      /^\[(?:\]|\{"[xy]":\[)/.test(JSON.stringify(pair.ours.result)),
  },
  {
    name: 'shares of $bucketAuto',
    reason: 'a bucket takes the rounded share of the documents; it gives the rest to the first ones',
    holds: pair => bothDo(pair) && uses(pair, '$bucketAuto'),
  },
  {
    name: '$fill of nothing',
    reason: 'locf and linear give null where there is nothing to go by, a value that is missing stays missing',
    holds: pair => bothDo(pair) && uses(pair, '$fill') && equalBut(pair, tree => withoutNulls(narrowInteger(tree))),
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
      uses(pair, '$first $last') &&
      uses(pair, '$group $bucket $bucketAuto $setWindowFields') &&
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
    name: 'types of $densify',
    reason: 'what is made after a document has the type of its value; it goes on with the type of the bounds',
    holds: pair => bothDo(pair) && uses(pair, '$densify') && equalBut(pair, narrowInteger),
  },
  {
    name: 'partitions of fields',
    reason: 'documents without a field of the partition are a partition of their own, and not that of null',
    holds: pair =>
      bothDo(pair) &&
      [...specsOf(pair, '$densify'), ...specsOf(pair, '$fill')].some(
        ({ partitionByFields: fields }) => isArray(fields) && fields.some(field => lacks(pair, field)),
      ),
  },
  {
    name: '$densify of dates without a unit',
    reason: 'a date among what is made denser needs a step with a unit; it passes the date over',
    holds: pair => weRefuse(pair, 6053600),
  },
  {
    name: '$lookup from an array in an array',
    reason: 'an element that is an array is joined with an equal array',
    holds: pair =>
      bothDo(pair) &&
      specsOf(pair, '$lookup').some(
        ({ localField, as }) =>
          typeof localField === 'string' &&
          typeof as === 'string' &&
          hasNestedArray(pair.documents.map(document => ({ local: document[localField] ?? null }))) &&
          equalBut(pair, tree => withoutField(tree, as)),
      ),
  },
  {
    name: '$topN of arrays',
    reason: 'an empty array stands before null',
    holds: pair =>
      bothDo(pair) &&
      uses(pair, '$topN $bottomN $top $bottom') &&
      has(fieldsRead(pair), value => isArray(value) && value.length === 0),
  },
  {
    name: 'explicit bounds without documents',
    reason: 'explicit bounds are filled also where no document has the field',
    holds: pair =>
      bothDo(pair) &&
      specsOf(pair, '$densify').some(
        ({ field, range }) =>
          typeof field === 'string' &&
          isDocument(range) &&
          isArray(range['bounds']) &&
          (equalBut(pair, tree => withoutMade(tree, field)) || !endsWith(pair, '$densify')),
      ),
  },
  {
    name: 'what Python takes for equal',
    reason: 'a decimal is equal to other numbers, and false is not 0; to Python it is the other way round',
    holds: pair =>
      bothDo(pair) &&
      uses(
        pair,
        '$graphLookup $indexOfArray $pull $pullAll $setUnion $setIntersection $setIsSubset $setEquals $rank $denseRank $densify',
      ) &&
      has(everythingOf(pair), value => typeof value === 'boolean' || wrapperOf(value) === '$numberDecimal'),
  },
  {
    name: 'restrictSearchWithMatch',
    reason: 'a condition of $graphLookup is a filter of what it goes through; it takes no notice of it',
    holds: pair =>
      bothDo(pair) && specsOf(pair, '$graphLookup').some(({ restrictSearchWithMatch: match }) => match !== undefined),
  },
  {
    name: '$graphLookup of nothing',
    reason: 'a start that is missing finds nothing; it finds null',
    holds: pair =>
      bothDo(pair) &&
      specsOf(pair, '$graphLookup').some(({ startWith }) =>
        lacks(pair, typeof startWith === 'string' ? startWith.slice(1) : undefined),
      ),
  },
  {
    name: '$graphLookup from an array in an array',
    reason: 'each element of the start is looked for as it is, also one that is an array; it looks for what is in that',
    holds: pair =>
      bothDo(pair) &&
      specsOf(pair, '$graphLookup').some(
        ({ startWith, as }) =>
          typeof startWith === 'string' &&
          typeof as === 'string' &&
          hasNestedArray(pair.documents.map(document => ({ start: document[startWith.slice(1)] ?? null }))) &&
          equalBut(pair, tree => withoutField(tree, as)),
      ),
  },
  {
    name: '$linearFill of decimals',
    reason: 'a decimal is a number as others are',
    holds: pair => theyRefuse(pair, 14, /\$linearFill requires numeric/),
  },
  {
    name: 'ranges of decimals',
    reason: 'a decimal is a number, and windows may be ranges of such',
    holds: pair => theyRefuse(pair, 14, /range windows require numeric/),
  },
];
