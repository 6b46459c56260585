import type { LogOptions, LogWritable } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { resolveSettings } from '../src/settings.js';
import type { LogSettings } from '../src/settings.js';

const resolve = (environment: Readonly<Record<string, string>>, options: LogOptions = {}): LogSettings =>
  resolveSettings(name => environment[name], options);

const off = { command: 'off', topology: 'off', serverSelection: 'off', connection: 'off' };
const levels = 'off, emergency, alert, critical, error, warn, notice, info, debug, trace';

describe('Logging, "Per-Component Configuration of Log Levels"', () => {
  test('by default, nothing is logged, the destination is stderr, and documents have up to 1000 units', () => {
    expect(resolve({})).toEqual({ severities: off, destination: 'stderr', maxDocumentLength: 1000, warnings: [] });
  });

  test('each component has a variable in any case, and MONGODB_LOG_ALL sets the other components', () => {
    expect(
      resolve({
        MONGODB_LOG_ALL: 'Warn',
        MONGODB_LOG_COMMAND: 'DEBUG',
        MONGODB_LOG_TOPOLOGY: 'off',
        MONGODB_LOG_SERVER_SELECTION: 'info',
        MONGODB_LOG_PATH: '/var/log/driver',
        MONGODB_LOG_MAX_DOCUMENT_LENGTH: '7',
      }),
    ).toEqual({
      severities: { command: 'debug', topology: 'off', serverSelection: 'info', connection: 'warn' },
      destination: '/var/log/driver',
      maxDocumentLength: 7,
      warnings: [],
    });
    expect(resolve({ MONGODB_LOG_CONNECTION: 'trace' }).severities).toEqual({ ...off, connection: 'trace' });
  });

  test('a length has up to 15 digits, and 0 means no limit', () => {
    const of = (length: string): number => resolve({ MONGODB_LOG_MAX_DOCUMENT_LENGTH: length }).maxDocumentLength;
    expect(['250', '999999999999999', '1000000000000000', '2.5', 'x2', '2x', '0', ''].map(of)).toEqual([
      ...[250, 999_999_999_999_999, 1000, 1000, 1000, 1000, Infinity, 1000],
    ]);
  });

  test('an invalid value is ignored with a warning', () => {
    expect(
      resolve({ MONGODB_LOG_ALL: 'loud', MONGODB_LOG_COMMAND: 'info', MONGODB_LOG_MAX_DOCUMENT_LENGTH: '-1' }),
    ).toEqual({
      severities: { ...off, command: 'info' },
      destination: 'stderr',
      maxDocumentLength: 1000,
      warnings: [
        "MONGODB_LOG_MAX_DOCUMENT_LENGTH is ignored: '-1' is not a whole number from 0.",
        `MONGODB_LOG_ALL is ignored: 'loud' is not one of ${levels}.`,
      ],
    });
  });
});

describe('Logging, "Supporting Both Programmatic and Environment Variable Configuration"', () => {
  test('options take precedence over the environment', () => {
    const writable: LogWritable = { write: () => undefined };
    expect(
      resolve(
        {
          MONGODB_LOG_ALL: 'trace',
          MONGODB_LOG_COMMAND: 'trace',
          MONGODB_LOG_PATH: 'stdout',
          MONGODB_LOG_MAX_DOCUMENT_LENGTH: '7',
        },
        {
          mongodbLogPath: writable,
          mongodbLogComponentSeverities: { topology: 'info', default: 'debug' },
          mongodbLogMaxDocumentLength: 0,
        },
      ),
    ).toEqual({
      severities: { command: 'debug', topology: 'info', serverSelection: 'debug', connection: 'debug' },
      destination: writable,
      maxDocumentLength: Infinity,
      warnings: [],
    });
  });

  test('an invalid option throws', () => {
    expect(() => resolve({}, { mongodbLogComponentSeverities: { command: 'loud' as never } })).toThrow(
      `"mongodbLogComponentSeverities.command" must be one of ${levels}, not 'loud'.`,
    );
    expect(() => resolve({}, { mongodbLogMaxDocumentLength: -1 })).toThrow(
      '"mongodbLogMaxDocumentLength" must be a whole number from 0 (no limit), not -1.',
    );
  });
});
