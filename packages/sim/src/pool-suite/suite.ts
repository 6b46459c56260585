import type { ContractCase } from '../case.js';
import { poolCases } from './bench.js';
import type { PoolSuiteDeps } from './bench.js';
import { checkingOut } from './checking-out.js';
import { clearing } from './clearing.js';
import { opening } from './opening.js';

/** A part of {@link poolSuite}. */
export type PoolSuitePart = 'checkingOut' | 'clearing' | 'opening';

const parts = { checkingOut, clearing, opening };

/**
 * Returns the cases of {@link ConnectionPool} and of Connection Monitoring and Pooling, for any pool that is created
 * from a clock, an event sink and a {@link Connect}.
 * @param only parts of the suite, for a pool under development; default all
 */
export const poolSuite = (deps: PoolSuiteDeps, only?: readonly PoolSuitePart[]): readonly ContractCase[] => {
  const one = poolCases(deps);
  const chosen = only?.map(part => parts[part]) ?? Object.values(parts);
  return chosen.flatMap(casesOf => casesOf(one));
};
