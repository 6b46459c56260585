import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { createTarGzip } from 'nanotar';
import { expect, test } from 'vitest';
import type { DriverPackage } from '../src/published/packages.js';
import { unpack } from '../src/published/unpack.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const textOf = (files: ReadonlyMap<string, Uint8Array>): Readonly<Record<string, string>> =>
  Object.fromEntries([...files].map(([path, data]) => [path, new TextDecoder().decode(data)]));

const driver: DriverPackage = {
  name: 'a driver',
  registry: 'PyPI',
  project: 'driver',
  version: '1.0',
  sha256: '',
  root: 'driver-1.0/test',
  patches: 'driver-1.0/patches',
  moves: [{ from: 'a_suite', to: 'a-suite/tests/unified' }],
};

const patch = `diff --git a/test/a_suite/one.json b/test/a_suite/one.json
--- a/test/a_suite/one.json
+++ b/test/a_suite/one.json
@@ -1,3 +1,3 @@
 {
-  "changed": true
+  "official": true
 }
diff --git a/test/a_suite/removed.json b/test/a_suite/removed.json
new file mode 100644
--- /dev/null
+++ b/test/a_suite/removed.json
@@ -0,0 +1 @@
+{}
`;

const archive = (files: Readonly<Record<string, string>>): Promise<Uint8Array> =>
  createTarGzip(Object.entries(files).map(([name, data]) => ({ name, data })));

test('unpack maps the files of a source distribution to the folders of the specifications and applies its patches', async () => {
  const packed = await archive({
    'driver-1.0/patches/one.patch': patch,
    'driver-1.0/test/a_suite/one.json': '{\n  "changed": true\n}\n',
    'driver-1.0/test/a_suite/below/two.json': '{}',
    'driver-1.0/test/a_suite/two.yml': 'not JSON',
    'driver-1.0/test/another/three.json': '{}',
    'driver-1.0/a_suite/four.json': '{}',
  });
  expect(textOf(unpack(driver, packed))).toEqual({
    'a-suite/tests/unified/one.json': '{\n  "official": true\n}\n',
    'a-suite/tests/unified/below/two.json': '{}',
    'a-suite/tests/unified/removed.json': '{}\n',
  });
});

test('unpack throws if a patch does not apply', async () => {
  const packed = await archive({
    'driver-1.0/patches/one.patch': patch,
    'driver-1.0/test/a_suite/one.json': '{\n  "other": true\n}\n',
  });
  expect(() => unpack(driver, packed)).toThrow(
    'The patch driver-1.0/patches/one.patch of a driver does not apply to driver-1.0/test/a_suite/one.json.',
  );
});

test('unpack takes only files with the prefix from a Go module, and decompresses them', () => {
  const packed = zipSync({
    'm@v1/testdata/suite/modify-one.json': bytes('1'),
    'm@v1/testdata/suite/create-one.json': bytes('2'),
    'm@v1/testdata/data/flat.json.gz': gzipSync('3'),
  });
  const module: DriverPackage = {
    ...{ name: 'a module', registry: 'Go', project: 'm', version: 'v1', sha256: '', root: 'm@v1/testdata' },
    moves: [
      { from: 'suite', to: 'suite/tests', prefix: 'modify-' },
      { from: 'data', to: 'benchmarking/data' },
    ],
  };
  expect(textOf(unpack(module, packed))).toEqual({
    'suite/tests/modify-one.json': '1',
    'benchmarking/data/flat.json': '3',
  });
});
