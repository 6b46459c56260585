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

/** Known differences of SecantusDB's stages from MongoDB's documentation. In the reasons, "it" is SecantusDB. */
export const stageRules: readonly Rule[] = [
  {
    name: 'paths in includeArrayIndex',
    reason: 'includeArrayIndex may be a path; it creates a field with dots in its name',
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
    reason: 'it optimizes the argument of an accumulator together with the accumulator, which is not an expression',
    holds: pair =>
      theyRefuse(pair, 168, /Unrecognized expression|Unsupported/) ||
      theyRefuse(pair, 5788200, /Failed to optimize/) ||
      theyRefuse(pair, 28689, /Failed to optimize/),
  },
  {
    name: '$count without documents',
    reason: '$count returns no document if it receives none',
    holds: pair =>
      uses(pair, '$count') &&
      pair.ours.kind === 'done' &&
      /^\[(?:\]|\{"[xy]":\[)/.test(JSON.stringify(pair.ours.result)),
  },
  {
    name: 'bucket sizes of $bucketAuto',
    reason: 'each bucket gets the rounded share of the documents; it adds the rest to the first buckets',
    holds: pair => bothDo(pair) && uses(pair, '$bucketAuto'),
  },
  {
    name: '$fill without values',
    reason: 'locf and linear return null without a value to use, and a missing value stays missing',
    holds: pair => bothDo(pair) && uses(pair, '$fill') && equalBut(pair, tree => withoutNulls(narrowInteger(tree))),
  },
  {
    name: 'repeated values in $fill',
    reason: 'linear requires a sort field without duplicates',
    holds: pair => weRefuse(pair, 6050106),
  },
  {
    name: 'unused values of $first and $last',
    reason: '$first and $last of a group, bucket or window evaluate only the document that they return',
    holds: pair =>
      uses(pair, '$first $last') &&
      uses(pair, '$group $bucket $bucketAuto $setWindowFields') &&
      pair.ours.kind === 'done' &&
      pair.theirs.kind === 'refused',
  },
  {
    name: 'types in $fill and partitions',
    reason: 'linear rejects values that are not numbers, and a partition rejects arrays; it skips them',
    holds: pair =>
      weRefuse(
        pair,
        14,
        /Value to be filled must be numeric|Value of the sortBy field must be numeric|An expression used to partition cannot evaluate to value of type array/,
      ),
  },
  {
    name: 'types in $densify',
    reason: 'a generated document has the type of the value before it; it uses the type of the bounds',
    holds: pair => bothDo(pair) && uses(pair, '$densify') && equalBut(pair, narrowInteger),
  },
  {
    name: 'partitions of missing fields',
    reason: 'documents without a partition field form their own partition, separate from null',
    holds: pair =>
      bothDo(pair) &&
      [...specsOf(pair, '$densify'), ...specsOf(pair, '$fill')].some(
        ({ partitionByFields: fields }) => isArray(fields) && fields.some(field => lacks(pair, field)),
      ),
  },
  {
    name: 'dates in $densify without a unit',
    reason: '$densify of a date requires a step with a unit; it skips the date',
    holds: pair => weRefuse(pair, 6053600),
  },
  {
    name: '$lookup from nested arrays',
    reason: 'an array element is joined with an equal array',
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
    reason: 'an empty array precedes null',
    holds: pair =>
      bothDo(pair) &&
      uses(pair, '$topN $bottomN $top $bottom') &&
      has(fieldsRead(pair), value => isArray(value) && value.length === 0),
  },
  {
    name: 'explicit bounds in $densify without documents',
    reason: 'explicit bounds are filled even if no document has the field',
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
    name: 'Python equality in stages',
    reason: 'a decimal equals other numbers and false does not equal 0; Python does the opposite',
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
    reason: 'restrictSearchWithMatch filters the documents that $graphLookup visits; it ignores the filter',
    holds: pair =>
      bothDo(pair) && specsOf(pair, '$graphLookup').some(({ restrictSearchWithMatch: match }) => match !== undefined),
  },
  {
    name: '$graphLookup of missing values',
    reason: 'a missing startWith finds nothing; it finds null',
    holds: pair =>
      bothDo(pair) &&
      specsOf(pair, '$graphLookup').some(({ startWith }) =>
        lacks(pair, typeof startWith === 'string' ? startWith.slice(1) : undefined),
      ),
  },
  {
    name: '$graphLookup from nested arrays',
    reason: 'each element of startWith is looked up as it is, even an array; it looks up the elements of that array',
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
    reason: 'a decimal is a number',
    holds: pair => theyRefuse(pair, 14, /\$linearFill requires numeric/),
  },
  {
    name: 'decimals in window ranges',
    reason: 'a decimal is a number and may be used in the range of a window',
    holds: pair => theyRefuse(pair, 14, /range windows require numeric/),
  },
];
