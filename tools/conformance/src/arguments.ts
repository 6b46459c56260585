import { parseArgs } from 'node:util';
import { topologies, versions } from './unified/embedded.js';
import type { Combination } from './unified/embedded.js';

export const usage: string = `conformance [suite …] [--engine embedded|secantusdb] [--auth on|off] [--version V] [--topology T] [--case SUBSTRING] [--short] [--verbose] [--json FILE]
runs the fixtures of the specifications: data as it is, unified tests on the embedded server in each of its combinations
(versions ${versions.join(', ')}; topologies ${topologies.join(', ')}; with and without authentication), or on SecantusDB.
--short runs each case on the first combination that fits.
--verbose shows what the clients of a case that failed were told.`;

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

const oneOf = <T extends string>(name: string, value: string | undefined, known: readonly T[]): T | undefined => {
  if (value === undefined || known.includes(value as T)) return value as T | undefined;
  throw new Error(`--${name} is one of ${known.join(', ')}, not ${value}.`);
};

/** Undefined if help is wanted. @throws Error that says what is wrong */
export const readArguments = (args: readonly string[]): Wish | undefined => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...{ engine: { type: 'string' }, auth: { type: 'string' }, version: { type: 'string' } },
      ...{ topology: { type: 'string' }, case: { type: 'string' }, json: { type: 'string' } },
      ...{ short: { type: 'boolean' }, verbose: { type: 'boolean' }, help: { type: 'boolean' } },
    },
  });
  if (values.help === true) return undefined;
  const auth = oneOf('auth', values.auth, ['on', 'off']);
  const topology = oneOf('topology', values.topology, topologies);
  return {
    suites: positionals,
    engine: oneOf('engine', values.engine, ['embedded', 'secantusdb']) ?? 'embedded',
    chosen: {
      ...(values.version === undefined ? {} : { version: values.version }),
      ...(topology === undefined ? {} : { topology }),
      ...(auth === undefined ? {} : { auth: auth === 'on' }),
    },
    part: values.case,
    short: values.short ?? false,
    verbose: values.verbose ?? false,
    json: values.json,
  };
};
