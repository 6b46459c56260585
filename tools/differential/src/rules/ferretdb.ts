import { silence } from '../outcome.js';
import type { Profile } from '../rule.js';
import { crossesArray } from '../paths.js';
import {
  bothDo,
  equalBut,
  has,
  isUpsert,
  theyRefuse,
  uses,
  weRefuse,
  weRefuseArgument,
  withoutModified,
} from '../traits.js';
import type { Fields, Tree } from '../tree.js';
import { isArray, isDocument, isObject, operatorsIn, typeOf, wrapperOf } from '../tree.js';
import { keysOfArrays, parallelArrays } from './indexes.js';

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

const filterOf = (command: Fields): Tree =>
  command['filter'] ?? command['query'] ?? command['updates'] ?? command['deletes'] ?? command['pipeline'] ?? {};

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
        uses(pair, '$mod', '$bitsAllSet', '$bitsAllClear', '$bitsAnySet', '$bitsAnyClear'),
    },
    {
      name: 'the query of an upsert',
      reason: 'equalities in $and, and $in of one value, give fields to the new document',
      holds: pair => pair.theirs.kind === 'done' && isUpsert(pair) && uses(pair, '$and', '$in', '$or', '$eq', '$all'),
    },
    {
      name: 'operators in the query of an upsert',
      reason: 'operators other than equality give no field to the new document',
      holds: pair => isUpsert(pair) && theyRefuse(pair, 2, /Cannot apply|Cannot increment|of non-/),
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
        has(
          filterOf(pair.operation.command),
          (value, name) =>
            name !== undefined && isDocument(value) && !Object.keys(value).some(key => key.startsWith('$')),
        ),
    },
    {
      name: 'projections at odds',
      reason: 'fields that are kept and left out, or that a position stands for, do not go together',
      holds: pair => weRefuse(pair, 31250) || weRefuse(pair, 31254),
    },
    {
      name: 'arrays in arrays',
      reason: 'cannot hold an array in an array',
      holds: pair =>
        pair.ours.kind === 'done' &&
        has([pair.ours.result, pair.ours.after ?? []], value => isArray(value) && value.some(isArray)),
    },
    {
      name: '$elemMatch of an empty array',
      reason: 'an empty array has no element that could match',
      holds: pair => bothDo(pair) && uses(pair, '$elemMatch'),
    },
    {
      name: 'arrays among several types',
      reason: 'in a list of types, array asks for an array, and the others for its elements',
      holds: pair =>
        pair.theirs.kind === 'done' && has(pair.operation.command, (value, name) => name === '$type' && isArray(value)),
    },
    {
      name: 'documents in lists',
      reason: '$in, $nin and $all find a document as an element of an array, and as a value',
      holds: pair =>
        pair.theirs.kind === 'done' &&
        has(
          pair.operation.command,
          (value, name) =>
            (name === '$in' || name === '$nin' || name === '$all') && isArray(value) && value.some(isDocument),
        ),
    },
    {
      name: 'arguments unread',
      reason: 'arguments are refused whatever the documents; it reads them when it comes to them',
      holds: weRefuseArgument,
    },
    {
      name: 'dots in names',
      reason: 'a replacement may have fields with dots in their names',
      holds: pair => theyRefuse(pair, 2, /invalid key|invalid value/),
    },
    {
      name: 'values below a field',
      reason: 'a literal below a field is put into the document of that field, and a position makes none',
      holds: pair =>
        bothDo(pair) && has(projectionOf(pair.operation.command), (_, name) => name?.includes('.') === true),
    },
    {
      name: 'fields in what is no document',
      reason: 'a field in a scalar or in null cannot be created',
      holds: pair => weRefuse(pair, 28),
    },
  ],
};
