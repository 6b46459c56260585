import {
  createAccumulators,
  modifierNames,
  operatorsFor,
  refusedStages,
  stageNames,
  topLevelNames,
  valueOperatorNames,
  windowFunctions,
} from '@tessera/mql/engine';
import { createCommands } from './commands/all.js';
import { searchIndexCommands } from './commands/indexes.js';
import { ownStages } from './commands/own-stages.js';

/** A command, stage or operator of MongoDB that this server recognizes. */
export interface Feature {
  readonly name: string;
  /**
   * `partly`: the note describes what is missing. `refused`: the server returns an error, and the note gives the
   * reason.
   */
  readonly status: 'supported' | 'partly' | 'refused';
  readonly note: string;
}

/** The features that the server recognizes, sorted by name. The server rejects all other names as unknown. */
export interface Support {
  readonly commands: readonly Feature[];
  readonly stages: readonly Feature[];
  readonly expressions: readonly Feature[];
  readonly accumulators: readonly Feature[];
  readonly windowFunctions: readonly Feature[];
  readonly queryOperators: readonly Feature[];
  readonly updateOperators: readonly Feature[];
}

type Notes = Readonly<Record<string, string>>;

const javaScript = 'scripts run in $where and mapReduce only';
const someJavaScript = 'the subset of JavaScript that README.md names';
const ofSets = 'on a member of a set';
const geometry = 'edges are straight in their coordinates, not on the globe; every document is looked at';
const nearest = 'edges are straight in their coordinates, not on the globe; every document is sorted';
const forTests = 'with the option testCommands';

const refused = {
  commands: Object.fromEntries(
    searchIndexCommands.map(({ name }) => [name, 'needs Atlas Search, as for a mongod without it']),
  ),
  stages: {
    ...Object.fromEntries([...refusedStages].map(([name, { why }]) => [name, why])),
  },
  expressions: { $function: javaScript },
  accumulators: { $accumulator: javaScript },
  queryOperators: {},
} satisfies Readonly<Record<string, Notes>>;

const partly = {
  commands: {
    configureFailPoint: `${forTests}; the fail points that drivers are tested with`,
    create: 'buckets of a time series are listed and cannot be read',
    createIndexes: 'text, geospatial and wildcard indexes are listed and never walked',
    getnonce: 'before 6.2',
    killAllSessionsByPattern: 'sessions have no users: a pattern that names some fits none',
    dbStats: 'sizes of documents; indexes and files count as 0',
    explain: 'how documents are looked up, and nothing of later stages',
    getLog: 'one warning',
    getParameter: 'the parameters that drivers and shells ask for',
    fsync: 'cannot lock',
    hostInfo: 'nothing of the machine',
    killOp: 'ends what reads; what writes is done by then',
    mapReduce: someJavaScript,
    replSetAbortPrimaryCatchUp: 'no primary ever has to catch up',
    replSetGetStatus: `${ofSets}; without statistics`,
    replSetInitiate: 'the servers of a set are initiated already',
    replSetReconfig: `${ofSets}; hosts that are no servers of the process are down`,
    setDefaultRWConcern: `${ofSets}; what was set is no part of the data`,
    serverStatus: 'the sections that drivers and shells read',
    setParameter: 'what is said of logs and locks changes nothing; logComponentVerbosity and notablescan are fixed',
    testDeprecationInVersion2: forTests,
    testVersion2: forTests,
    top: 'names without measurements',
    waitForFailPoint: forTests,
  },
  stages: {
    $collStats: 'count and storageStats',
    $currentOp: 'the operation that asks, and those that wait for their turn',
    $geoNear: nearest,
    $indexStats: 'indexes without counts of their use',
    $listSessions: 'the same as $listLocalSessions',
    $out: 'no time series',
    $planCacheStats: 'no plan is ever cached',
  },
  expressions: { $meta: 'textScore' },
  accumulators: {},
  queryOperators: {
    ...Object.fromEntries(['$geoIntersects', '$geoWithin', '$within'].map(name => [name, geometry])),
    ...Object.fromEntries(['$geoNear', '$near', '$nearSphere'].map(name => [name, nearest])),
    $text:
      'words are compared whole, not by their stems; English stop words alone are left out; every document is looked at',
    $where: someJavaScript,
  },
} satisfies Readonly<Record<keyof typeof refused, Notes>>;

const feature = (name: string, no: Notes, some: Notes): Feature => {
  if (no[name] !== undefined) return { name, status: 'refused', note: no[name] };
  if (some[name] !== undefined) return { name, status: 'partly', note: some[name] };
  return { name, status: 'supported', note: '' };
};

const features = (names: Iterable<string>, kind?: keyof typeof refused): readonly Feature[] => {
  const [no, some]: readonly Notes[] = kind === undefined ? [{}, {}] : [refused[kind], partly[kind]];
  return [...new Set(names)].sort().map(name => feature(name, no!, some!));
};

/** Modifiers of `$push`, and positional operators in paths. */
const withinUpdates = ['$', '$[]', '$[<identifier>]', '$each', '$position', '$slice', '$sort'];

/** Returns the features that the server supports, read from its own tables. `SUPPORT.md` is generated from it. */
export const describeSupport = (): Support => ({
  commands: features(
    createCommands(true).all.map(({ name }) => name),
    'commands',
  ),
  stages: features([...stageNames, ...ownStages.keys()], 'stages'),
  expressions: features(operatorsFor().keys(), 'expressions'),
  accumulators: features(createAccumulators(undefined).keys(), 'accumulators'),
  windowFunctions: features(windowFunctions.keys()),
  queryOperators: features([...valueOperatorNames, ...topLevelNames], 'queryOperators'),
  updateOperators: features([...modifierNames, ...withinUpdates]),
});
