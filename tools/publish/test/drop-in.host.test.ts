import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { startServer } from 'tessera-server';
import type { RunningServer } from 'tessera-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installDropIn, typeErrorsOfDropIn } from '../src/drop-in.js';
import { run } from '../src/program.js';

let project: string;
let server: RunningServer;
let uri: string;

beforeAll(async () => {
  project = await installDropIn();
  // SASLprep maps the sign to "IX".
  server = await startServer({ users: [{ user: 'ada', pwd: 'IX' }] });
  uri = server.uri.replace('://', `://ada:${encodeURIComponent('\u2168')}@`);
}, 120_000);

afterAll(async () => {
  await server.close();
});

/** A program with a password that needs SASLprep. */
const ping = `
import { MongoClient } from 'mongodb';
const client = new MongoClient(process.argv[2]);
client.db('shop').command({ ping: 1 }).then(({ ok }) => {
  console.log('ok:', ok);
  return client.close();
});
`;

const runProgram = async (file: string): Promise<unknown> => {
  copyFileSync(join(import.meta.dirname, 'drop-in', file), join(project, file));
  return run(process.execPath, [file, uri], project);
};

describe('@tessera/mongodb, installed under the name mongodb,', () => {
  test('works in a CommonJS program, which has the classes of npm bson', async () => {
    expect(await runProgram('require.cjs')).toEqual({ code: 0, stdout: 'required\n', stderr: '' });
  });

  test('works in an ES module, which has the classes of npm bson', async () => {
    expect(await runProgram('import.mjs')).toEqual({ code: 0, stdout: 'imported\n', stderr: '' });
  });

  test('loads a mechanism from the CommonJS module if Node.js cannot read the ES module', async () => {
    const { stdout, stderr } = (await runProgram('unreadable.mjs')) as {
      readonly stdout: string;
      readonly stderr: string;
    };
    expect([stdout, stderr]).toEqual(['MongoServerError 334 true\n', '']);
  });

  test.each(['node10', 'node16'] as const)(
    'has types for moduleResolution %s',
    { timeout: 120_000 },
    async resolution => {
      expect(await typeErrorsOfDropIn(project, resolution)).toEqual([]);
    },
  );

  test.each(['cjs', 'esm'] as const)('runs after esbuild has bundled it in the format %s', async format => {
    const bundle = join(project, 'bundled', format === 'cjs' ? 'program.cjs' : 'program.mjs');
    await build({
      ...{ stdin: { contents: ping, resolveDir: project }, outfile: bundle },
      ...{ bundle: true, format, platform: 'node', logLevel: 'silent' },
    });
    expect(await run(process.execPath, [bundle, uri], project)).toEqual({
      code: 0,
      stdout: 'ok: 1\n',
      stderr: '',
    });
  });
});
