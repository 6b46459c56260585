/** The parts of the embedded server's languages: BSON values, compilers and limits of work. */
export { createAccumulators } from './agg/accumulators.js';
export { evaluateLet, expressionCompiler } from './agg/compile.js';
export { hashOf } from './agg/hashed-key.js';
export { heldDocuments } from './agg/held-documents.js';
export type { Environment, Leading, OwnStage, Pipeline, PipelineContext, Terminal } from './agg/index.js';
export { checkStageNames, parsePipeline, parseTransform } from './agg/index.js';
export { checkKnownIn } from './agg/known-since.js';
export { operatorsFor } from './agg/operators.js';
export { stageNames } from './agg/pipeline.js';
export type { Ambience } from './agg/scope.js';
export { refusedStages } from './agg/stages/refused.js';
export { windowFunctions } from './agg/window/window-functions.js';
export { ErrorMessages } from './error-messages.js';
export { CommandError, fail } from './errors.js';
export { MapReduce } from './script/map-reduce.js';
export { SleepPending, ScriptSleep } from './script/script-sleep.js';
export type { ScriptEngine, ScriptOptions, ScriptRealm } from './script/script-engine.js';
export { Scripts, ScriptsPending, forbiddenScripts, uncheckedScripts } from './script/scripts.js';
export { parseWhere } from './script/where.js';
export type { Projection, ProjectionContext } from './project/projection.js';
export { parseProjection } from './project/projection.js';
export { parseValidator } from './query/explain.js';
export { usesEncryption } from './query/json-schema.js';
export type { GeoIndexes } from './query/geo/near.js';
export { boxesAt, missingCollection, usesNear } from './query/geo/near.js';
export type { NearTarget } from './query/geo/distance.js';
export { distanceOf, extentAround, farthest } from './query/geo/distance.js';
export type { Box, Extent } from './query/geo/extent.js';
export { requireGeometry, requirePair } from './query/geo/stored.js';
export { valueOperatorNames } from './query/operators.js';
export type { Matcher, QueryContext } from './query/parse.js';
export { parseQuery, topLevelNames } from './query/parse.js';
export { carried, metadataOf, noteMetadata, noteSearchMeta } from './query/metadata.js';
export type { TextIndex } from './query/text-index.js';
export { isTextLanguage } from './query/text-index.js';
export { textEntries } from './query/text.js';
export { usesText } from './query/text-place.js';
export { isTruthy } from './query/truth.js';
export { createWalk } from './query/walk.js';
export { eachEntry, isPosition } from './sort/entries.js';
export type { SortOptions } from './sort/sort-docs.js';
export { sortBy, sortDocs } from './sort/sort-docs.js';
export type { Sort } from './sort/sort.js';
export { byDistance, parseSort } from './sort/sort.js';
export { unfitForPartial } from './query/partial.js';
export { checkPlainNames, checkPlainTopNames } from './update/plain-names.js';
export { identical } from './update/identical.js';
export { modifierNames } from './update/modifiers.js';
export type { Change, Updater } from './update/update.js';
export { parseUpdate } from './update/update.js';
export { requirePlainId, upsertDocument } from './update/upsert.js';
export { detached, decode, validate } from './value/bson.js';
export { createCollation, fullCollation, isSameCollation } from './value/collation.js';
export type { Collation, SearchableCollation, StringKeys } from './value/compare.js';
export { compare, compareStrings, equal, hashKey, rankOf } from './value/compare.js';
export { Decimal } from './value/decimal.js';
export type { Entry } from './value/doc.js';
export { Doc, readInt32, valueLength } from './value/doc.js';
export { compareNumbers, isInt32, isSet, safeIntegerOf, toDouble, toLong, toSafeInteger } from './value/numbers.js';
export { eachValueAlong, lookup, lookupPlainly, splitPath } from './value/path.js';
export { isoDate, show, showDoc } from './value/show.js';
export { readUtf8, utf8 } from './value/utf8.js';
export { fromBase64, toBase64 } from './agg/binary-text.js';
export type { DBPointerValue, NumberValue, SymbolValue, Value } from './value/value.js';
export {
  BinaryValue,
  CodeValue,
  DateValue,
  Double,
  MAX_KEY,
  MIN_KEY,
  ObjectIdValue,
  RegexValue,
  TimestampValue,
  UndefinedValue,
  double,
  isArray,
  isDoc,
  isNullish,
  isNumber,
  toHex,
  typeName,
} from './value/value.js';
export { BsonWriter } from './value/writer.js';
export type { Since, Version } from './version.js';
export { isAtLeast, parseVersion, wireVersionOf } from './version.js';
export type { Allowance, Bound } from './work/allowance.js';
export { isDue, isOver, metered, maxSteps, nextDocument, spend } from './work/meter.js';
export type { Paced, Pause, Pieces } from './work/pause.js';
export { inOneGo, isPieces, pause, withoutPauses } from './work/pause.js';
