import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { lastLines, run as runProgram } from '../../outside/program.js';
import type { Deployment } from '../deployment.js';
import { uriOf } from '../deployment.js';
import { plainEnvironment } from '../environment.js';
import { reports } from '../../folders.js';
import type { Errand, Peer } from '../peer.js';
import type { TestResult } from '../test-result.js';
import { nameOf, topologies } from '../topology.js';
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
  /** Whether it is quick to install and to run. */
  readonly short: boolean;
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
  short: program.short ? [program.name] : [],
  secured: topologies,
  prepare: async signal => {
    const { file: command, args, env, argsFor } = await program.install(signal);
    return {
      run: async ({ file, at, more, signal: whole }: Errand): Promise<readonly TestResult[]> => {
        const folder = join(reports, program.name);
        mkdirSync(folder, { recursive: true });
        const log = join(folder, `${nameOf(at.shape).replaceAll(/[^\w-]+/g, '-')}.log`);
        const options = {
          cwd: folder,
          env: { ...environmentFor(at), ...env },
          log,
          signal: AbortSignal.any([whole, AbortSignal.timeout(patience)]),
        };
        const { log: said } = await runProgram(command, [...args, ...(argsFor?.(at) ?? []), ...more], options);
        try {
          return readTold(file, said);
        } catch (error) {
          throw new Error(`${(error as Error).message} Its log is ${log}:\n${lastLines(said)}`, { cause: error });
        }
      },
    };
  },
});
