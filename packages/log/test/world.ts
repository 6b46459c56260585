/** A log with a fixed clock. */
import { createLog } from '@tessera/log';
import type { EventSink, Host, LogMessage, LogOptions } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';

export const hostWith = (more: Partial<Host> = {}): Host => ({
  environment: () => undefined,
  ...more,
});

const { clock } = createWorld({ turn: () => Promise.resolve() }).runtime;
export const standing = { ...clock, wallTime: () => 1_700_000_000_000 };

export const open = (options: LogOptions, host: Partial<Host> = {}): EventSink | undefined =>
  createLog({ clock: standing, host: hostWith(host) }, options);

/** Logs everything to a list. */
export const listen = (options: LogOptions = {}): { readonly sink: EventSink; readonly logs: LogMessage[] } => {
  const logs: LogMessage[] = [];
  const sink = open({
    mongodbLogComponentSeverities: { default: 'trace' },
    mongodbLogPath: { write: log => logs.push(log) },
    ...options,
  })!;
  return { sink, logs };
};
