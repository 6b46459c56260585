import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@tessera-tools/house';
import type { Millis } from '@tessera/contracts';

/**
 * The parameters of the simulation. They are the same for all policies, so only the policy differs between the curves.
 */
export interface Parameters {
  /** The seed of all random numbers. */
  readonly seed: number;
  readonly clients: number;
  /** The duration of the run. */
  readonly seconds: number;
  /** Operations that users start per second, normally and during the overload. The rate does not depend on results. */
  readonly normalRate: number;
  readonly overloadRate: number;
  /** The start and end of the overload, in seconds. */
  readonly overloadFrom: number;
  readonly overloadTo: number;
  /** The time that the server needs to execute a command, and to reject one. */
  readonly serviceTime: Millis;
  readonly refusalTime: Millis;
  /** The maximum number of commands that wait for the server. */
  readonly queue: number;
  /** The network latency of a packet. */
  readonly latency: Millis;
  /** The number of tries of an application that retries every error immediately. */
  readonly naiveTries: number;
}

const file = join(root, 'tools', 'bench', 'src', 'overload', 'parameters.json');

export const readParameters = (): Parameters => JSON.parse(readFileSync(file, 'utf8')) as Parameters;
