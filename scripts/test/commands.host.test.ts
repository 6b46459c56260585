import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const scratch = mkdtempSync(join(tmpdir(), 'tessera-scripts-'));
afterAll(() => {
  rmSync(scratch, { recursive: true, force: true });
});

interface Ended {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

const run = (...args: string[]): Promise<Ended> =>
  new Promise(resolve => {
    execFile(process.execPath, args, { cwd: root }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, stdout, stderr });
    });
  });

/** Writes a script of this test. Its imports of repository scripts become absolute paths. */
function script(name: string, code: string): string {
  const file = join(scratch, name);
  writeFileSync(file, code.replaceAll('scripts/', `${join(root, 'scripts')}/`));
  return file;
}

test.each(['0.10.48', '18.20.8', '20.18.3'])('rejects Node.js %s with one sentence', async version => {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
  const { code, stderr } = await run('-e', `${pretend} require('./scripts/require-node.cjs')`);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    new RegExp(`^Tessera needs Node\\.js 20\\.19 or newer, and this is Node\\.js ${version} .*again\\.\\n$`),
  );
});

test.each(['20.19.0', '22.12.0', '26.0.0'])('accepts Node.js %s', async version => {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
  expect(await run('-e', `${pretend} require('./scripts/require-node.cjs')`)).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
});

test('lists the commands for an unknown command', async () => {
  const { code, stderr } = await run('scripts/bootstrap.mjs', 'fly');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^There is no command "fly": setup, start, test, .*\.\n$/) as string,
  });
});

test('runAloud returns the exit code, or 128 plus the number of the signal', async () => {
  const file = script(
    'aloud.mjs',
    `import { runAloud } from 'scripts/child.mjs';
     for (const code of ['process.exit(7)', 'process.kill(process.pid, "SIGTERM")']) console.log(await runAloud(process.execPath, ['-e', code]));`,
  );
  expect(await run(file)).toEqual({ code: 0, stdout: '7\n143\n', stderr: '' });
});

test('runAloud passes a signal on once without a terminal, and the child may handle it', async () => {
  const child = script(
    'child.mjs',
    `process.on('SIGINT', () => { console.log('asked'); process.exitCode = 5; clearInterval(on); }); const on = setInterval(() => {}, 1000); console.log('ready');`,
  );
  const parent = script(
    'parent.mjs',
    `import { runAloud } from 'scripts/child.mjs'; process.exitCode = await runAloud(process.execPath, ['${child}']);`,
  );
  const running = spawn(process.execPath, [parent], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  running.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (output === '') running.kill('SIGINT');
    output += text;
  });
  expect(await once(running, 'close')).toEqual([5, null]);
  expect(output).toBe('ready\nasked\n');
});

test('runQuietly returns the output and the exit code', async () => {
  const file = script(
    'quiet.mjs',
    `import { runQuietly } from 'scripts/child.mjs';
     console.log(JSON.stringify(await runQuietly(process.execPath, ['-e', 'console.error("no"); process.exitCode = 3'])));`,
  );
  expect(await run(file)).toEqual({ code: 0, stdout: '{"code":3,"log":"no\\n"}\n', stderr: '' });
});

test('the reporter counts tests, and accepts a skipped test only with a reason', async () => {
  const file = join(scratch, 'tally.json');
  const code = `
    import Reporter from 'scripts/tally-reporter.mjs';
    const of = (name, result) => ({ name, fullName: name, result: () => result });
    const tests = [
      of('passes', { state: 'passed' }),
      of('fails', { state: 'failed', errors: [{ message: 'why' }] }),
      of('says why', { state: 'skipped', note: 'no server' }),
      of('says why (skipped: in its title)', { state: 'skipped' }),
      of('does not', { state: 'skipped' }),
    ];
    const suite = { errors: () => [{ message: 'hook' }] };
    const module = { ...suite, relativeModuleId: 'a.test.ts', children: { allSuites: () => [], allTests: () => tests } };
    process.env.TALLY = ${JSON.stringify(file)};
    new Reporter().onTestRunEnd([module], [{ message: 'lost' }]);`;
  expect(await run(script('report.mjs', code))).toEqual({ code: 0, stdout: '', stderr: '' });
  const { passed, failed, skipped } = JSON.parse(readFileSync(file, 'utf8'));
  expect(passed).toBe(1);
  expect(
    failed.map(({ title, reason }: { title: string; reason: string }) => `${title}: ${reason.slice(0, 20)}`),
  ).toEqual([
    'an error outside every test: lost',
    'a.test.ts: hook',
    'a.test.ts > fails: why',
    'a.test.ts > does not: the test was skipped',
  ]);
  expect(skipped).toEqual([
    { title: 'a.test.ts > says why', reason: 'no server' },
    { title: 'a.test.ts > says why (skipped: in its title)', reason: 'in its title' },
  ]);
});
