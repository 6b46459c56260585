export type {
  Capped,
  Collection,
  CollectionSettings,
  Condition,
  Index,
  IndexDefinition,
  PartialFilter,
  Validator,
} from './collection.js';
export {
  addIndex,
  buildIndex,
  asUnique,
  dbOf,
  dropIndex,
  emptyCollection,
  emptySeries,
  idIndex,
  indexSize,
  insertRecord,
  keysIn,
  nameOf,
  placeRecord,
  removeRecord,
  replaceRecord,
} from './collection.js';
export { boundedPlan } from './bounded-plan.js';
export { bucketsOf, insertBucket, removeBucket } from './buckets.js';
export { withoutEmptyBucket } from './pinned-buckets.js';
export { withDiff } from './apply-diff.js';
export type { FieldDifference } from './delta.js';
export { describeUpdate, differencesOf } from './delta.js';
export { diffOf } from './document-diff.js';
export type { Branch, Difference, Rooted } from './difference.js';
export { differences } from './difference.js';
export type { Explained } from './explained.js';
export { executionStats, planStages } from './explained.js';
export type { IndexField, IndexKeys, IndexShape } from './index-keys.js';
export { valuesOfKey } from './index-keys.js';
export { wildcardEntry } from './wildcard-keys.js';
export { checkClusteredOption } from './id-index.js';
export { listedIndex } from './listed-index.js';
export type { IndexSetting } from './index-spec.js';
export {
  checkIndexOptions,
  existsAlready,
  flag,
  idIndexWith,
  knownPart,
  parseClusteredIndex,
  parseIndexSpec,
} from './index-spec.js';
export { fieldKey, keyOf, recordKey, recordNumber } from './key.js';
export type { Range } from './bounds.js';
export { memoryOf } from './memory.js';
export type { Plan, PlanRequest, SortKey } from './plan.js';
export { indexOfHint, isCollationFree, planFor } from './plan.js';
export { geoIndexesOf } from './geo-indexes.js';
export { nearRows } from './near-rows.js';
export type { NearSearch } from './place-bounds.js';
export type { PlaceShape } from './place-keys.js';
export type { IndexUses } from './plan-uses.js';
export { countUse, countUsesFrom, scansOf, usesOf } from './plan-uses.js';
export type { Row } from './row.js';
export type { Predicate } from './predicate.js';
export type { Scan } from './scan.js';
export { scanOf } from './scan.js';
export { textIndexOf } from './text-keys.js';
export { checkSeriesIndex, listedSeries, seriesIndex, seriesOptions } from './series-catalog.js';
export type { PinnedBucket, PinnedBuckets, TimeSeries } from './time-series.js';
export type { Edit, Finder, Walk } from './tree.js';
export type { WildcardShape } from './wildcard-keys.js';
export { Tree } from './tree.js';
export { requireAllFit, requireFit } from './unfit.js';
export type { Selection } from './select.js';
export { changeable, explainedPlan, planOf, pointRows, rowsOf, docsOf, filtered, select } from './select.js';
export { measurement, checkSeriesUpdate, checkSeriesDelete, refuseSeries, oldestOf } from './measurements.js';
export type { PartialSpec } from './partial-filter.js';
export { partialFilter } from './partial-filter.js';
export type { Source, Batch, Limits } from './batch.js';
export { maxBatchBytes, Batches, iterate, listed, made, limited, mapped } from './batch.js';
export type { DatabaseValue, Namespace, View } from './database.js';
export { databasesOf, emptyDatabase, isSameCatalog, isView, memoryIn, namespacesOf } from './database.js';
export type { Done, Image, SessionWrites } from './session-writes.js';
export { noStatements } from './session-writes.js';
export type { OpTime } from './op-time.js';
export { compareOpTimes, compareTimes, isLater, opTimeDoc, timeAfter } from './op-time.js';
export { crc32c } from './disk/crc32c.js';
export { DataFile, dataName, newDataName } from './disk/data-file.js';
export type { Definitions } from './disk/described.js';
export type { Opened } from './disk/open.js';
export { openData } from './disk/open.js';
