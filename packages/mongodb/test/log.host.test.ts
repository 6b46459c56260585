/** The log of separate processes that use the built package, with options from the environment. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startServer } from 'tessera-server';
import type { RunningServer } from 'tessera-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let server: RunningServer;
let folder: string;
beforeAll(async () => {
  server = await startServer();
  folder = mkdtempSync(join(tmpdir(), 'tessera-log-'));
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Runs a program that sends a ping. Returns its output without ids and times. */
const ping = async (environment: Readonly<Record<string, string>>, options = '{}'): Promise<readonly string[]> => {
  const program = `
    import { MongoClient } from '@tessera/mongodb';
    const client = new MongoClient(${JSON.stringify(server.uri)}, ${options});
    await client.db('shop').command({ ping: 1 });
    await client.close();
  `;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { ...process.env, ...environment },
    timeout: 15_000,
  });
  return [stdout, stderr];
};

const messagesOf = (lines: string): readonly string[] =>
  [...lines.matchAll(/^\S+Z debug command Command "(\w+)" (started|succeeded)/gm)].map(
    ([, name, how]) => `${name} ${how}`,
  );

const pinged = ['ping started', 'ping succeeded', 'endSessions started', 'endSessions succeeded'];

describe('Logging, "Minimizing Required Code Changes"', () => {
  test('a program logs nothing without logging variables in its environment', async () => {
    expect(await ping({})).toEqual(['', '']);
  });

  test('MONGODB_LOG_COMMAND=debug logs commands to stderr, and MONGODB_LOG_PATH selects another target', async () => {
    const [stdout, stderr] = await ping({ MONGODB_LOG_COMMAND: 'debug' });
    expect([stdout, messagesOf(stderr!)]).toEqual(['', pinged]);
    const [out, err] = await ping({ MONGODB_LOG_COMMAND: 'debug', MONGODB_LOG_PATH: 'STDOUT' });
    expect([messagesOf(out!), err]).toEqual([pinged, '']);
    const path = join(folder, 'driver.log');
    expect(await ping({ MONGODB_LOG_COMMAND: 'debug', MONGODB_LOG_PATH: path })).toEqual(['', '']);
    expect(messagesOf(readFileSync(path, 'utf8'))).toEqual(pinged);
  });

  test('options take precedence over the environment, and an invalid variable prints a warning', async () => {
    const off = "{ mongodbLogComponentSeverities: { command: 'off' } }";
    expect(await ping({ MONGODB_LOG_COMMAND: 'debug' }, off)).toEqual(['', '']);
    const [stdout, stderr] = await ping({ MONGODB_LOG_ALL: 'loud' });
    expect(stdout).toBe('');
    expect(stderr).toContain("MongoDBWarning: MONGODB_LOG_ALL is ignored: 'loud' is not one of off,");
  });
});
