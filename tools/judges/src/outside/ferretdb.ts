import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from './engine.js';
import { kept, recipes } from '../folders.js';
import { digest, installOnce } from './install.js';
import { fetching, versionOf } from './program.js';

const recipe = join(recipes, 'ferretdb');
const files = ['main.go', 'go.mod', 'go.sum'].map(name => join(recipe, name));
const program = process.platform === 'win32' ? 'ferretdb.exe' : 'ferretdb';
const advice = 'install Go 1.24 or newer (go.dev) and run the same command again';

/** Builds the program. The caches of the compiler, about 700 MB, are removed afterwards. */
const build = (signal: AbortSignal | undefined): Promise<string> =>
  installOnce(join(kept, `ferretdb-${digest([], files)}`), async unfinished => {
    await versionOf('go', ['version'], advice);
    const [source, modules, cache] = ['source', 'modules', 'cache'].map(name => join(unfinished, name)) as [
      string,
      string,
      string,
    ];
    cpSync(recipe, source, { recursive: true });
    const env = {
      ...process.env,
      ...{ GOMODCACHE: modules, GOCACHE: cache, GOFLAGS: '-modcacherw -buildvcs=false -mod=readonly', GOWORK: 'off' },
    };
    const args = ['build', '-trimpath', '-tags', 'ferretdb_no_postgresql', '-o', join(unfinished, program), '.'];
    await fetching('ferretdb', 'go', args, { cwd: source, env, signal });
    for (const folder of [source, modules, cache]) rmSync(folder, { recursive: true, force: true });
  });

export const ferretdb: Engine = {
  description: 'FerretDB 1.24.2 (Go over SQLite); standalone',
  install: async signal => ({ file: join(await build(signal), program), args: [] }),
  persona: () => ({ args: [], query: '' }),
  // With an authority, FerretDB requires a certificate from every client.
  tls: ({ certificate, key }) => [certificate, key],
  auth: undefined,
};
