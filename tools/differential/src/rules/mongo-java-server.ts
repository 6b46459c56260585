import { crossesArray, shapedPaths } from '../paths.js';
import type { Profile } from '../rule.js';
import { has, uses } from '../traits.js';
import type { Fields, Tree } from '../tree.js';
import { isArray, isDocument, isObject, operatorsIn, typeOf } from '../tree.js';
import {
  choosesByOrder,
  filters,
  isUpdateByPipeline,
  nameOfStage,
  notANumber,
  pipelineOf,
} from './mongo-java-server-traits.js';
import { mongoJavaServerRules } from './mongo-java-server-rules.js';

/** As stages, accumulators and operators of queries and of expressions alike. */
const lacks =
  '$round $sigmoid $sin $cos $tan $asin $acos $atan $sinh $cosh $tanh $asinh $acosh $atanh $degreesToRadians $radiansToDegrees $atan2 $switch $ltrim $rtrim $trim $regexMatch $regexFind $regexFindAll $replaceOne $replaceAll $strcasecmp $sortArray $zip $getField $setField $unsetField $let $bsonSize $binarySize $week $millisecond $isoWeek $isoDayOfWeek $isoWeekYear $dateAdd $dateSubtract $dateDiff $dateTrunc $dateFromParts $dateToParts $dateFromString $tsSecond $tsIncrement $toInt $toLong $toDouble $toDecimal $toDate $toObjectId $isNumber $stdDevPop $stdDevSamp $maxN $minN $firstN $lastN $median $percentile $bitAnd $bitOr $bitXor $bitNot $top $bottom $topN $bottomN $replaceWith $bucketAuto $unionWith $redact $setWindowFields $fill $densify $bitsAllSet $bitsAnySet $bitsAllClear $bitsAnyClear $bit $convert $allElementsTrue $anyElementTrue';

const stagesAndAccumulators = new Set(
  '$match $project $addFields $unset $group $sort $limit $skip $unwind $count $replaceRoot $bucket $sortByCount $facet $lookup $sum $avg $min $max $first $last $push $addToSet $literal'.split(
    ' ',
  ),
);

const ofProjections = new Set(['$slice', '$elemMatch', '$literal']);

const isExpression = (value: Tree): boolean => {
  const [first = ''] = isDocument(value) ? Object.keys(value) : [];
  return first.startsWith('$') && !ofProjections.has(first);
};

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
        ) || Object.values((command['projection'] ?? {}) as Fields).some(isExpression),
    },
  ],
  cannotHold: value =>
    notANumber(value) ||
    ['symbol', 'undefined', 'dbPointer'].includes(typeOf(value)) ||
    (isObject(value) &&
      ('$scope' in value ||
        (isObject(value['$binary']) && value['$binary']['subType'] !== '00' && value['$binary']['subType'] !== '04'))),
  codes: false,
  rules: mongoJavaServerRules,
};
