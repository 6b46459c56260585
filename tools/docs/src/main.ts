import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeSupport } from '@tessera/server';
import { packages, root, textOf } from './repository.js';
import { supportPage } from './support.js';
import { packageTable, withTable } from './table.js';

writeFileSync(join(root, 'README.md'), withTable(textOf('README.md'), packageTable(packages())));
process.stdout.write('README.md holds the table of packages.\n');

writeFileSync(join(root, 'packages/server/SUPPORT.md'), supportPage(describeSupport()));
process.stdout.write('packages/server/SUPPORT.md holds what the embedded server supports.\n');
