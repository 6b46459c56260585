import { silence } from '../outcome.js';
import { crossesArray, shapedPaths } from '../paths.js';
import type { Profile } from '../rule.js';
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
import { isArray, isDocument, isObject, operatorsIn, typeOf } from '../tree.js';
import { firstByIndex, hintedIndexes, keysOfArrays, parallelArrays } from './indexes.js';
import { doublesAndDecimals } from './numbers.js';
import {
  arrayFiltersOf,
  choosesByOrder,
  distinctNumbers,
  filters,
  filtersArrays,
  groupsByArrays,
  hasOperatorsBelow,
  includedPaths,
  isGreat,
  isNoInt64,
  isUpdateByPipeline,
  listed,
  nameOfStage,
  nearly,
  notANumber,
  pipelineOf,
  positional,
  projects,
  reaches,
  sortsArrays,
  withoutNullElements,
  withoutNulls,
  withoutUpserted,
} from './mongo-java-server-traits.js';

/** As stages, accumulators and operators of queries and of expressions alike. */
const lacks =
  '$round $sigmoid $sin $cos $tan $asin $acos $atan $sinh $cosh $tanh $asinh $acosh $atanh $degreesToRadians $radiansToDegrees $atan2 $switch $ltrim $rtrim $trim $regexMatch $regexFind $regexFindAll $replaceOne $replaceAll $strcasecmp $sortArray $zip $getField $setField $unsetField $let $bsonSize $binarySize $week $millisecond $isoWeek $isoDayOfWeek $isoWeekYear $dateAdd $dateSubtract $dateDiff $dateTrunc $dateFromParts $dateToParts $dateFromString $tsSecond $tsIncrement $toInt $toLong $toDouble $toDecimal $toDate $toObjectId $isNumber $stdDevPop $stdDevSamp $maxN $minN $firstN $lastN $median $percentile $bitAnd $bitOr $bitXor $bitNot $top $bottom $topN $bottomN $replaceWith $bucketAuto $unionWith $redact $setWindowFields $fill $densify $bitsAllSet $bitsAnySet $bitsAllClear $bitsAnyClear $bit $convert $allElementsTrue $anyElementTrue';

const stagesAndAccumulators = new Set(
  '$match $project $addFields $unset $group $sort $limit $skip $unwind $count $replaceRoot $bucket $sortByCount $facet $lookup $sum $avg $min $max $first $last $push $addToSet $literal'.split(
    ' ',
  ),
);

export const mongoJavaServer: Profile = {
  name: 'mongo-java-server',
  lacks: new Set(lacks.split(' ')),
  omissions: [
    { what: 'collations', holds: ({ operation: { command } }) => has(command, (_, name) => name === 'collation') },
    { what: 'updates by pipelines', holds: ({ operation: { command } }) => isUpdateByPipeline(command) },
    {
      what: '$set as a stage',
      holds: ({ operation: { command } }) => pipelineOf(command).some(stage => nameOfStage(stage) === '$set'),
    },
    {
      what: 'the variables REMOVE and CURRENT, and variables of $lookup in $expr',
      holds: ({ operation: { command } }) =>
        has(command, value => typeof value === 'string' && /^\$\$(?:REMOVE|CURRENT|it$)/.test(value)),
    },
    {
      what: 'nested projections, and computed fields with dots',
      holds: ({ operation: { command } }) =>
        has(
          [command['projection'] ?? null, command['fields'] ?? null],
          (value, name) => name !== undefined && isDocument(value) && Object.keys(value)[0]?.startsWith('$') !== true,
        ) || shapedPaths(command).length > 0,
    },
    {
      what: '_id: 1 beside fields that are left out',
      holds: ({ operation: { command } }) =>
        Object.keys((command['projection'] ?? {}) as Fields).length > 1 &&
        has([command['projection'] ?? null], (value, name) => name === '_id' && (value === 1 || value === true)),
    },
    {
      what: '$ifNull of three',
      holds: ({ operation: { command } }) =>
        has(command, (value, name) => name === '$ifNull' && isArray(value) && value.length > 2),
    },
    {
      what: '$graphLookup of what is missing',
      holds: met => uses(met, '$graphLookup'),
    },
    {
      what: 'expressions: its numbers become doubles, and null and missing are one',
      holds: ({ operation: { command } }) =>
        has(command, (_, name) => name === '$expr') ||
        pipelineOf(command).some(
          stage =>
            nameOfStage(stage) !== '$match' && [...operatorsIn(stage)].some(name => !stagesAndAccumulators.has(name)),
        ),
    },
    {
      what: 'one of several documents without a sort: it keeps them in no order',
      holds: ({ operation: { command } }) => choosesByOrder(command),
    },
    {
      what: 'paths of queries through arrays',
      holds: met => filters(met, (_, name) => name?.includes('$') === false && crossesArray(met, name)),
    },
    {
      what: 'expressions in the projections of find',
      holds: ({ operation: { command } }) =>
        has(
          command['projection'] ?? null,
          (value, name) => name !== undefined && (isArray(value) || typeof value === 'string'),
        ),
    },
  ],
  cannotHold: value =>
    notANumber(value) ||
    ['symbol', 'undefined', 'dbPointer'].includes(typeOf(value)) ||
    (isObject(value) &&
      ('$scope' in value ||
        (isObject(value['$binary']) && value['$binary']['subType'] !== '00' && value['$binary']['subType'] !== '04'))),
  codes: false,
  rules: [
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
      reason: '$addToSet, $pull and $pullAll take equal numbers for equal, whatever their types',
      holds: pair => bothDo(pair) && uses(pair, '$addToSet') && equalBut(pair, distinctNumbers),
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
      holds: pair =>
        theyRefuse(pair, 31253) && has(pair.operation.command['projection'] ?? {}, value => value === null),
    },
    {
      name: '$pull of arrays in arrays',
      reason:
        'a condition of $pull is met by one of the elements of an element that is an array, and a negation by none',
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
        pair.ours.kind === 'done' &&
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
      name: '$mod beyond int64',
      reason: 'numbers beyond the int64 have no remainder, fractions are cut off',
      holds: pair => uses(pair, '$mod') && has([...fieldsRead(pair), pair.operation.command], isNoInt64),
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
      name: 'decimals of doubles',
      reason: 'a double becomes a decimal of 15 digits',
      holds: pair => bothDo(pair) && equalBut(pair, tree => untypedNumber(withoutModified(tree))),
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
  ],
};
