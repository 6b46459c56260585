import { describeSupport } from '@tessera/server';
import type { Feature } from '@tessera/server';

const support = describeSupport();

/** Commands that stop or block the server by design, or change its behavior with fail points. */
const excluded = new Set(['shutdown', 'configureFailPoint', 'waitForFailPoint', 'fsync', 'replSetStepDown']);

const namesOf = (features: readonly Feature[]): readonly string[] => features.map(({ name }) => name);

export const commands: readonly string[] = namesOf(support.commands).filter(name => !excluded.has(name));

/** Returns whether a name is that of an excluded command. */
export const isExcluded = (name: string): boolean => excluded.has(name);

/** Names of operators and stages. */
export const operators: readonly string[] = [
  ...new Set(
    [
      support.stages,
      support.expressions,
      support.accumulators,
      support.windowFunctions,
      support.queryOperators,
      support.updateOperators,
    ].flatMap(namesOf),
  ),
].filter(name => name.startsWith('$'));

export const stages: readonly string[] = namesOf(support.stages);
export const expressions: readonly string[] = namesOf(support.expressions);
export const queryOperators: readonly string[] = namesOf(support.queryOperators);
export const updateOperators: readonly string[] = namesOf(support.updateOperators);

/** Names of fields that commands read, and some that are special in JavaScript. */
export const fields: readonly string[] =
  `_id a b a.b a.0 a.$ a.$[] a.$[e] x n s l l.x input cond in as vars initialValue from localField foreignField let pipeline coll into on
  whenMatched whenNotMatched path includeArrayIndex preserveNullAndEmptyArrays groupBy boundaries default buckets output granularity field
  range step unit bounds partitionBy partitionByFields sortBy window documents startWith connectFromField connectToField depthField maxDepth
  restrictSearchWithMatch method value date timezone format dateString onError onNull to regex options chars find replacement key name v
  unique sparse expireAfterSeconds partialFilterExpression collation locale strength filter sort projection hint skip limit batchSize
  singleBatch returnKey showRecordId min max tailable awaitData comment allowDiskUse q u upsert multi arrayFilters ordered
  bypassDocumentValidation cursor explain query update fields new remove lsid id txnNumber autocommit startTransaction stmtId stmtIds
  readConcern level afterClusterTime atClusterTime writeConcern w j wtimeout maxTimeMS maxAwaitTimeMS topologyVersion processId counter
  $db $clusterTime clusterTime signature $readPreference mode tags apiVersion apiStrict apiDeprecationErrors cursors collection
  validator validationLevel validationAction capped size max viewOn timeseries timeField clusteredIndex changeStreamPreAndPostImages
  expireAfterSeconds ops nsInfo ns insert delete update updateMods constants errorsOnly let unique text default_language weights
  2dsphereIndexVersion wildcardProjection hashed __proto__ constructor toString hasOwnProperty length 0 1 -1 $ $$ . .. a. .a`
    .split(/\s+/)
    .concat(['', ' ', '\u{1f600}', 'é'.repeat(300), 'a'.repeat(1_000), 'a.'.repeat(150)]);

/** Patterns that take exponential time in backtracking engines, and invalid patterns. */
export const patterns: readonly string[] = [
  '(a+)+$',
  '^(a|a)*$',
  '(a*)*b',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(.*)*x',
  '(.*a){12}',
  'a*a*a*a*a*a*a*b',
  '((a{1,20}){1,20}){1,20}b',
  '(?:a|aa)+b',
  '(a?){25}a{25}',
  '^(\\w+\\s?)*$',
  '(?=(a+)+b)a',
  '(?<!(a+)+b)x',
  '(x+x+)+y',
  '(\\1a)',
  '(a)\\1+$',
  '[',
  '(?',
  '(?<n>a)\\k<n>',
  'a{99999}',
  '(?R)',
  '\\p{L}+',
  '[[:alpha:]]',
  '\\',
  '(?i)a(?-i)b',
  '(((((((((((((((((((((((((a)))))))))))))))))))))))))',
];

export const scripts: readonly string[] = [
  'while(true){}',
  'for(;;);',
  'function(){ return this.a == 1 }',
  'function(){ var f = function(){ return f() }; return f() }',
  'sleep(100000)',
  'this.a',
  'this.constructor.constructor("return process")()',
  'var s = "a"; while (true) s = s + s',
  'var a = []; while (true) a.push(a)',
  '('.repeat(5_000),
  '['.repeat(5_000),
  'a'.repeat(100_000),
  '1'.concat('+1'.repeat(20_000)),
  'function f(){ return 1',
  'return __proto__',
  '/(a+)+$/.test("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab")',
  '"a".repeat(1e9)',
];

/** Strings on which the patterns take exponential time. */
export const subjects: readonly string[] = [
  `${'a'.repeat(40)}b`,
  'a'.repeat(60),
  `${'a'.repeat(5_000)}!`,
  'x'.repeat(2_000),
  `${'word '.repeat(40)}!`,
  'aB'.repeat(500),
];
