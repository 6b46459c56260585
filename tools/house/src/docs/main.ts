import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { putContent } from '../page.js';
import { linesReport, sourceLines } from './lines.js';
import { declaredBy } from './members.js';
import { optionsOfClients, optionsPage } from './options.js';
import { proseFaults, unknownProse } from './prose/faults.js';
import { differences } from './prose/compare.js';
import { complaints, prosePage } from './prose/page.js';
import { readCatalogue } from './prose/read.js';
import { proseCovers } from './prose/tests.js';
import { packages, root } from './repository.js';
import { supportOfServer, supportPage } from './support.js';
import { packageTable } from './table.js';
import { treacherousPage } from './treacherous/page.js';
import { readPoints } from './treacherous/points.js';

putContent(join(root, 'README.md'), 'packages', packageTable(packages()));
process.stdout.write('Wrote the table of packages in README.md.\n');

writeFileSync(join(root, 'packages/server/SUPPORT.md'), supportPage(await supportOfServer()));
process.stdout.write('Wrote packages/server/SUPPORT.md.\n');

const { catalogue, headings } = readCatalogue();
const covers = proseCovers();
mkdirSync(join(root, 'docs'), { recursive: true });
const faults = await proseFaults();
writeFileSync(join(root, 'docs/prose-tests.md'), prosePage({ catalogue, headings, covers, faults }));
const wrong = [
  ...complaints(catalogue, covers),
  ...differences(catalogue, headings),
  ...unknownProse(catalogue, faults),
];
for (const complaint of wrong) process.stderr.write(`${complaint}\n`);
if (wrong.length > 0) process.exitCode = 1;
process.stdout.write('Wrote docs/prose-tests.md.\n');

writeFileSync(join(root, 'docs/treacherous-points.md'), treacherousPage(readPoints()));
process.stdout.write('Wrote docs/treacherous-points.md.\n');

writeFileSync(join(root, 'docs/options.md'), optionsPage(await optionsOfClients(), declaredBy(['client', 'mongodb'])));
process.stdout.write('Wrote docs/options.md.\n');

for (const line of linesReport(sourceLines())) process.stdout.write(`${line}\n`);
