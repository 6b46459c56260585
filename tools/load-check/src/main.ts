import { line, writeTally } from '@tessera-tools/house';
import { checks } from './checks.js';
import { installedSize } from './install.js';
import { sizeOf } from './size.js';
import { publishedPackages } from './workspace.js';

const usage = `npm run load-check -- --all                what is published: judged, measured, installed alone, loaded
npm run load-check -- --sizes              minified and gzipped bytes of each package
npm run load-check -- --installed NAME …   bytes that these packages take when installed together
`;

/** What is printed at the end of \`--all\`: what most people install. */
const sets = [['@tessera/mongodb'], ['@tessera/bson'], ['tessera-server']];

async function printInstalled(names: readonly string[]): Promise<void> {
  const { bytes, files } = await installedSize(names);
  process.stdout.write(`${names.join(' + ')}: ${Math.round(bytes / 1024)} KiB in ${files} files installed\n`);
}

async function checkAll(): Promise<number> {
  const failed: { title: string; reason: string }[] = [];
  let passed = 0;
  for (const { title, complaints } of checks()) {
    const found = await complaints().catch((error: unknown) => [
      error instanceof Error ? error.message : String(error),
    ]);
    if (found.length === 0) passed += 1;
    else {
      failed.push({ title, reason: found.join('; ') });
      process.stdout.write(`${title}: ${found.join('\n  ')}\n`);
    }
  }
  for (const names of sets)
    await printInstalled(names).catch((error: unknown) => process.stdout.write(`${String(error)}\n`));
  const tally = { passed, failed, skipped: [] };
  writeTally(tally);
  process.stdout.write(`${line(tally)}\n`);
  return failed.length > 0 ? 1 : 0;
}

const [what, ...names] = process.argv.slice(2);
if (what === '--all') process.exitCode = await checkAll();
else if (what === '--sizes') {
  for (const { name } of publishedPackages()) process.stdout.write(`${name} ${await sizeOf(name)}\n`);
} else if (what === '--installed' && names.length > 0) await printInstalled(names);
else {
  process.stdout.write(usage);
  process.exitCode = 2;
}
