import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packages, root, textOf } from './repository.js';
import { packageTable, withTable } from './table.js';

writeFileSync(join(root, 'README.md'), withTable(textOf('README.md'), packageTable(packages())));
process.stdout.write('README.md holds the table of packages.\n');
