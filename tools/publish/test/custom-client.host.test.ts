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

test('the client of one’s own runs with bson, wire, connection, pool and node alone', async () => {
  expect(await client!.run('main', server!.address)).toEqual({ code: 0, stdout: printed, stderr: '' });
});

/** `…/node_modules/@tessera/pool/dist/x.js` → `@tessera/pool`. */
const packageOf = (file: string): string | undefined =>
  /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(file)?.[1];

test('it can be bundled: of other packages there are contracts and npm’s bson, of the host what Node.js has', async () => {
  const bundle = join(client!.folder, 'bundle.js');
  const options = { bundle: true, format: 'esm', platform: 'node', minify: true, metafile: true } as const;
  const { metafile } = await build({ ...options, entryPoints: [join(client!.folder, 'main.js')], outfile: bundle });
  const packages = new Set(Object.keys(metafile.inputs).flatMap(file => packageOf(file) ?? []));
  expect([...packages].sort()).toEqual([...five, '@tessera/contracts', 'bson'].sort());
  expect(await client!.run('bundle', server!.address)).toEqual({ code: 0, stdout: printed, stderr: '' });
  const code = readFileSync(bundle);
  console.log(`custom-client, bundled: ${code.length} bytes minified, ${gzipSync(code).length} of them gzipped`);
});

test('what is installed for it is what its page says, within a tenth, beside what the official driver takes', async () => {
  const page = readFileSync(join(example, 'README.md'), 'utf8');
  const said = (what: string): number[] => {
    const cells = page.split('\n').map(line => line.split('|').map(cell => cell.trim()));
    const [, , kib = '', files = ''] = cells.find(([, first]) => first === what) ?? [];
    return [parseInt(kib, 10), parseInt(files, 10)];
  };
  const rows: readonly (readonly [what: string, names: readonly string[]])[] = [
    ['these five packages', five],
    ['of that, `bson` of npm', ['bson']],
    ['`mongodb` 7.8.0 of npm', ['mongodb']],
  ];
  for (const [what, names] of rows) {
    const { bytes, files } = await installedSize(names);
    const measured = [Math.round(bytes / 1024), files];
    const line = `| ${what} | ${measured[0]!} KiB | ${measured[1]!} |`;
    console.log(line);
    const isTold = said(what).every((number, index) => Math.abs(number - measured[index]!) <= measured[index]! / 10);
    expect(isTold, `examples/custom-client/README.md should say: ${line}`).toBe(true);
  }
}, 120_000);
