import { silence } from '../outcome.js';
import { crossesArray } from '../paths.js';
import type { Rule } from '../rule.js';
import {
  bothDo,
  equalBut,
  fieldsRead,
  filtersOf,
  has,
  hasNestedArray,
  isUpsert,
  sortedFields,
  theyRefuse,
  untypedNumber,
  uses,
  weRefuse,
  weRefuseArgument,
  withoutModified,
} from '../traits.js';
import type { Fields } from '../tree.js';
import { isArray, isDocument, typeOf } from '../tree.js';
import { firstByIndex, hintedIndexes, keysOfArrays, parallelArrays } from './indexes.js';
import { doublesAndDecimals } from './numbers.js';
import {
  arrayFiltersOf,
  distinctNumbers,
  filters,
  filtersArrays,
  groupsByArrays,
  hasOperatorsBelow,
  includedPaths,
  isGreat,
  isNoInt32,
  listed,
  nearly,
  positional,
  projects,
  reaches,
  sortsArrays,
  withoutNullElements,
  withoutNulls,
  withoutUpserted,
} from './mongo-java-server-traits.js';

/** What it does otherwise than MongoDB's documentation says. */
export const mongoJavaServerRules: readonly Rule[] = [
  parallelArrays,
  keysOfArrays,
  hintedIndexes,
  firstByIndex,
  {
    name: 'crash',
    reason: 'closes the connection, or says that it failed: an exception that nobody caught',
    holds: ({ theirs }) =>
      theirs.kind === 'refused' &&
      (theirs.code === silence || /Unknown error|Exception|cannot be cast/.test(theirs.message)),
  },
  {
    name: 'arguments unread',
    reason: 'arguments are refused whatever the documents; it reads them when it comes to them',
    holds: weRefuseArgument,
  },
  {
    name: 'aliases of types',
    reason: 'the aliases of types that it does not have are known to MongoDB',
    holds: pair => theyRefuse(pair, 2, /Unknown type name alias|Invalid numerical type code/),
  },
  {
    name: 'parallel arrays',
    reason: 'a sort through two arrays is refused',
    holds: pair => weRefuse(pair, 2, /cannot sort with keys that are parallel arrays/) || weRefuse(pair, 16746),
  },
  {
    name: 'sort by arrays',
    reason:
      'an array sorts by its least or greatest element, an empty one before null, an element without the field as null',
    holds: pair => (bothDo(pair) || 'findAndModify' in pair.operation.command) && sortsArrays(pair),
  },
  {
    name: 'the query of an upsert',
    reason: 'an $in of one value gives a field to the new document',
    holds: pair => pair.theirs.kind === 'done' && isUpsert(pair) && uses(pair, '$in', '$and', '$or', '$eq', '$all'),
  },
  {
    name: 'an empty document',
    reason: '{} is a document without fields, and equal to such a one only; it matches everything',
    holds: pair =>
      filters(pair, (value, name) => name !== undefined && isDocument(value) && Object.keys(value).length === 0),
  },
  {
    name: 'fields of a replacement',
    reason: 'a replacement puts its fields in its own order',
    holds: pair => bothDo(pair) && equalBut(pair, sortedFields),
  },
  {
    name: 'updatedExisting',
    reason: 'a findAndModify that finds nothing says updatedExisting: false, and which document it made',
    holds: pair =>
      bothDo(pair) &&
      'findAndModify' in pair.operation.command &&
      equalBut(pair, tree => withoutUpserted(withoutNulls(tree))),
  },
  {
    name: 'the position of $all',
    reason: 'the last condition that an element meets sets the position',
    holds: pair => uses(pair, '$all') && positional(pair) && filtersArrays(pair),
  },
  {
    name: 'counts of modified documents',
    reason: 'an element changed in type or value is a change',
    holds: pair => bothDo(pair) && equalBut(pair, withoutModified),
  },
  {
    name: '$pop of what is no array',
    reason: '$pop refuses what is no array',
    holds: pair => uses(pair, '$pop') && weRefuse(pair, 14),
  },
  {
    name: 'fields in what is no document',
    reason: 'a field in a scalar or in null cannot be created',
    holds: pair => weRefuse(pair, 28),
  },
  {
    name: 'types of operands',
    reason: 'operands of other types are refused; it gives null or false',
    holds: pair => weRefuse(pair, 17044),
  },
  {
    name: 'arrays as keys',
    reason: 'an array is a key of its own; it takes its only element instead',
    holds: pair => bothDo(pair) && groupsByArrays(pair),
  },
  {
    name: 'comparisons with arrays',
    reason: 'an array in a query is compared with the whole field and with its elements, by the order of arrays',
    holds: pair => filters(pair, (value, name) => name !== undefined && !listed.has(name) && isArray(value)),
  },
  {
    name: '$slice alone',
    reason: 'a $slice alone keeps all other fields',
    holds: pair => bothDo(pair) && projects(pair, '$slice'),
  },
  {
    name: '$elemMatch of values in projections',
    reason: '$elemMatch gives the first element that meets it, also of values; it gives documents only',
    holds: pair => bothDo(pair) && projects(pair, '$elemMatch'),
  },
  {
    name: 'great numbers',
    reason: 'numbers beyond 2^53 are compared as the types that they have; it takes several for equal',
    holds: pair => bothDo(pair) && has([...fieldsRead(pair), pair.operation.command], isGreat),
  },
  {
    name: 'null in gathered arrays',
    reason: '$push and $addToSet of a group gather null as any value',
    holds: pair =>
      bothDo(pair) &&
      uses(pair, '$group', '$bucket') &&
      (equalBut(pair, withoutNullElements) || (uses(pair, '$unwind') && uses(pair, '$addToSet', '$push'))),
  },
  {
    name: 'arrays in $min and $max',
    reason:
      'an array among several operands is a value, greater than numbers; of one operand the path through an array gives an array of arrays',
    holds: pair =>
      bothDo(pair) &&
      uses(pair, '$min', '$max') &&
      has([...fieldsRead(pair), pair.operation.command['pipeline'] ?? null], isArray),
  },
  {
    name: 'equal numbers of several types',
    reason: '$addToSet, $pull and $pullAll take equal numbers for equal, whatever their types, and keep the first',
    holds: pair =>
      bothDo(pair) &&
      uses(pair, '$addToSet') &&
      equalBut(pair, tree => distinctNumbers(uses(pair, '$group', '$bucket') ? withoutNullElements(tree) : tree)),
  },
  {
    name: '$pullAll of documents',
    reason: '$pullAll takes away what is equal to the document; it takes away what has not its fields',
    holds: pair =>
      bothDo(pair) && has(pair.operation.command, (value, name) => name === '$pullAll' && has(value, isDocument)),
  },
  {
    name: 'array updates of what is no array',
    reason: '$[] needs an array; it passes over what is none',
    holds: pair => weRefuse(pair, 2, /Cannot apply array updates to non-array/),
  },
  {
    name: 'null in projections',
    reason: 'null is a value as any literal, and stands beside inclusions',
    holds: pair => theyRefuse(pair, 31253) && has(pair.operation.command['projection'] ?? {}, value => value === null),
  },
  {
    name: 'literals in projections',
    reason: 'null and a date are values as any literal, which the field is to have; it leaves the field out',
    holds: pair =>
      bothDo(pair) &&
      Object.values((pair.operation.command['projection'] ?? {}) as Fields).some(
        value => value === null || typeOf(value) === 'date',
      ),
  },
  {
    name: 'the least and the greatest key',
    reason:
      'what is neither the least nor the greatest key lies between them, also an array that has one for an element',
    holds: pair =>
      bothDo(pair) &&
      filtersArrays(pair) &&
      filters(
        pair,
        (value, name) => /^\$[gl]te?$/.test(name ?? '') && (typeOf(value) === 'minKey' || typeOf(value) === 'maxKey'),
      ),
  },
  {
    name: 'positions in distinct',
    reason: 'a number in the path of distinct is a position where it meets an array, and no name in its elements',
    holds: pair => {
      const { key } = pair.operation.command;
      return bothDo(pair) && typeof key === 'string' && /\.\d/.test(key) && crossesArray(pair, key);
    },
  },
  {
    name: '$pull of arrays in arrays',
    reason: 'a condition of $pull is met by one of the elements of an element that is an array, and a negation by none',
    holds: pair => bothDo(pair) && uses(pair, '$pull') && hasNestedArray(fieldsRead(pair)),
  },
  {
    name: 'types of expressions',
    reason: 'regular expressions have a type of their own',
    holds: pair =>
      bothDo(pair) && uses(pair, '$type') && has(fieldsRead(pair), value => typeOf(value) === 'regularExpression'),
  },
  {
    name: 'updates of what is no array',
    reason: '$pull, $pullAll and $addToSet refuse what is no array; it looks at no null',
    holds: pair => uses(pair, '$pull', '$pullAll', '$addToSet') && weRefuse(pair, 2, /non-array/),
  },
  {
    name: 'the order of arrays',
    reason: 'arrays are ordered element by element',
    holds: pair =>
      bothDo(pair) &&
      uses(pair, '$min', '$max', '$sort', '$in') &&
      (hasNestedArray([...fieldsRead(pair), pair.operation.command]) ||
        has(pair.operation.command, (value, name) => (name === '$min' || name === '$max') && has(value, isArray))),
  },
  {
    name: 'scalars in $elemMatch of a filter',
    reason: '$elemMatch of a filter asks for an element that is a document or an array',
    holds: pair => bothDo(pair) && uses(pair, '$elemMatch') && uses(pair, '$exists', '$ne', '$nin', '$not', '$nor'),
  },
  {
    name: 'arrays in lists',
    reason: 'an array in $in or $nin is compared with the whole field and with its elements',
    holds: pair =>
      pair.theirs.kind === 'done' &&
      filters(pair, (value, name) => (name === '$in' || name === '$nin') && isArray(value) && value.some(isArray)),
  },
  {
    name: 'expressions and numbers',
    reason: 'a regular expression matches strings only',
    holds: pair =>
      pair.ours.kind === 'done' &&
      [filtersOf(pair.operation.command), arrayFiltersOf(pair)].some(tree =>
        has(tree, (value, name) => name === '$regex' || typeOf(value) === 'regularExpression'),
      ),
  },
  {
    name: 'operators in a document',
    reason: 'below a document that a field is to be equal to there are no operators',
    holds: pair =>
      bothDo(pair) &&
      filters(
        pair,
        value =>
          isDocument(value) &&
          Object.keys(value)[0]?.startsWith('$') === false &&
          Object.values(value).some(hasOperatorsBelow),
      ),
  },
  {
    name: 'comparisons with null',
    reason: 'null is compared with what is missing too',
    holds: pair =>
      (pair.ours.kind === 'done' || pair.theirs.kind === 'done') &&
      filters(pair, (value, name) => value === null || (name === '$all' && isArray(value))),
  },
  {
    name: 'the position of $elemMatch',
    reason: 'an $elemMatch sets the position, also of a filter',
    holds: pair => theyRefuse(pair, 2, /positional operator did not find the match/) && uses(pair, '$elemMatch'),
  },
  {
    name: 'the position of a negation',
    reason: '$not sets no position',
    holds: pair => weRefuse(pair, 2, /positional operator did not find the match/) || weRefuse(pair, 51246),
  },
  {
    name: 'the first of equal values',
    reason: 'of equal numbers of several types, distinct gives the one that it meets first',
    holds: pair => bothDo(pair) && 'distinct' in pair.operation.command && equalBut(pair, untypedNumber),
  },
  {
    name: '$mod beyond int32',
    reason:
      'numbers beyond the int32 have their own remainder, those beyond the int64 have none, and fractions are cut off',
    holds: pair => uses(pair, '$mod') && has([...fieldsRead(pair), pair.operation.command], isNoInt32),
  },
  {
    name: '$lookup of arrays',
    reason: 'an array is joined by its elements, an empty one as null; it joins arrays in arrays and no empty ones',
    holds: pair =>
      bothDo(pair) &&
      has(
        pair.operation.command,
        (value, name) => (name === 'localField' || name === 'foreignField') && reaches(pair, `$${value as string}`),
      ),
  },
  {
    name: 'expressions in $not',
    reason: '$not of an expression matches all that the expression does not',
    holds: pair =>
      bothDo(pair) &&
      filters(pair, (value, name) => name === '$not' && has(value, item => typeOf(item) === 'regularExpression')),
  },
  {
    name: 'elements that are no documents',
    reason: 'elements that are no documents cannot get a field; what a query finds sets the position first',
    holds: pair => theyRefuse(pair, 28),
  },
  {
    name: 'types of equal numbers',
    reason:
      'a double becomes a decimal of 15 digits, and a field that is set to an equal number of another type has that type',
    holds: pair => bothDo(pair) && equalBut(pair, tree => sortedFields(untypedNumber(withoutModified(tree)))),
  },
  {
    name: 'overflow',
    reason: '$inc and $mul refuse what does not fit into an int64',
    holds: pair => weRefuse(pair, 2, /Failed to apply \$(?:inc|mul) operations/),
  },
  {
    name: 'operators in a literal',
    reason: 'what stands in $literal is a value, whatever it looks like',
    holds: pair =>
      bothDo(pair) &&
      has(
        pair.operation.command,
        (value, name) =>
          name === '$literal' &&
          (projects(pair, '$literal') ||
            has(
              value,
              (inner, key) => key?.startsWith('$') === true || (typeof inner === 'string' && inner.startsWith('$')),
            )),
      ),
  },
  {
    name: 'strings like paths',
    reason: 'a string in a document is a value, also if it begins with a dollar',
    holds: pair =>
      bothDo(pair) &&
      'aggregate' in pair.operation.command &&
      has(fieldsRead(pair), value => typeof value === 'string' && value.startsWith('$')),
  },
  {
    name: 'array filters of arrays',
    reason:
      'a condition of an array filter on an element that is an array is met by one of its elements, as in queries',
    holds: pair =>
      pair.ours.kind === 'done' &&
      has(pair.operation.command, (_, name) => name === 'arrayFilters') &&
      hasNestedArray(fieldsRead(pair)),
  },
  {
    name: 'arithmetic on null',
    reason: '$inc and $mul refuse null',
    holds: pair => uses(pair, '$inc', '$mul') && weRefuse(pair, 14, /non-numeric type/),
  },
  {
    name: 'arrays in arrays below a path',
    reason: 'an inclusion keeps arrays in arrays as they are',
    holds: pair => bothDo(pair) && includedPaths(pair).some(path => crossesArray(pair, path)),
  },
  doublesAndDecimals,
  {
    name: 'sums of integers',
    reason: 'a sum of integers is exact, and so is what $avg divides',
    holds: pair => bothDo(pair) && uses(pair, '$avg', '$sum') && equalBut(pair, nearly),
  },
  {
    name: 'several conditions of one path',
    reason: 'each of them may be met by another element of an array',
    holds: pair =>
      bothDo(pair) &&
      filters(pair, value => isDocument(value) && Object.keys(value).filter(name => name.startsWith('$')).length > 1),
  },
  {
    name: 'inclusions in documents',
    reason: 'a document of inclusions in $project makes no field',
    holds: pair =>
      bothDo(pair) &&
      has(
        pair.operation.command,
        (value, name) =>
          name === '$project' &&
          isDocument(value) &&
          Object.values(value).some(part => isDocument(part) && Object.keys(part)[0]?.startsWith('$') === false),
      ),
  },
  {
    name: 'not implemented',
    reason: 'does not know the operator, the stage or the argument',
    holds: ({ theirs }) =>
      theirs.kind === 'refused' &&
      /Unrecognized expression|[Uu]nknown operator|unknown top level operator|Unrecognized pipeline stage|unknown group operator|unknown argument|not yet implemented|Unsupported/.test(
        theirs.message,
      ),
  },
];
