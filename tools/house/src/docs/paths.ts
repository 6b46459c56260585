const fence = /^```[\s\S]*?^```$/gm;
const files = /\.(?:[cm]?[jt]s|json|md|yaml)$/;
/** What is made, not written: it need not exist in a fresh checkout. */
const madeParts = /^\.cache\b|(?:^|\/)(?:dist|node_modules)(?:\/|$)/;

/** Does this piece of code name a file or a folder of the repository? */
function isPath(code: string): boolean {
  if (!/^\.{0,2}[\w*{][\w./*{},-]*$/.test(code) || madeParts.test(code)) return false;
  return code.includes('/') || files.test(code);
}

/** The paths that a page names in backticks, outside of its examples; each once. */
export function pathsIn(markdown: string): string[] {
  const prose = markdown.replace(fence, '');
  const codes = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);
  return [...new Set(codes.filter(isPath))];
}

/** `a/{b,c}/*.ts` as a pattern over whole paths, and over all paths below it. */
function pattern(path: string): RegExp {
  const source = path
    .replace(/\/$/, '')
    .replace(/[.+^$()|[\]\\]/g, '\\$&')
    .replace(/\{([^}]*)\}/g, (_, names: string) => `(?:${names.replaceAll(',', '|')})`)
    .replace(/\*+/g, stars => (stars.length > 1 ? '.*' : '[^/]*'));
  return new RegExp(`^${source}(?:/|$)`);
}

/**
 * Those of the paths that name nothing. A path begins at the root, or at `packages/` as in `pool/src/pool.ts`; a file name alone
 * may lie anywhere.
 */
export function missingPaths(paths: readonly string[], written: readonly string[]): string[] {
  return paths.filter(path => {
    const tried = path.includes('/') ? [path, `packages/${path}`] : [path, `**/${path}`];
    return !tried.some(each => written.some(file => pattern(each).test(file)));
  });
}
