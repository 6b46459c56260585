import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@tessera-tools/house';
import type { Millis } from '@tessera/contracts';

/** One file for all policies: what differs between the curves is the policy and nothing else. */
export interface Parameters {
  /** Of every chance in the run. */
  readonly seed: number;
  readonly clients: number;
  /** How long the run takes. */
  readonly seconds: number;
  /** Operations that users begin per second, whatever became of those before: normally, and while there are too many. */
  readonly normalRate: number;
  readonly overloadRate: number;
  /** When there are too many, in seconds. */
  readonly overloadFrom: number;
  readonly overloadTo: number;
  /** How long the server works on one command, and how long on refusing one. */
  readonly serviceTime: Millis;
  readonly refusalTime: Millis;
  /** How many commands may wait for the server. */
  readonly queue: number;
  /** How long a packet takes. */
  readonly latency: Millis;
  /** How often an application tries that retries everything at once. */
  readonly naiveTries: number;
}

const file = join(root, 'tools', 'bench', 'src', 'overload', 'parameters.json');

export const readParameters = (): Parameters => JSON.parse(readFileSync(file, 'utf8')) as Parameters;
