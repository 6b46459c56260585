import { crossesArray, hasArrayOn, lacksInArray, missesPosition, sortedPaths } from '../paths.js';
import type { Rule } from '../rule.js';
import type { Fields } from '../tree.js';
import { has, isArray, isObject, wrapperOf } from '../tree.js';
import {
  bothDo,
  equalBut,
  everythingOf,
  fieldsRead,
  hasNestedArray,
  hasUpdate,
  narrowInteger,
  plainDecimal,
  sortedFields,
  theyRefuse,
  uses,
  weRefuse,
  withoutModified,
  withoutSignOfNought,
} from './traits.js';

/**
 * Known differences of SecantusDB's queries and updates from MongoDB's documentation. In the reasons, "it" is
 * SecantusDB.
 */
export const queryRules: readonly Rule[] = [
  {
    name: 'indexes of parallel arrays',
    reason: 'an index rejects two arrays in one document, even if one of them is empty',
    holds: pair => weRefuse(pair, 171, /cannot index parallel arrays/),
  },
  {
    name: 'array keys in unique indexes',
    reason: 'an empty array is indexed as undefined, and an element that cannot have the field as null',
    holds: pair =>
      pair.operation.index?.['unique'] === true &&
      (weRefuse(pair, 11000) || theyRefuse(pair, 11000)) &&
      Object.keys(pair.operation.index['key'] as Fields).some(path => hasArrayOn(pair, path)),
  },
  {
    name: 'type of $bit',
    reason:
      '$bit with an int64 that changes no bit converts an int32 to an int64, and counts as a modification; it does neither',
    holds: pair =>
      bothDo(pair) && uses(pair, '$bit') && equalBut(pair, tree => withoutModified(narrowInteger(sortedFields(tree)))),
  },
  {
    name: 'parallel arrays',
    reason: 'a sort by two arrays fails, even if one of them is empty',
    holds: pair => weRefuse(pair, 2, /cannot sort with keys that are parallel arrays/),
  },
  {
    name: 'sorts through arrays',
    reason: 'an array element that lacks the field sorts as null; it skips such elements',
    holds: pair =>
      (bothDo(pair) || 'findAndModify' in pair.operation.command) &&
      sortedPaths(pair.operation.command).some(path => crossesArray(pair, path) && lacksInArray(pair, path)),
  },
  {
    name: 'array updates of missing paths',
    reason: '$[] and $[id] need the array; it does nothing if the path does not exist',
    holds: pair =>
      weRefuse(
        pair,
        2,
        /must exist in the document in order to apply array updates|Cannot apply array updates to non-array/,
      ),
  },
  {
    name: 'positional operator without a match',
    reason:
      '$ in an update or projection needs an array element that the query matched; it does nothing, or uses another element',
    holds: pair => weRefuse(pair, 2, /positional operator did not find the match/) || weRefuse(pair, 51246),
  },
  {
    name: 'positional operator with a match',
    reason: 'every condition that matches an array element sets the position; it supports few of them',
    holds: pair => theyRefuse(pair, 2, /positional operator did not find the match/),
  },
  {
    name: '$or in $elemMatch',
    reason: '$elemMatch accepts a filter that begins with $or',
    holds: pair => uses(pair, '$elemMatch') && theyRefuse(pair, 2, /unknown operator: \$or/),
  },
  {
    name: 'missing positions',
    reason: 'below an array, a path that ends in no element has no value; it reads null',
    holds: pair =>
      pair.ours.kind === 'done' && has(pair.operation.command, (_, name) => missesPosition(pair, name ?? '')),
  },
  {
    name: 'comparisons of $all',
    reason:
      'in $all an array equals the whole field, null equals a missing value, and a regular expression equals itself',
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
    name: '$all through arrays',
    reason: 'different documents of an array may match the values of $all',
    holds: pair =>
      bothDo(pair) && uses(pair, '$all') && has(pair.operation.command, (_, name) => crossesArray(pair, name ?? '')),
  },
  {
    name: 'result of $inc',
    reason:
      "$inc of a missing field keeps the operand's sign of zero and decimal exponent; adding zero to zero changes nothing",
    holds: pair =>
      bothDo(pair) &&
      uses(pair, '$inc') &&
      equalBut(pair, tree => withoutModified(withoutSignOfNought(plainDecimal(tree)))),
  },
  {
    name: 'order of new fields',
    reason: 'the _id that an upsert creates comes first, and new fields are added in alphabetical order',
    holds: pair => bothDo(pair) && hasUpdate(pair) && equalBut(pair, tree => sortedFields(narrowInteger(tree))),
  },
  {
    name: 'comparisons with arrays',
    reason: 'an array is compared with whole arrays, and other values with the elements',
    holds: pair =>
      pair.theirs.kind === 'done' &&
      has(pair.operation.command, (value, name) => /^\$[gl]te?$/.test(name ?? '') && isArray(value)),
  },
  {
    name: '$min and $max of the smallest doubles',
    reason: 'the smallest positive double is less than 1 and greater than 0; it does not order it',
    holds: pair =>
      bothDo(pair) &&
      hasUpdate(pair) &&
      uses(pair, '$min $max') &&
      has(everythingOf(pair), value => isObject(value) && value['$numberDouble'] === '5e-324'),
  },
  {
    name: 'positions of arrays in arrays',
    reason: '$elemMatch treats an array element as one value, and does not search its elements',
    holds: pair =>
      uses(pair, '$elemMatch') &&
      has(pair.operation.command, (_, name) => name?.includes('.$') === true) &&
      hasNestedArray(fieldsRead(pair)),
  },
  {
    name: 'arrays in $elemMatch',
    reason: '$elemMatch with a filter reads an array element as a document',
    holds: pair => bothDo(pair) && uses(pair, '$elemMatch') && hasNestedArray(fieldsRead(pair)),
  },
  {
    name: 'queries of replacement upserts',
    reason: 'a replacement takes only the _id from the query',
    holds: pair => theyRefuse(pair, 54),
  },
];
