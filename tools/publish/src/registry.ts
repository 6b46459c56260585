import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pack } from './pack.js';
import { mustRun } from './program.js';
import { closure } from './workspace.js';

/** A package registry on this machine. */
export interface Registry {
  readonly url: string;
  close(): void;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
}

/** Starts a registry that has these packages and the packages of this repository that they depend on, as packed. */
export async function startRegistry(names: readonly string[]): Promise<Registry> {
  const answers = new Map<string, string | Buffer>();
  const server = createServer(({ url = '' }, response) => {
    const answer = answers.get(decodeURIComponent(url));
    response.writeHead(answer === undefined ? 404 : 200).end(answer ?? '{}');
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const name of closure(names).ours) {
    const tarball = await pack(name);
    const { stdout } = await mustRun('tar', ['-xzOf', tarball, join('package', 'package.json')], '.');
    const manifest = JSON.parse(stdout) as Manifest;
    const { version } = manifest;
    const path = `/tarballs/${name}.tgz`;
    const bytes = readFileSync(tarball);
    answers.set(path, bytes);
    const shasum = createHash('sha1').update(bytes).digest('hex');
    const versions = { [version]: { ...manifest, dist: { tarball: url + path, shasum } } };
    // pnpm installs no version that was published only recently.
    const time = { [version]: '2025-01-01T00:00:00.000Z' };
    answers.set(`/${name}`, JSON.stringify({ name, 'dist-tags': { latest: version }, versions, time }));
  }
  return { url, close: () => server.close() };
}
