import { flag, oneOf, readArguments, text } from '@tessera-tools/house';
import { topologies, versions } from './unified/embedded.js';
import type { Combination } from './unified/embedded.js';

export const usage: string = `conformance [suite …] [--engine embedded|secantusdb] [--auth on|off] [--version V] [--topology T] [--case SUBSTRING] [--short] [--verbose] [--json FILE]
Runs the fixtures of the specifications. Unified tests run on the embedded server in each of its combinations (versions ${versions.join(', ')};
topologies ${topologies.join(', ')}; with and without authentication), or on SecantusDB. Data-driven tests need no server.
--short runs each case on the first combination that fits.
--verbose prints the commands and replies of each case that failed.
`;

/** The suites to run, the deployments to run them on, and how to report the results. */
export interface Arguments {
  readonly suites: readonly string[];
  readonly engine: 'embedded' | 'secantusdb';
  readonly chosen: Partial<Combination>;
  /** Runs only the cases whose name contains this text. */
  readonly part: string | undefined;
  /** Runs each case on a single combination. */
  readonly short: boolean;
  readonly verbose: boolean;
  readonly json: string | undefined;
}

const options = {
  engine: oneOf(['embedded', 'secantusdb']),
  auth: oneOf(['on', 'off']),
  version: text,
  topology: oneOf(topologies),
  case: text,
  json: text,
  short: flag,
  verbose: flag,
};

/**
 * Reads the arguments.
 * @param suites the names of all suites, which run if none is given
 * @throws Mistake if an argument is invalid
 */
export const readCommandLine = (given: readonly string[], suites: readonly string[]): Arguments => {
  const { options: found, words } = readArguments({ options, words: { noun: 'suite', known: suites } }, given);
  const { engine = 'embedded', auth, version, topology, case: part, json, short, verbose } = found;
  return {
    suites: words.length > 0 ? words : suites,
    engine,
    chosen: {
      ...(version === undefined ? {} : { version }),
      ...(topology === undefined ? {} : { topology }),
      ...(auth === undefined ? {} : { auth: auth === 'on' }),
    },
    ...{ part, json, short, verbose },
  };
};
