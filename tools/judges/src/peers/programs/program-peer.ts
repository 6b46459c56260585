import type { Deployment } from '../deployment.js';
import { uriOf } from '../deployment.js';
import type { Peer } from '../peer.js';
import { plainEnvironment, runLogged } from '../run-logged.js';
import { topologies } from '../topology.js';
import { readTold } from './told.js';

/** A program that is ready to be run. */
export interface Ready {
  readonly file: string;
  readonly args: readonly string[];
  /** More than where the deployment is. */
  readonly env?: NodeJS.ProcessEnv;
  /** More than that, which depends on the deployment. */
  readonly argsFor?: (at: Deployment) => readonly string[];
}

/** A program of ours, written with somebody else's client. */
export interface Program {
  readonly name: string;
  readonly description: string;
  /** Whether it is quick to install and to run; it is not, if this is absent. */
  readonly short?: boolean;
  /** @throws Unavailable */
  install(signal: AbortSignal): Promise<Ready>;
}

/** Milliseconds that a program may take. */
const patience = 300_000;

const environmentFor = (at: Deployment): NodeJS.ProcessEnv => ({
  ...plainEnvironment(),
  MONGODB_URI: uriOf(at),
  TOPOLOGY: at.shape.topology,
  ...(at.tls === undefined ? {} : { TLS_CA_FILE: at.tls.authority }),
});

/** Its checks, as the tests of a file that has the program's name. */
export const programPeer = (program: Program): Peer => ({
  name: program.name,
  description: program.description,
  files: [program.name],
  short: program.short === true ? [program.name] : [],
  secured: topologies,
  prepare: async signal => {
    const { file: command, args, env, argsFor } = await program.install(signal);
    return {
      run: errand => {
        const { file, at, more } = errand;
        const inTime = { ...errand, signal: AbortSignal.any([errand.signal, AbortSignal.timeout(patience)]) };
        return runLogged(program.name, inTime, {
          file: command,
          args: [...args, ...(argsFor?.(at) ?? []), ...more],
          env: { ...environmentFor(at), ...env },
          read: ({ log }) => readTold(file, log),
        });
      },
    };
  },
});
