import type { ContractCase } from '../case.js';
import { connectCases } from './bench.js';
import type { ConnectSuiteDeps } from './bench.js';
import { commandEvents, commands } from './commands.js';
import { opening } from './opening.js';

/** Returns the cases of {@link CreateConnect}: handshakes, and the resulting connections. */
export const connectSuite = (deps: ConnectSuiteDeps): readonly ContractCase[] => {
  const one = connectCases(deps);
  return [...opening(one), ...commands(one), ...commandEvents(one)];
};
