import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { startServer } from 'tessera-server';
import type { RunningServer } from 'tessera-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileIn, installedSize, installPacked } from '../src/index.js';
import type { Compiled } from '../src/index.js';

const five = ['@tessera/bson', '@tessera/wire', '@tessera/connection', '@tessera/pool', '@tessera/node'];
const example = join(import.meta.dirname, '..', '..', '..', 'examples', 'custom-client');
const printed = "MongoDB 8.2.1: [ { _id: 1, text: 'five packages suffice' } ]\n";

let client: Compiled | undefined;
let server: RunningServer | undefined;

beforeAll(async () => {
  client = await compileIn(await installPacked(five), join(example, 'src'));
  server = await startServer();
}, 120_000);

afterAll(async () => {
  client?.remove();
  await server?.close();
});

test('the custom client runs with only bson, wire, connection, pool and node', async () => {
  expect(await client!.run('main', server!.address)).toEqual({ code: 0, stdout: printed, stderr: '' });
});

/** Returns the package of a file, such as `@tessera/pool` for `…/node_modules/@tessera/pool/dist/x.js`. */
const packageOf = (file: string): string | undefined =>
  /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(file)?.[1];

test('the bundled custom client contains only the five packages, contracts and the npm package bson, and runs', async () => {
  const bundle = join(client!.folder, 'bundle.js');
  const options = { bundle: true, format: 'esm', platform: 'node', minify: true, metafile: true } as const;
  const { metafile } = await build({ ...options, entryPoints: [join(client!.folder, 'main.js')], outfile: bundle });
  const packages = new Set(Object.keys(metafile.inputs).flatMap(file => packageOf(file) ?? []));
  expect([...packages].sort()).toEqual([...five, '@tessera/contracts', 'bson'].sort());
  expect(await client!.run('bundle', server!.address)).toEqual({ code: 0, stdout: printed, stderr: '' });
  const code = readFileSync(bundle);
  console.log(`custom-client, bundled: ${code.length} bytes minified, ${gzipSync(code).length} of them gzipped`);
});

test('the README states the installed sizes of the custom client and the official driver within 10 %', async () => {
  const page = readFileSync(join(example, 'README.md'), 'utf8');
  const stated = (what: string): number[] => {
    const cells = page.split('\n').map(line => line.split('|').map(cell => cell.trim()));
    const [, , kib = '', files = ''] = cells.find(([, first]) => first === what) ?? [];
    return [parseInt(kib, 10), parseInt(files, 10)];
  };
  const rows: readonly (readonly [what: string, names: readonly string[]])[] = [
    ['these five packages', five],
    ['the npm package `bson`', ['bson']],
    ['npm `mongodb` 7.9.0', ['mongodb']],
  ];
  for (const [what, names] of rows) {
    const { bytes, files } = await installedSize(names);
    const measured = [Math.round(bytes / 1024), files];
    const line = `| ${what} | ${measured[0]!} KiB | ${measured[1]!} |`;
    console.log(line);
    const isCorrect = stated(what).every(
      (number, index) => Math.abs(number - measured[index]!) <= measured[index]! / 10,
    );
    expect(isCorrect, `examples/custom-client/README.md should say: ${line}`).toBe(true);
  }
}, 120_000);
