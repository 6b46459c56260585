import { copyFileSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { kept, programs } from '../../folders.js';
import { digest, installOnce } from '../../outside/install.js';
import { fetching, versionOf } from '../../outside/program.js';

const source = join(programs, 'go');
const files = ['go.mod', 'go.sum', 'main.go'];
const driver = 'go.mongodb.org/mongo-driver/v2';
const advice = 'install Go 1.25 or newer (go.dev) and run the same command again';

/** Names of what is built. */
export const built: Readonly<Record<'program' | 'integration' | 'unified' | 'module', string>> = {
  program: process.platform === 'win32' ? 'peer.exe' : 'peer',
  /** The tests of the package `internal/integration`, and of the one below it that runs unified fixtures. */
  integration: 'integration.test',
  unified: 'unified.test',
  /** The driver's module with its tests, which find files beside them. */
  module: 'module',
};

/**
 * Fetches the driver by its module, made sure by go.sum, and compiles its tests and our program. The compiler's caches, some
 * 700 MB, are not kept.
 * @returns the folder of all that
 * @throws Unavailable if Go or the module proxy is missing
 */
export async function buildGo(signal: AbortSignal): Promise<string> {
  await versionOf('go', ['version'], advice);
  const folder = join(kept, `peer-go-${digest([driver], [...files.map(name => join(source, name))])}`);
  return installOnce(folder, async unfinished => {
    const [own, modules, cache, module] = ['own', 'modules', 'cache', built.module].map(name =>
      join(unfinished, name),
    ) as [string, string, string, string];
    mkdirSync(own);
    for (const name of files) copyFileSync(join(source, name), join(own, name));
    const common = { GOMODCACHE: modules, GOCACHE: cache, GOWORK: 'off' };
    const env = { ...process.env, ...common, GOFLAGS: '-modcacherw -buildvcs=false -mod=readonly' };
    const go = (cwd: string, args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<void> =>
      fetching('go', 'go', args, { cwd, env: { ...env, ...more }, signal });
    await go(own, ['build', '-o', join(unfinished, built.program), '.']);
    const { stdout } = await promisify(execFile)('go', ['list', '-m', '-f', '{{.Dir}}', driver], { cwd: own, env });
    cpSync(stdout.trim(), module, { recursive: true });
    // What its tests need besides is in the module's own go.sum.
    const tests = { GOFLAGS: '-modcacherw -buildvcs=false -mod=mod' };
    await go(module, ['test', '-c', '-o', join(unfinished, built.integration), './internal/integration'], tests);
    await go(module, ['test', '-c', '-o', join(unfinished, built.unified), './internal/integration/unified'], tests);
    for (const each of [own, modules, cache]) rmSync(each, { recursive: true, force: true });
  });
}
