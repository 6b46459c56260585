import type { OpenLog } from '@tessera/contracts';
import { openLog } from './open-log.js';
import { resolveSettings } from './settings.js';

/**
 * Creates the driver's log from its events. Options take precedence over environment variables. Returns undefined if
 * nothing is to be logged, so that no events are built. Rule: Logging; the messages are specified by Command Logging
 * and Monitoring, SDAM Logging and Monitoring, Server Selection, and Connection Monitoring and Pooling.
 * @throws MongoError `usage` for invalid options; `Host.warn` receives a warning for each invalid environment variable.
 */
export const createLog: OpenLog = ({ clock, host }, options) => {
  const settings = resolveSettings(name => host.environment(name), options);
  for (const warning of settings.warnings) host.warn?.(warning);
  return openLog({ clock, host }, settings);
};
