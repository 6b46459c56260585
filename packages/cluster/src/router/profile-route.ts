import { fail, isNumber, toDouble } from '@tessera/mql/engine';
import type { Route } from './routes.js';

/**
 * A mongos has no collection for its profile.
 * @throws CommandError 2
 */
export const profile: Route = (_mongos, call, command, args) => {
  const level = isNumber(call.target) ? toDouble(call.target) : 0;
  if (level === 0 || level === -1) return command.run(call, args);
  throw fail(
    'BadValue',
    "Profiling is not permitted on mongoS: the 'profile' field should be 0 to change 'slowms', 'sampleRate', or 'filter' settings for logging, or -1 to view current values",
  );
};
