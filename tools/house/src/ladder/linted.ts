import { ladder } from './table.js';
import type { Rung } from './table.js';

/** A source that is linted. */
export interface Linted {
  /** Its package. */
  readonly rung: Rung;
  /** The folder that relative imports must not leave. */
  readonly sources: string;
  /** Its path in the folder of the package, with `/` as separator. */
  readonly path: string;
}

const rungs: ReadonlyMap<string, Rung> = new Map(ladder.map(rung => [rung.folder, rung]));

/** Returns the package of a file. Undefined if the file is not below the `src` of a package in the table. */
export function lintedSource(file: string): Linted | undefined {
  const [, sources = '', folder = '', rest = ''] =
    /^(.*[/\\]packages[/\\]([^/\\]+)[/\\]src)[/\\](.+)$/.exec(file) ?? [];
  const rung = rungs.get(folder);
  return rung && { rung, sources, path: `src/${rest.replaceAll('\\', '/')}` };
}
