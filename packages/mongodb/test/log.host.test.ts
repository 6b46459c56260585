/** Programs of their own, with the built package, whose environment says what is logged. */
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

/** Runs a program that pings, and answers what it wrote; ids and times are left out. */
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

const told = (lines: string): readonly string[] =>
  [...lines.matchAll(/^\S+Z debug command Command "(\w+)" (started|succeeded)/gm)].map(
    ([, name, how]) => `${name} ${how}`,
  );

const pinged = ['ping started', 'ping succeeded', 'endSessions started', 'endSessions succeeded'];

describe('Logging, "Minimizing Required Code Changes"', () => {
  test('without a word in its environment a program logs nothing', async () => {
    expect(await ping({})).toEqual(['', '']);
  });

  test('MONGODB_LOG_COMMAND=debug logs commands to stderr, MONGODB_LOG_PATH to another place', async () => {
    const [stdout, stderr] = await ping({ MONGODB_LOG_COMMAND: 'debug' });
    expect([stdout, told(stderr!)]).toEqual(['', pinged]);
    const [out, err] = await ping({ MONGODB_LOG_COMMAND: 'debug', MONGODB_LOG_PATH: 'STDOUT' });
    expect([told(out!), err]).toEqual([pinged, '']);
    const path = join(folder, 'driver.log');
    expect(await ping({ MONGODB_LOG_COMMAND: 'debug', MONGODB_LOG_PATH: path })).toEqual(['', '']);
    expect(told(readFileSync(path, 'utf8'))).toEqual(pinged);
  });

  test('options go before the environment, and what is said wrongly there is a warning', async () => {
    const off = "{ mongodbLogComponentSeverities: { command: 'off' } }";
    expect(await ping({ MONGODB_LOG_COMMAND: 'debug' }, off)).toEqual(['', '']);
    const [stdout, stderr] = await ping({ MONGODB_LOG_ALL: 'loud' });
    expect(stdout).toBe('');
    expect(stderr).toContain("MongoDBWarning: MONGODB_LOG_ALL is ignored: 'loud' is not one of off,");
  });
});
