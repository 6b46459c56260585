import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EJSON } from 'bson';
import type { Document } from '@tessera/contracts';

const repository = new URL('../../../', import.meta.url).pathname;
const root = process.env['SPECIFICATIONS_DIR'] ?? join(repository, '../shared/specifications');

export interface Fixture {
  /** Relative to the folder that was asked for. */
  readonly path: string;
  readonly content: Document;
}

/** The official fixtures of a folder and those below it; none, and a line saying so, where they are not at hand. */
export const fixtures = (folder: string): readonly Fixture[] => {
  const from = join(root, folder);
  if (!existsSync(from)) {
    console.warn(`skipped: ${folder} (no official fixtures at ${root}; set SPECIFICATIONS_DIR)`);
    return [];
  }
  const walk = (path: string): readonly string[] =>
    readdirSync(join(from, path))
      .sort()
      .flatMap(name => {
        const inner = join(path, name);
        return statSync(join(from, inner)).isDirectory() ? walk(inner) : inner.endsWith('.json') ? [inner] : [];
      });
  return walk('').map(path => ({
    path,
    content: EJSON.parse(readFileSync(join(from, path), 'utf8'), { relaxed: true }) as Document,
  }));
};
