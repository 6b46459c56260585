import type { Since, Version } from '../version.js';
import { isAtLeast } from '../version.js';
import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc } from '../value/value.js';

const table = (since: Readonly<Partial<Record<Since, string>>>): ReadonlyMap<string, Since> =>
  new Map(
    Object.entries(since as Record<string, string>).flatMap(([version, names]) =>
      names.split(/\s+/).map(name => [name, version as Since] as const),
    ),
  );

/** Stages introduced after 4.2. */
const stages = table({
  '4.4': '$unionWith',
  '5.0': '$setWindowFields',
  '5.1': '$densify $documents',
  '5.3': '$fill',
  '6.0.3': '$listSearchIndexes $searchMeta $search',
  '6.0.9': '$changeStreamSplitLargeEvent',
  '7.0': '$listSampledQueries $queryStats $vectorSearch $shardedDataDistribution',
  '8.0': '$querySettings',
  '8.1': '$listClusterCatalog',
});

/** Expression operators introduced after 4.2. */
const operators = table({
  '4.4': '$binarySize $bsonSize $isNumber $replaceAll $replaceOne $accumulator $function $rand',
  '5.0': '$dateAdd $dateDiff $dateSubtract $dateTrunc $expr $getField $setField $unsetField',
  '5.1': '$tsIncrement $tsSecond',
  '5.2': '$bottom $bottomN $firstN $lastN $maxN $minN $sortArray $top $topN $locf',
  '5.3': '$linearFill',
  '6.3': '$bitAnd $bitNot $bitOr $bitXor',
  '7.0': '$median $percentile',
  '8.0': '$toUUID $toHashedIndexKey',
  '8.1': '$sigmoid',
  '8.2': '$minMaxScaler',
});

const checkExpressions = (value: Value, version: Version): void => {
  if (isArray(value)) {
    for (const item of value) checkExpressions(item, version);
    return;
  }
  if (!isDoc(value)) return;
  for (const [name, inner] of value) {
    if (name === '$literal' || name === '$const') continue;
    const since = operators.get(name);
    if (since !== undefined && !isAtLeast(version, since))
      throw fail('InvalidPipelineOperator', `Unrecognized expression '${name}'`);
    checkExpressions(inner, version);
  }
};

const checkLookup = (spec: Value): void => {
  if (!isDoc(spec) || !spec.has('pipeline')) return;
  if (spec.has('localField') || spec.has('foreignField'))
    throw fail('FailedToParse', "$lookup with 'pipeline' may not specify 'localField' or 'foreignField'");
};

const nested = (spec: Value): readonly (readonly Value[])[] => {
  if (!isDoc(spec)) return [];
  return spec.entries().flatMap(([, value]) => (isArray(value) && value.every(isStage) ? [value] : []));
};

const isStage = (value: Value): value is Doc => isDoc(value) && value.size === 1 && value.keys()[0]!.startsWith('$');

/**
 * Checks that a server of the version supports the stages and operators of a pipeline. `$match` is not checked.
 * @throws CommandError 9, 168, 16990, 40324
 */
export const checkKnownIn = (pipeline: readonly Value[], version: Version): void => {
  if (isAtLeast(version, '8.2')) return;
  for (const stage of pipeline) {
    if (!isStage(stage)) continue;
    const [name, spec] = stage.entries()[0]!;
    const since = stages.get(name);
    if (since !== undefined && !isAtLeast(version, since))
      throw fail(40324, `Unrecognized pipeline stage name: '${name}'`);
    if (name === '$lookup' && !isAtLeast(version, '5.0')) checkLookup(spec);
    if (name === '$out' && !isAtLeast(version, '4.4') && typeof spec !== 'string')
      throw fail(16990, '$out only supports a string argument, not object');
    const inner = nested(spec);
    for (const one of inner) checkKnownIn(one, version);
    if (name !== '$match' && inner.length === 0) checkExpressions(spec, version);
  }
};
