// The package @tessera/mongodb in the place of the official driver: `npm install mongodb@npm:@tessera/mongodb`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@tessera-tools/house';
import { installPacked } from './install.js';
import { run, tsc } from './program.js';

/** Installs @tessera/mongodb under the name `mongodb`, from tarballs and without network. Returns the project's folder. */
export const installDropIn = (): Promise<string> =>
  installPacked(['@tessera/mongodb'], { '@tessera/mongodb': 'mongodb' });

/** The settings `moduleResolution` of TypeScript that applications use, with a setting `module` that fits. */
export const resolutions = { node10: 'commonjs', node16: 'node16', nodenext: 'nodenext', bundler: 'esnext' } as const;

export type Resolution = keyof typeof resolutions;

/** A program for every setting. */
const program = `
import type { Readable } from 'node:stream';
import { BSON, MongoClient, MongoServerError, ObjectId } from 'mongodb';
import type { Collection, Document, Filter, WithId } from 'mongodb';
import * as mongodb from 'mongodb';
import { EJSON } from 'mongodb/lib/bson';
import { BulkWriteResult } from 'mongodb/lib/bulk/common';

interface Film {
  title: string;
  year: number;
}

export async function titles(uri: string): Promise<string[]> {
  const client: MongoClient = new MongoClient(uri);
  const films: Collection<Film> = client.db('shop').collection<Film>('films');
  const filter: Filter<Film> = { year: { $gt: 1950 } };
  const found: WithId<Film>[] = await films.find(filter).toArray();
  const id: ObjectId = found[0]?._id ?? new mongodb.ObjectId();
  const document: Document = { text: EJSON.stringify({ id }), bytes: BSON.serialize({ id }).length };
  const result: BulkWriteResult = await films.bulkWrite([{ deleteOne: { filter } }]);
  try {
    await films.insertOne({ title: 'Metropolis', year: 1927 });
  } catch (error) {
    if (error instanceof MongoServerError) return [String(error.code)];
  }
  return [typeof document['text'], String(result.deletedCount)];
}
export const stream = (films: Collection): Readable & AsyncIterable<WithId<Document>> => films.find().stream();
`;

/** Programs that must not compile, so that types are not \`any\`. */
const wrong = `
import { MongoClient } from 'mongodb';
export const port: number = new MongoClient('mongodb://localhost');
`;

/**
 * Returns the compiler's errors for a program in a project of {@link installDropIn}, as an ES module and, where the setting
 * distinguishes them, as a CommonJS module. The declarations of the package are checked, too.
 */
export async function typeErrorsOfDropIn(project: string, resolution: Resolution): Promise<string[]> {
  const distinguishes = resolution === 'node16' || resolution === 'nodenext';
  const files = [`${resolution}.ts`, ...(distinguishes ? [`${resolution}-commonjs.cts`] : [])];
  for (const file of files) writeFileSync(join(project, file), program);
  writeFileSync(join(project, `${resolution}-wrong.ts`), wrong);
  const compilerOptions = {
    ...{ target: 'es2022', lib: ['es2022'], module: resolutions[resolution], moduleResolution: resolution },
    ...{ strict: true, skipLibCheck: false, noEmit: true, types: ['node'] },
    typeRoots: [join(root, 'node_modules', '@types')],
    // TypeScript 6 warns that node10 will be removed.
    ignoreDeprecations: '6.0',
  };
  const config = { compilerOptions, files: [...files, `${resolution}-wrong.ts`] };
  writeFileSync(join(project, `${resolution}.json`), JSON.stringify(config));
  // TypeScript 7 has no node10.
  const [compiler, ...args] = tsc(resolution === 'node10' ? 6 : 7);
  const { stdout } = await run(compiler, [...args, '-p', `${resolution}.json`, '--pretty', 'false'], project, 120_000);
  const lines = stdout.split('\n').filter(line => line !== '');
  const expected = `${resolution}-wrong.ts(3,14): error TS2322: Type 'MongoClient' is not assignable to type 'number'.`;
  return lines.includes(expected)
    ? lines.filter(line => line !== expected)
    : [...lines, `${resolution}-wrong.ts compiles, although it must not.`];
}
