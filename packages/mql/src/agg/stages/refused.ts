import type { CommandError } from '../../errors.js';
import { fail } from '../../errors.js';
import type { StageParser } from '../stage.js';

/** A stage of MongoDB that is not supported: the reason, for the documentation, and the error. */
export interface RefusedStage {
  readonly why: string;
  readonly error: () => CommandError;
}

const atlas = 'Please connect to Atlas or an AtlasCLI local deployment to enable.';
const reading =
  'For more information on how to connect, see https://dochub.mongodb.org/core/atlas-cli-deploy-local-reqs.';

const why = 'requires the option search; without it, like a mongod without Atlas Search';

/** How to enable the stages on the embedded server, after the message of mongod. */
const hint = ' The embedded server runs them with its option "search".';

const search: RefusedStage = {
  why,
  error: () =>
    fail(
      'SearchNotEnabled',
      `Using $search and $vectorSearch aggregation stages requires additional configuration. ${atlas}${reading}${hint}`,
    ),
};

const searchIndexes: RefusedStage = {
  why,
  error: () =>
    fail(
      'SearchNotEnabled',
      `Using Atlas Search Database Commands and the $listSearchIndexes aggregation stage requires additional configuration. ${atlas} ${reading}${hint}`,
    ),
};

const unsupported = (name: string, why: string): readonly [string, RefusedStage] => [
  name,
  { why, error: () => fail('CommandNotSupported', `${name} is not supported by this server: it ${why}`) },
];

/** The stages of MongoDB that are not supported, by name. */
export const refusedStages: ReadonlyMap<string, RefusedStage> = new Map([
  ['$listSearchIndexes', searchIndexes],
  ['$search', search],
  ['$searchMeta', search],
  ['$vectorSearch', search],
  unsupported('$listSampledQueries', 'reads sampled queries, which this server does not collect'),
  unsupported('$querySettings', 'reads query settings, which this server does not have'),
  unsupported('$queryStats', 'reads statistics that this server does not collect'),
  unsupported('$shardedDataDistribution', 'reads the sizes of data on each shard; use collStats'),
]);

export const parseRefused: StageParser = (_spec, _context, name) => {
  throw refusedStages.get(name)!.error();
};
