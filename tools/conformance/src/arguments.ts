import { flag, oneOf, readArguments, text } from '@tessera-tools/house';
import { topologies, versions } from './unified/embedded.js';
import type { Combination } from './unified/embedded.js';

export const usage: string = `conformance [suite …] [--engine embedded|secantusdb] [--auth on|off] [--version V] [--topology T] [--case SUBSTRING] [--short] [--verbose] [--json FILE]
runs the fixtures of the specifications: data as it is, unified tests on the embedded server in each of its combinations
(versions ${versions.join(', ')}; topologies ${topologies.join(', ')}; with and without authentication), or on SecantusDB.
--short runs each case on the first combination that fits.
--verbose shows what the clients of a case that failed were told.
`;

/** What is to be run. */
export interface Wish {
  readonly suites: readonly string[];
  readonly engine: 'embedded' | 'secantusdb';
  readonly chosen: Partial<Combination>;
  /** A part of the names of the cases. */
  readonly part: string | undefined;
  /** Each case on one combination alone. */
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

/** @param suites the names of all suites, which are run if none is named @throws Mistake */
export const readWish = (given: readonly string[], suites: readonly string[]): Wish => {
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
