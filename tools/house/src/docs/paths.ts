const fence = /^```[\s\S]*?^```$/gm;
const files = /\.(?:[cm]?[jt]s|json|md|yaml)$/;
/** Generated files, which may be absent in a fresh checkout. */
const madeParts = /^\.cache\b|(?:^|\/)(?:dist|node_modules)(?:\/|$)/;

/** Returns whether a code span names a file or a folder of the repository. */
function isPath(code: string): boolean {
  if (!/^\.{0,2}[\w*{][\w./*{},-]*$/.test(code) || madeParts.test(code)) return false;
  return code.includes('/') || files.test(code);
}

/** Returns the paths that a page names in backticks outside of examples, without duplicates. */
export function pathsIn(markdown: string): string[] {
  const prose = markdown.replace(fence, '');
  const codes = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);
  return [...new Set(codes.filter(isPath))];
}

/** Converts a path such as `a/{b,c}/*.ts` to a pattern that matches these paths and all paths below them. */
function pattern(path: string): RegExp {
  const source = path
    .replace(/\/$/, '')
    .replace(/[.+^$()|[\]\\]/g, '\\$&')
    .replace(/\{([^}]*)\}/g, (_, names: string) => `(?:${names.replaceAll(',', '|')})`)
    .replace(/\*+/g, stars => (stars.length > 1 ? '.*' : '[^/]*'));
  return new RegExp(`^${source}(?:/|$)`);
}

/**
 * Returns the paths that match no file. A path is relative to the root or to `packages/`, such as `pool/src/pool.ts`. A
 * file name
 * alone matches in any folder.
 */
export function missingPaths(paths: readonly string[], written: readonly string[]): string[] {
  return paths.filter(path => {
    const tried = path.includes('/') ? [path, `packages/${path}`] : [path, `**/${path}`];
    return !tried.some(each => written.some(file => pattern(each).test(file)));
  });
}
