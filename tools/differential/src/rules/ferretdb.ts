import { silence } from '../outcome.js';
import type { Pair, Profile } from '../rule.js';
import { crossesArray, hasArrayOn } from '../paths.js';
import {
  bothDo,
  equalBut,
  fieldsRead,
  filtersOf,
  has,
  isUpsert,
  sortedFields,
  theyRefuse,
  uses,
  weRefuse,
  weRefuseArgument,
  withoutModified,
} from '../traits.js';
import type { Fields, Tree } from '../tree.js';
import { isArray, isDocument, isObject, operatorsIn, typeOf, wrapperOf } from '../tree.js';
import { firstByIndex, hintedIndexes, keysOfArrays, parallelArrays } from './indexes.js';

const types = new Set(['numberDecimal', 'code', 'symbol', 'undefined', 'dbPointer', 'minKey', 'maxKey']);
const doubles = new Set(['NaN', 'Infinity', '-Infinity', '-0.0']);

const plainStages = new Set([
  '$match',
  '$project',
  '$addFields',
  '$set',
  '$unset',
  '$group',
  '$sort',
  '$limit',
  '$skip',
  '$unwind',
  '$count',
]);
const plainOperators = new Set(['$sum', '$count', '$type']);

const isPlainStage = (stage: Tree): boolean => {
  const [entry] = isDocument(stage) ? Object.entries(stage) : [];
  if (entry === undefined || !plainStages.has(entry[0])) return false;
  const [name, spec] = entry;
  return name === '$match' || [...operatorsIn(spec)].every(operator => plainOperators.has(operator));
};

const pipelineOf = (command: Fields): readonly Tree[] => (isArray(command['pipeline']) ? command['pipeline'] : []);

const projectionOf = (command: Fields): Tree => command['projection'] ?? command['fields'] ?? {};

const updatesOf = (command: Fields): readonly Tree[] => {
  const { updates, update } = command;
  return isArray(updates)
    ? updates.map(one => (isDocument(one) ? (one['u'] ?? null) : null))
    : update === undefined
      ? []
      : [update];
};

/** How often an operator stands in the command. */
const timesUsed = ({ operation }: Pair, operator: string): number => {
  let times = 0;
  has(operation.command, (_, name) => {
    if (name === operator) times += 1;
    return false;
  });
  return times;
};

/** Whether a path that it filters by leads to an array or through one. */
const filtersArrays = (pair: Pair): boolean =>
  filtersOf(pair.operation.command).some(filter =>
    has(filter, (_, name) => name?.startsWith('$') === false && hasArrayOn(pair, name)),
  );

export const ferretdb: Profile = {
  name: 'ferretdb',
  lacks: new Set(['$expr']),
  omissions: [
    { what: 'collations', holds: ({ operation: { command } }) => has(command, (_, name) => name === 'collation') },
    {
      what: 'expressions, and most stages',
      holds: ({ operation: { command } }) => !pipelineOf(command).every(isPlainStage),
    },
    {
      what: 'operators in projections',
      holds: ({ operation: { command } }) =>
        has(projectionOf(command), (value, name) => name !== undefined && isObject(value)),
    },
    {
      what: 'updates by position, by array filters and by pipelines',
      holds: ({ operation: { command } }) =>
        has(command, (_, name) => name === 'arrayFilters') ||
        updatesOf(command).some(update => isArray(update) || has(update, (_, name) => name?.includes('.$') === true)),
    },
    {
      what: 'dotted paths through arrays',
      holds: met =>
        has(
          met.operation.command,
          (value, name) =>
            crossesArray(met, name ?? '') || (typeof value === 'string' && name === 'key' && crossesArray(met, value)),
        ),
    },
    {
      what: 'numbers for $exists',
      holds: ({ operation: { command } }) =>
        has(command, (value, name) => name === '$exists' && typeof value === 'number'),
    },
    {
      what: 'fields and literals as values of projections',
      holds: ({ operation: { command } }) =>
        has(
          [projectionOf(command), pipelineOf(command)],
          (value, name) => name !== '$type' && typeof value === 'string' && value.startsWith('$'),
        ) ||
        has(
          projectionOf(command),
          (value, name) => name !== undefined && (isArray(value) || typeof value === 'string'),
        ),
    },
    {
      what: '$elemMatch of a filter, or of several operators',
      holds: ({ operation: { command } }) =>
        has(
          command,
          (value, name) =>
            name === '$elemMatch' &&
            isDocument(value) &&
            (Object.keys(value).length !== 1 || !Object.keys(value)[0]!.startsWith('$')),
        ),
    },
    {
      what: 'conditions of $pull',
      holds: ({ operation: { command } }) =>
        has(
          updatesOf(command),
          (value, name) =>
            name === '$pull' &&
            has(value, inner => isDocument(inner) && Object.keys(inner)[0]?.startsWith('$') === true),
        ),
    },
    {
      what: 'modifiers of $push',
      holds: ({ operation: { command } }) => has(updatesOf(command), (_, name) => name === '$each'),
    },
  ],
  cannotHold: (value, inArray) =>
    types.has(typeOf(value)) ||
    (inArray && isArray(value)) ||
    (isObject(value) && wrapperOf(value) === '$numberDouble' && doubles.has(value['$numberDouble'] as string)),
  codes: false,
  rules: [
    parallelArrays,
    keysOfArrays,
    hintedIndexes,
    firstByIndex,
    {
      name: 'null in unique indexes',
      reason: 'what lacks the field has null for a key, which a unique index holds once',
      holds: pair => pair.operation.index?.['unique'] === true && weRefuse(pair, 11000),
    },
    {
      name: 'crash',
      reason: 'closes the connection: it cannot hold what comes out',
      holds: ({ theirs }) => theirs.kind === 'refused' && theirs.code === silence,
    },
    {
      name: 'not implemented',
      reason: 'says so',
      holds: ({ theirs }) => theirs.kind === 'refused' && theirs.code === 238,
    },
    {
      name: 'parallel arrays',
      reason: 'a sort through two arrays is refused',
      holds: pair => weRefuse(pair, 2, /cannot sort with keys that are parallel arrays/),
    },
    {
      name: 'aliases of types',
      reason: 'the aliases of types that it does not have are known to MongoDB',
      holds: pair => theyRefuse(pair, 2, /Unknown type name alias|Invalid numerical type code/),
    },
    {
      name: '$mod and bits in arrays',
      reason: 'the elements of an array are looked at one by one; it looks at no array',
      holds: pair =>
        pair.theirs.kind === 'done' &&
        uses(pair, '$mod', '$bitsAllSet', '$bitsAllClear', '$bitsAnySet', '$bitsAnyClear') &&
        filtersArrays(pair),
    },
    {
      name: 'the query of an upsert',
      reason: 'equalities in $and, and $in of one value, give fields to the new document',
      holds: pair => pair.theirs.kind === 'done' && isUpsert(pair) && uses(pair, '$and', '$in', '$or', '$eq', '$all'),
    },
    {
      name: 'operators in the query of an upsert',
      reason: 'operators other than equality give no field to the new document',
      holds: pair =>
        isUpsert(pair) && theyRefuse(pair, 2, /Cannot apply|Cannot increment|of non-|must be an array but is/),
    },
    {
      name: 'an equal replacement',
      reason: 'a replacement equal to the document modifies nothing',
      holds: pair => bothDo(pair) && equalBut(pair, withoutModified),
    },
    {
      name: 'a document in an array',
      reason: 'a document is equal to an array if it is equal to one of its elements',
      holds: pair =>
        pair.theirs.kind === 'done' &&
        filtersArrays(pair) &&
        filtersOf(pair.operation.command).some(filter =>
          has(
            filter,
            (value, name) =>
              name !== undefined && isDocument(value) && !Object.keys(value).some(key => key.startsWith('$')),
          ),
        ),
    },
    {
      name: 'projections at odds',
      reason: 'fields that are kept and left out, or that a position stands for, do not go together',
      holds: pair => weRefuse(pair, 31250) || weRefuse(pair, 31254),
    },
    {
      name: 'arrays in arrays',
      reason: 'cannot hold an array in an array, and says so',
      holds: pair => theyRefuse(pair, 2, /nested arrays are not supported/),
    },
    {
      name: '$elemMatch of an empty array',
      reason: 'an empty array has no element that could match, and elements that are no arrays are none that do',
      holds: pair =>
        pair.ours.kind === 'done' &&
        uses(pair, '$elemMatch') &&
        (has(fieldsRead(pair), (value, name) => name !== undefined && isArray(value) && value.length === 0) ||
          has(
            pair.operation.command,
            (value, name) =>
              name === '$elemMatch' &&
              has(value, (item, key) => isArray(item) || item === 'array' || (key === '$type' && item === 4)),
          )),
    },
    {
      name: 'arrays among several types',
      reason: 'in a list of types, given by number or name, array asks for an array, and the others for its elements',
      holds: pair =>
        pair.theirs.kind === 'done' &&
        has(
          pair.operation.command,
          (value, name) =>
            name === '$type' && isArray(value) && (filtersArrays(pair) || value.some(type => typeof type !== 'string')),
        ),
    },
    {
      name: 'documents and expressions in lists',
      reason:
        '$in, $nin and $all find a document as an element of an array and as a value, and what an expression matches',
      holds: pair =>
        pair.theirs.kind === 'done' &&
        has(
          pair.operation.command,
          (value, name) =>
            (name === '$all' || ((name === '$in' || name === '$nin') && filtersArrays(pair))) &&
            isArray(value) &&
            value.some(item => isDocument(item) || typeOf(item) === 'regularExpression'),
        ),
    },
    {
      name: 'expressions in arrays',
      reason: 'a regular expression in an array is found by the same one',
      holds: pair =>
        bothDo(pair) &&
        filtersArrays(pair) &&
        has(fieldsRead(pair), value => isArray(value) && value.some(item => typeOf(item) === 'regularExpression')) &&
        filtersOf(pair.operation.command).some(filter => has(filter, value => typeOf(value) === 'regularExpression')),
    },
    {
      name: 'arguments unread',
      reason: 'arguments are refused whatever the documents; it reads them when it comes to them',
      holds: weRefuseArgument,
    },
    {
      name: 'dots in names',
      reason: 'a replacement may have fields with dots in their names',
      holds: pair => theyRefuse(pair, 2, /invalid key/),
    },
    {
      name: 'values below a field',
      reason: 'a literal below a field is put into the document of that field, and a position makes none',
      holds: pair =>
        bothDo(pair) && has(projectionOf(pair.operation.command), (_, name) => name?.includes('.') === true),
    },
    {
      name: '$addToSet and $push of arrays',
      reason: 'an array is added as one element; it adds its elements',
      holds: pair =>
        bothDo(pair) && has(pair.operation.command, (value, name) => name === '$addToSet' && has(value, isArray)),
    },
    {
      name: 'values of $setOnInsert',
      reason: '$setOnInsert sets null and an empty array as any value',
      holds: pair =>
        bothDo(pair) &&
        isUpsert(pair) &&
        has(
          updatesOf(pair.operation.command),
          (value, name) =>
            name === '$setOnInsert' &&
            isDocument(value) &&
            Object.values(value).some(item => item === null || (isArray(item) && item.length === 0)),
        ),
    },
    {
      name: 'keys of unique indexes',
      reason: 'values of different types are different keys; it keeps them as JSON without their types',
      holds: pair => theyRefuse(pair, 1, /UNIQUE constraint failed/),
    },
    {
      name: 'variables',
      reason: '$$ROOT is the document; it knows no variables',
      holds: pair => theyRefuse(pair, 1, /ErrUndefinedVariable/),
    },
    {
      name: '$pull of conditions',
      reason: '$pull takes away what a filter or an expression matches; it takes away what is equal',
      holds: pair =>
        bothDo(pair) &&
        has(
          updatesOf(pair.operation.command),
          (value, name) =>
            name === '$pull' && has(value, inner => isDocument(inner) || typeOf(inner) === 'regularExpression'),
        ),
    },
    {
      name: 'expressions in the query of an upsert',
      reason: 'a regular expression gives no field to the new document',
      holds: pair =>
        bothDo(pair) &&
        isUpsert(pair) &&
        filtersOf(pair.operation.command).some(filter => has(filter, value => typeOf(value) === 'regularExpression')),
    },
    {
      name: 'overflow of int32',
      reason: 'an int32 that overflows becomes an int64; it begins anew with the least',
      holds: pair =>
        bothDo(pair) && uses(pair, '$inc', '$mul') && JSON.stringify(pair.theirs).includes('"$numberInt":"-21474836'),
    },
    {
      name: 'infinite numbers',
      reason: 'a product may be infinite',
      holds: pair => theyRefuse(pair, 2, /infinity values are not allowed/),
    },
    {
      name: 'minus nought',
      reason: 'a product of nought and a negative number is minus nought',
      holds: pair =>
        bothDo(pair) &&
        uses(pair, '$mul') &&
        equalBut(pair, tree => (isObject(tree) && tree['$numberDouble'] === '-0.0' ? { $numberDouble: '0.0' } : tree)),
    },
    {
      name: 'several sums of a group',
      reason: 'each accumulator of a group counts by itself',
      holds: pair =>
        bothDo(pair) && ['$count', '$sum'].map(name => timesUsed(pair, name)).reduce((sum, times) => sum + times) > 1,
    },
    {
      name: 'documents as values of stages',
      reason:
        '$project includes what a document says, $set puts it into each element of an array; it takes it for a value',
      holds: pair =>
        bothDo(pair) &&
        pipelineOf(pair.operation.command).some(
          stage =>
            isDocument(stage) &&
            [stage['$project'], stage['$set'], stage['$addFields']].some(
              spec => isDocument(spec) && Object.values(spec).some(isDocument),
            ),
        ),
    },
    {
      name: 'the type of _id',
      reason: 'an _id keeps its type: an update that would give it another one is refused',
      holds: pair => weRefuse(pair, 66, /would modify the immutable field '_id'/),
    },
    {
      name: 'computed fields with dots',
      reason: '$set and $addFields put a field into a document, also one that is not there yet; it leaves them out',
      holds: pair =>
        bothDo(pair) &&
        pipelineOf(pair.operation.command).some(
          stage =>
            isDocument(stage) &&
            has([stage['$set'] ?? null, stage['$addFields'] ?? null], (_, name) => name?.includes('.') === true),
        ),
    },
    {
      name: 'the order of new fields',
      reason: 'new fields are added in the order of their names',
      holds: pair =>
        bothDo(pair) && pair.ours.kind === 'done' && pair.ours.after !== undefined && equalBut(pair, sortedFields),
    },
    {
      name: 'fields in what is no document',
      reason: 'a field in a scalar or in null cannot be created',
      holds: pair => weRefuse(pair, 28),
    },
  ],
};
