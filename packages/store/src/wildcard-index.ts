import type { Value } from '@tessera/mql/engine';
import { Doc, fail, isDoc, isNumber, toDouble, typeName } from '@tessera/mql/engine';

const cannot = (message: string): Error => fail('CannotCreateIndex', message);

/** Whether the path is that of a wildcard index: `$**`, `a.b.$**`. */
export const isWildcard = (path: string): boolean => path === '$**' || path.endsWith('.$**');

const isAtOrBelow = (path: string, above: string): boolean => path === above || path.startsWith(`${above}.`);
const overlap = (a: string, b: string): boolean => isAtOrBelow(a, b) || isAtOrBelow(b, a);

/** A path of `wildcardProjection`, and whether the projection includes it. */
interface Projected {
  readonly path: string;
  readonly included: boolean;
}

const projectedIn = (projection: Doc, above = ''): readonly Projected[] =>
  projection.entries().flatMap(([name, value]): readonly Projected[] => {
    const path = above + name;
    if (isDoc(value)) return projectedIn(value, `${path}.`);
    if (isNumber(value)) return [{ path, included: toDouble(value) !== 0 }];
    if (typeof value === 'boolean') return [{ path, included: value }];
    throw fail(51271, `Bad projection specification, cannot use computed fields in a wildcardProjection: ${path}`);
  });

const checkMix = (projected: readonly Projected[], isCompound: boolean): void => {
  const others = projected.filter(({ path }) => path !== '_id');
  const first = others[0]?.included;
  const odd = others.find(({ included }) => included !== first);
  if (odd === undefined) return;
  const kinds = odd.included ? 'inclusion in exclusion' : 'exclusion in inclusion';
  throw fail(isCompound ? 7246211 : 31254, `Cannot do ${kinds} on field ${odd.path} in the wildcardProjection`);
};

/** Checks that no regular field of a compound index is also indexed through the wildcard. */
const checkRegular = (regular: readonly string[], projected: readonly Projected[]): void => {
  const included = projected.filter(one => one.included).map(({ path }) => path);
  const excluded = projected.filter(one => !one.included).map(({ path }) => path);
  const isInclusion = projected.find(({ path }) => path !== '_id')?.included ?? included.length > 0;
  if (isInclusion) {
    const twice = regular.find(path => included.some(other => overlap(path, other)));
    if (twice === undefined) return;
    throw fail(7246208, `wildcardProjection cannot include '${twice}', a regular field of the compound index`);
  }
  for (const path of regular) {
    if (excluded.some(other => isAtOrBelow(path, other))) continue;
    throw fail(
      excluded.some(other => other > path) ? 7246209 : 7246210,
      `wildcardProjection must exclude '${path}', a regular field of the compound index`,
    );
  }
};

const checkProjection = (wildcard: string, regular: readonly string[], projection: Value): void => {
  if (!isDoc(projection))
    throw fail('TypeMismatch', `The field 'wildcardProjection' must be an object, but got ${typeName(projection)}`);
  if (wildcard !== '$**')
    throw fail('FailedToParse', "The field 'wildcardProjection' is only allowed when the key is '$**'");
  if (projection.size === 0) throw fail('FailedToParse', "The 'wildcardProjection' field can't be an empty object");
  const projected = projectedIn(projection);
  const isCompound = regular.length > 0;
  if (projected.some(({ path }, i) => projected.some((other, j) => i !== j && overlap(path, other.path))))
    throw fail(isCompound ? 7246200 : 31249, 'Path collision in the wildcardProjection');
  checkMix(projected, isCompound);
  if (isCompound) checkRegular(regular, projected);
};

/** Returns a test of the paths that a wildcard index contains, from its key and its projection. */
export const wildcardPaths = (wildcard: string, spec: Doc): ((path: string) => boolean) => {
  if (wildcard !== '$**') {
    const root = wildcard.slice(0, -'.$**'.length);
    return path => isAtOrBelow(path, root);
  }
  const projection = spec.get('wildcardProjection');
  const projected = isDoc(projection) ? projectedIn(projection) : [];
  const others = projected.filter(({ path }) => path !== '_id');
  const hasId = projected.some(({ path, included }) => path === '_id' && included);
  const isInclusion = others[0]?.included ?? hasId;
  return path => {
    if (isAtOrBelow(path, '_id')) return hasId;
    const isNamed = others.some(other => isAtOrBelow(path, other.path));
    return isInclusion ? isNamed : !isNamed;
  };
};

/** Checks a wildcard index. @throws CommandError 2, 9, 14, 67, and others for its projection */
export const checkWildcard = (key: Doc, spec: Doc): void => {
  const paths = key.keys();
  const [wildcard, ...others] = paths.filter(isWildcard);
  if (others.length > 0) throw fail(7246201, 'A wildcard index can have only one wildcard field');
  const value = key.get(wildcard!)!;
  if (!isNumber(value))
    throw cannot("The key of a wildcard index must be numeric, except that of a text index on '$**'");
  for (const option of ['unique', 'sparse', 'expireAfterSeconds'])
    if (spec.has(option) && spec.get(option) !== false)
      throw cannot(`Index type 'wildcard' does not support the ${option} option`);
  const version = spec.get('v');
  if (isNumber(version) && toDouble(version) < 2) throw cannot("Index type 'wildcard' requires the index version 2");
  const regular = paths.filter(path => !isWildcard(path));
  const prefix = wildcard === '$**' ? undefined : wildcard!.slice(0, -'.$**'.length);
  const twice = prefix === undefined ? undefined : regular.find(path => overlap(path, prefix));
  if (twice !== undefined) throw fail(7246204, `The fields '${wildcard}' and '${twice}' of the wildcard index overlap`);
  const projection = spec.get('wildcardProjection');
  if (projection !== undefined) checkProjection(wildcard!, regular, projection);
  else if (prefix === undefined && regular.length > 0)
    throw cannot("A compound wildcard index on '$**' requires a wildcardProjection");
};
