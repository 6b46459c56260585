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

/** What its queries and updates do otherwise than MongoDB's documentation says. */
export const queryRules: readonly Rule[] = [
  {
    name: 'an index through parallel arrays',
    reason: 'an index takes no two arrays of a document, also if one of them is empty',
    holds: pair => weRefuse(pair, 171, /cannot index parallel arrays/),
  },
  {
    name: 'keys of arrays in unique indexes',
    reason: 'an empty array is indexed as undefined, and an element that cannot have the field as null',
    holds: pair =>
      pair.operation.index?.['unique'] === true &&
      (weRefuse(pair, 11000) || theyRefuse(pair, 11000)) &&
      Object.keys(pair.operation.index['key'] as Fields).some(path => hasArrayOn(pair, path)),
  },
  {
    name: '$bit type',
    reason: '$bit with an int64 that changes no bit makes an int64 of an int32, and modifies; it does not',
    holds: pair =>
      bothDo(pair) && uses(pair, '$bit') && equalBut(pair, tree => withoutModified(narrowInteger(sortedFields(tree)))),
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
      sortedPaths(pair.operation.command).some(path => crossesArray(pair, path) && lacksInArray(pair, path)),
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
    name: 'positions that are not there',
    reason: 'below an array, a path that ends in no element has no value at all; it reads null',
    holds: pair =>
      pair.ours.kind === 'done' && has(pair.operation.command, (_, name) => missesPosition(pair, name ?? '')),
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
    name: '$all through arrays',
    reason: 'the values of $all may be met in several documents of an array',
    holds: pair =>
      bothDo(pair) && uses(pair, '$all') && has(pair.operation.command, (_, name) => crossesArray(pair, name ?? '')),
  },
  {
    name: 'the form of an increment',
    reason:
      '$inc of what is missing gives the operand as it is, with the sign of nought and the exponent of a decimal; nought added to either nought changes nothing',
    holds: pair =>
      bothDo(pair) &&
      uses(pair, '$inc') &&
      equalBut(pair, tree => withoutModified(withoutSignOfNought(plainDecimal(tree)))),
  },
  {
    name: 'the order of new fields',
    reason: 'the _id that an upsert makes stands first, and new fields are added in the order of their names',
    holds: pair => bothDo(pair) && hasUpdate(pair) && equalBut(pair, tree => sortedFields(narrowInteger(tree))),
  },
  {
    name: 'comparisons with arrays',
    reason: 'an array is compared with a whole array, and a value beside it with the elements',
    holds: pair =>
      pair.theirs.kind === 'done' &&
      has(pair.operation.command, (value, name) => /^\$[gl]te?$/.test(name ?? '') && isArray(value)),
  },
  {
    name: '$min and $max of the least doubles',
    reason: 'a double next to zero is less than one, and greater than zero; it takes it for no less',
    holds: pair =>
      bothDo(pair) &&
      hasUpdate(pair) &&
      uses(pair, '$min $max') &&
      has(everythingOf(pair), value => isObject(value) && value['$numberDouble'] === '5e-324'),
  },
  {
    name: 'the position of an array in an array',
    reason: 'to $elemMatch an element that is an array is a value of its own, whose elements are not looked at',
    holds: pair =>
      uses(pair, '$elemMatch') &&
      has(pair.operation.command, (_, name) => name?.includes('.$') === true) &&
      hasNestedArray(fieldsRead(pair)),
  },
  {
    name: 'arrays in $elemMatch',
    reason: '$elemMatch of a filter reads an element that is an array as a document',
    holds: pair => bothDo(pair) && uses(pair, '$elemMatch') && hasNestedArray(fieldsRead(pair)),
  },
  {
    name: 'the query of a replacing upsert',
    reason: 'a replacement takes nothing but the _id from the query',
    holds: pair => theyRefuse(pair, 54),
  },
];
