import type { ContractCase } from '../case.js';
import { poolCases } from './bench.js';
import type { PoolSuiteDeps } from './bench.js';
import { checkingOut } from './checking-out.js';
import { clearing } from './clearing.js';
import { opening } from './opening.js';

/**
 * The terms of {@link ConnectionPool} and of Connection Monitoring and Pooling, for any pool that is made of a clock, an
 * event sink and a {@link Connect}.
 */
export const poolSuite = (deps: PoolSuiteDeps): readonly ContractCase[] => {
  const one = poolCases(deps);
  return [...checkingOut(one), ...clearing(one), ...opening(one)];
};
