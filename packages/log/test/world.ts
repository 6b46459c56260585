/** A log whose time stands still. */
import { createLog } from '@tessera/log';
import type { EventSink, LogMessage, LogOptions, Platform } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';

export const platformWith = (more: Partial<Platform> = {}): Platform => ({
  os: { type: 'Linux' },
  runtime: 'test',
  environment: () => undefined,
  ...more,
});

const { clock } = createWorld({ turn: () => Promise.resolve() }).runtime;
export const standing = { ...clock, wallTime: () => 1_700_000_000_000 };

export const open = (options: LogOptions, platform: Partial<Platform> = {}): EventSink | undefined =>
  createLog({ clock: standing, platform: platformWith(platform) }, options);

/** Everything is logged, to a list. */
export const listen = (options: LogOptions = {}): { readonly sink: EventSink; readonly logs: LogMessage[] } => {
  const logs: LogMessage[] = [];
  const sink = open({
    mongodbLogComponentSeverities: { default: 'trace' },
    mongodbLogPath: { write: log => logs.push(log) },
    ...options,
  })!;
  return { sink, logs };
};
