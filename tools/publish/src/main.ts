import { conclude, flag, messageOf, Mistake, print, readArguments, run } from '@tessera-tools/house';
import type { Note } from '@tessera-tools/house';
import { bundleOf, programs } from './bundles.js';
import { checks } from './checks.js';
import type { Check } from './checks.js';
import { withDropInChecks } from './drop-in-checks.js';
import { installedSize, installPacked } from './install.js';
import { packAll } from './pack.js';
import { startRegistry } from './registry.js';
import { sizeOf } from './size.js';
import { publishedPackages } from './workspace.js';

const usage = `npm run load-check                           checks, measures, installs and loads the published packages
npm run load-check -- --drop-in            installs the drop-in for npm mongodb with package managers and test frameworks
npm run load-check -- --sizes              prints the sizes of packages and bundles, minified and gzipped
npm run load-check -- --installed NAME …   prints the disk space of these packages and their dependencies
`;

/** The most common installations. Their disk space is printed after all checks. */
const sets = [['@tessera/mongodb'], ['@tessera/bson'], ['tessera-server']];

async function printInstalled(names: readonly string[]): Promise<void> {
  const { bytes, files } = await installedSize(names);
  print(`${names.join(' + ')}: ${Math.round(bytes / 1024)} KiB in ${files} files when installed`);
}

async function printSizes(): Promise<void> {
  const all = publishedPackages().map(({ name }) => name);
  const width = Math.max(...[...all, ...programs.map(({ title }) => title)].map(name => name.length));
  const line = (name: string, size: number, later: number = 0): void => {
    const onDemand = later === 0 ? '' : `, and ${later} on demand`;
    process.stdout.write(`${name.padEnd(width)} ${String(size).padStart(8)} bytes, minified and gzipped${onDemand}\n`);
  };
  for (const name of all) line(name, await sizeOf(name));
  for (const { title, packages, code } of programs) {
    const { size, later } = await bundleOf(await installPacked(packages), code);
    line(title, size, later);
  }
}

async function runChecks(all: readonly Check[]): Promise<{ passed: number; failed: Note[] }> {
  const failed: Note[] = [];
  let passed = 0;
  for (const { title, complaints } of all) {
    const found = await complaints().catch((error: unknown) => [messageOf(error)]);
    if (found.length === 0) passed += 1;
    else {
      failed.push({ title, reason: found.join('; ') });
      print(`${title}: ${found.join('\n  ')}`);
    }
  }
  return { passed, failed };
}

async function checkAll(): Promise<number> {
  // Packing all at once is faster. If it fails, the checks of each package report it.
  await packAll(publishedPackages().map(({ name }) => name)).catch(() => undefined);
  const { passed, failed } = await runChecks(checks());
  for (const names of sets) await printInstalled(names).catch((error: unknown) => print(String(error)));
  return conclude({ passed, failed, skipped: [] });
}

async function checkDropIn(): Promise<number> {
  const { passed, failed } = await withDropInChecks(await startRegistry(['@tessera/mongodb']), runChecks);
  return conclude({ passed, failed, skipped: [] });
}

const declaration = { options: { sizes: flag, installed: flag, 'drop-in': flag }, words: { noun: 'package' } };

await run(
  usage,
  given => readArguments(declaration, given),
  async ({ options: { sizes, installed, 'drop-in': dropIn }, words }) => {
    if ([sizes, installed, dropIn].filter(Boolean).length > 1)
      throw new Mistake('Use one of --sizes, --installed and --drop-in.');
    if (installed !== words.length > 0)
      throw new Mistake('Package names must follow --installed, and only --installed.');
    if (dropIn) return checkDropIn();
    if (!sizes && !installed) return checkAll();
    await (sizes ? printSizes() : printInstalled(words));
    return 0;
  },
);
