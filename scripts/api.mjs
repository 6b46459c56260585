// Writes the public API of each package as a report (packages/*/api.md), so that a review sees its changes. Without
// `--write`, compares the reports with the API.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CompilerState, Extractor } from '@microsoft/api-extractor';
import { extractorConfig } from './extractor.mjs';
import { root } from './workspace.mjs';

/** @param {string} name the name of the package's folder */
const configOf = name => {
  const folder = join(root, 'packages', name);
  const reports = join(root, '.cache', 'api', name);
  mkdirSync(reports, { recursive: true });
  return extractorConfig(folder, join('dist', 'index.d.ts'), join(root, 'tsconfig.json'), {
    apiReport: { enabled: true, reportFolder: reports, reportTempFolder: reports, reportFileName: 'api' },
  });
};

const names = readdirSync(join(root, 'packages'))
  .filter(name => existsSync(join(root, 'packages', name, 'dist', 'index.d.ts')))
  .sort();
const configs = new Map(names.map(name => [name, configOf(name)]));
const [first, ...others] = configs.values();
if (first === undefined) throw new Error('No package is built. Run `npm run setup`.');
// Use one program for all packages.
const compilerState = CompilerState.create(first, {
  additionalEntryPoints: others.map(({ mainEntryPointFilePath }) => mainEntryPointFilePath),
});

const isWriting = process.argv.includes('--write');
/** @type {import('./tally.mjs').Note[]} */
const failed = [];
for (const [name, config] of configs) {
  Extractor.invoke(config, { compilerState, localBuild: true, messageCallback: message => (message.handled = true) });
  const report = readFileSync(join(root, '.cache', 'api', name, 'api.api.md'), 'utf8');
  const file = join(root, 'packages', name, 'api.md');
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (before === report) continue;
  if (isWriting) {
    writeFileSync(file, report);
    process.stdout.write(`wrote packages/${name}/api.md\n`);
  } else {
    const reason = 'the report differs from the public API; run `npm run api` and commit the difference';
    failed.push({ title: `packages/${name}/api.md`, reason });
    process.stdout.write(`packages/${name}/api.md: ${reason}\n`);
  }
}
const counted = process.env['TALLY'];
if (counted !== undefined)
  writeFileSync(counted, JSON.stringify({ passed: names.length - failed.length, failed, skipped: [] }));
process.exitCode = failed.length > 0 ? 1 : 0;
