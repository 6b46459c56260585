import { measure } from './size.js';
import type { Bundle } from './size.js';

/** A program that is bundled for Node.js with all packages that it imports. */
export interface Program {
  readonly title: string;
  readonly packages: readonly string[];
  readonly code: string;
}

/** The programs whose bundles have a budget. The class ObjectId of npm `bson` alone has 17,300 bytes. */
export const programs: readonly Program[] = [
  {
    title: 'bundle of ObjectId',
    packages: ['@tessera/mongodb'],
    code: `export { ObjectId } from '@tessera/mongodb';`,
  },
  {
    title: 'bundle of an error class',
    packages: ['@tessera/mongodb'],
    code: `export { MongoServerError } from '@tessera/mongodb';`,
  },
  {
    title: 'bundle of MongoClient',
    packages: ['@tessera/mongodb'],
    code: `export { MongoClient } from '@tessera/mongodb';`,
  },
  {
    title: 'bundle of the driver',
    packages: ['@tessera/mongodb'],
    code: `export * from '@tessera/mongodb';`,
  },
  {
    title: 'bundle of a client of five packages',
    packages: ['@tessera/bson', '@tessera/wire', '@tessera/connection', '@tessera/operations', '@tessera/contracts'],
    code: `
export { stack } from '@tessera/contracts';
export { bson } from '@tessera/bson';
export { createWire } from '@tessera/wire';
export { createConnect } from '@tessera/connection';
export { find } from '@tessera/operations';
`,
  },
];

/** Bundles a program with the packages installed in the project. */
export const bundleOf = (project: string, code: string): Promise<Bundle> =>
  measure(project, 'stdin.js', { stdin: { contents: code, resolveDir: project }, platform: 'node' });
