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
import { searchCommands } from './search/commands.js';
import { searchStages } from './search/stages.js';
import { ownStages } from './commands/own-stages.js';

/** A command, stage or operator of MongoDB that this server recognizes. */
export interface Feature {
  /** The name in MongoDB, such as `find`, `$group` or `$elemMatch`. */
  readonly name: string;
  /**
   * `partly`: the note describes what is missing. `refused`: the server returns an error, and the note gives the
   * reason.
   */
  readonly status: 'supported' | 'partly' | 'refused';
  /** Empty if the feature is supported. */
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

const ofSets = 'only on a replica set member';
const forTests = 'only with the option testCommands';
const withSearch = 'only with the option search';

const refused = {
  commands: {
    replSetAbortPrimaryCatchUp: 'a primary never has to catch up',
    replSetInitiate: 'members of a replica set are initiated already',
  },
  stages: {
    ...Object.fromEntries(
      [...refusedStages].filter(([name]) => !searchStages.has(name)).map(([name, { why }]) => [name, why]),
    ),
  },
  expressions: {},
  accumulators: {},
  queryOperators: {},
} satisfies Readonly<Record<string, Notes>>;

const partly = {
  commands: {
    ...Object.fromEntries(searchCommands.map(({ name }) => [name, withSearch])),
    applyOps: 'in all versions as from 6.2 on: an error does not revert earlier operations',
    configureFailPoint: `${forTests}; only fail points used in tests of drivers`,
    dbStats: 'sizes of indexes are estimated; sizes of files are 0',
    explain: 'later stages of a pipeline have no statistics',
    getLog: 'only one startup warning',
    getParameter: 'only the parameters of GUIDE.md, of logs and locks, and some fixed ones',
    fsync: 'cannot lock the server',
    hostInfo: 'no information about the machine',
    replSetGetStatus: `${ofSets}; without statistics`,
    replSetReconfig: `${ofSets}; hosts outside of the process count as down`,
    setDefaultRWConcern: ofSets,
    serverStatus: 'only sections that drivers, shells and monitoring tools read',
    setParameter:
      'parameters of logs and locks have no effect; logComponentVerbosity and notablescan cannot be changed',
    testDeprecationInVersion2: forTests,
    testVersion2: forTests,
    waitForFailPoint: forTests,
  },
  stages: {
    $collStats: 'histograms of latencies have a single bucket',
    $currentOp: 'only the current operation, and operations that are paused while others run',
    $listSessions: 'the same as $listLocalSessions',
    $planCacheStats: 'always empty, because plans are not cached',
    ...Object.fromEntries([...searchStages.keys()].map(name => [name, `${withSearch}; see "Search" in GUIDE.md`])),
  },
  expressions: {
    $meta: 'only textScore, geoNearDistance, geoNearPoint, recordId, indexKey, sortKey and those of searches',
  },
  accumulators: {},
  queryOperators: {},
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

/** Returns the features that the server recognizes, as data. `SUPPORT.md` shows the same for readers. */
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
