import type { Deployment } from '../deployment.js';
import { uriOf } from '../deployment.js';
import type { Peer } from '../peer.js';
import { plainEnvironment, runLogged } from '../run-logged.js';
import { topologies } from '../topology.js';
import { readChecks } from './checks.js';

/** The command of an installed program. */
export interface Ready {
  readonly file: string;
  readonly args: readonly string[];
  /** Variables in addition to those of the deployment. */
  readonly env?: NodeJS.ProcessEnv;
  /** Arguments that depend on the deployment, in addition to `args`. */
  readonly argsFor?: (at: Deployment) => readonly string[];
}

/** A program of this repository that uses a client of another project. */
export interface Program {
  readonly name: string;
  readonly description: string;
  /** Whether the program is part of a short run. Defaults to false. */
  readonly short?: boolean;
  /**
   * Installs the program on first use.
   * @throws Unavailable if a compiler or registry is missing
   */
  install(signal: AbortSignal): Promise<Ready>;
}

/** The time limit of a program, in milliseconds. */
const patience = 300_000;

const environmentFor = (at: Deployment): NodeJS.ProcessEnv => ({
  ...plainEnvironment(),
  MONGODB_URI: uriOf(at),
  TOPOLOGY: at.shape.topology,
  ...(at.tls === undefined ? {} : { TLS_CA_FILE: at.tls.authority }),
});

/** Makes a peer of a program. Its checks are the tests of one file with the program's name. */
export const programPeer = (program: Program): Peer => ({
  name: program.name,
  description: program.description,
  files: [program.name],
  short: program.short === true ? [program.name] : [],
  secured: topologies,
  prepare: async signal => {
    const { file: command, args, env, argsFor } = await program.install(signal);
    return {
      run: fileRun => {
        const { file, at, more } = fileRun;
        const inTime = { ...fileRun, signal: AbortSignal.any([fileRun.signal, AbortSignal.timeout(patience)]) };
        return runLogged(program.name, inTime, {
          file: command,
          args: [...args, ...(argsFor?.(at) ?? []), ...more],
          env: { ...environmentFor(at), ...env },
          read: ({ log }) => readChecks(file, log),
        });
      },
    };
  },
});
