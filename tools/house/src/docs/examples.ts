import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import ts from 'typescript';
import { root } from './repository.js';

/** Returns the TypeScript examples of a page, in order. */
export const examplesIn = (markdown: string): string[] =>
  [...markdown.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);

/**
 * Returns the examples of a page as files. The first line of each is a comment with its file name, by which others
 * import it.
 */
export const filesIn = (markdown: string): { readonly name: string; readonly code: string }[] =>
  examplesIn(markdown).map(code => {
    const name = /^\/\/ ([\w-]+)\.ts\n/.exec(code)?.[1];
    if (name === undefined) throw new Error(`An example does not begin with a comment with its file name: ${code}`);
    return { name, code };
  });

/** The names that examples in doc comments use without a declaration. */
const prelude = `import { createReadStream } from 'node:fs';
import { BatchType, GridFSBucket, MongoClient, MongoError, ReadConcern, ReadPreference, WriteConcern } from '@tessera/mongodb';
import type {
  Admin, ChangeStream, ClientSession, Collection, Db, Document, FindCursor, ObjectId, OrderedBulkOperation, WithId,
} from '@tessera/mongodb';

interface Film {
  title: string;
  year: number;
  genres: string[];
  views: number;
  plot?: string;
}

declare const client: MongoClient;
declare const db: Db;
declare const admin: Admin;
declare const films: Collection<Film>;
declare const log: Collection;
declare const film: Film;
declare const newFilms: Film[];
declare const cursor: FindCursor<WithId<Film>>;
declare const stream: ChangeStream;
declare const session: ClientSession;
declare const other: ClientSession;
declare const bulk: OrderedBulkOperation;
declare const bucket: GridFSBucket;
declare const fileId: ObjectId;
declare const error: unknown;
`;

/** Returns a file with the examples of doc comments, each in a function with its name in a comment. */
export const exampleFile = (examples: readonly { readonly name: string; readonly code: string }[]): string =>
  [
    prelude,
    ...examples.map(({ name, code }, at) => `// ${name}\nexport async function example${at}() {\n${code}\n}\n`),
  ].join('\n');

const folder = join(root, '.cache', 'docs', 'examples');

/**
 * Writes an example as TypeScript and JavaScript to a folder where imports resolve to the workspace.
 * @param name may contain a folder
 */
export function writeExample(name: string, code: string): { readonly typescript: string; readonly javascript: string } {
  const [typescript, javascript] = [join(folder, `${name}.ts`), join(folder, `${name}.js`)];
  mkdirSync(dirname(typescript), { recursive: true });
  const { outputText } = ts.transpileModule(code, {
    fileName: typescript,
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  });
  writeFileSync(typescript, code);
  writeFileSync(javascript, outputText);
  return { typescript, javascript };
}

/** Returns the compiler errors of these files, with the settings of the repository's tests. */
export function typeErrors(files: readonly string[]): string[] {
  const project = join(folder, `types-of-${basename(files[0]!, '.ts')}.json`);
  const settings = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: { incremental: false, tsBuildInfoFile: null },
    ...{ files, include: [], references: [] },
  };
  writeFileSync(project, JSON.stringify(settings));
  const tsc = join(root, 'node_modules', 'typescript-native', 'bin', 'tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const errors = stdout.split('\n').filter(line => line !== '');
  return status === 0 || errors.length > 0 ? errors : [`The compiler exited with code ${String(status)}.`];
}
