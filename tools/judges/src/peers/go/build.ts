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

/** The names of the built files. */
export const built: Readonly<Record<'program' | 'integration' | 'unified' | 'module', string>> = {
  program: process.platform === 'win32' ? 'peer.exe' : 'peer',
  /**
   * The tests of the package `internal/integration`. `unified` has those of its subpackage, which runs unified
   * fixtures.
   */
  integration: 'integration.test',
  unified: 'unified.test',
  /** The source of the driver, because the tests read files beside them. */
  module: 'module',
};

/**
 * Downloads the driver's module, verified by go.sum, and compiles its tests and our program. The caches of the
 * compiler, about 700 MB, are removed afterwards.
 * @returns the folder with the built files
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
    // The module's own go.sum covers the other dependencies of its tests.
    const tests = { GOFLAGS: '-modcacherw -buildvcs=false -mod=mod' };
    await go(module, ['test', '-c', '-o', join(unfinished, built.integration), './internal/integration'], tests);
    await go(module, ['test', '-c', '-o', join(unfinished, built.unified), './internal/integration/unified'], tests);
    for (const each of [own, modules, cache]) rmSync(each, { recursive: true, force: true });
  });
}
