import type { Fields, Tree } from '../tree.js';
import type { Chance } from '../../chance.js';
import type { Path } from './documents.js';
import { wholeFields } from './documents.js';
import type { ExpressionFamily, Form, Operands } from './forms.js';
import { allForms, constantOf, fits } from './forms.js';
import type { Kind } from './values.js';

/** The paths and variables that an expression may use. */
export interface Scope {
  readonly chance: Chance;
  readonly vars: readonly Path[];
  /** The fields of the documents. Defaults to those of the collection. */
  readonly fields?: readonly Path[];
}

/** Paths as expressions read them: a path through an array returns an array. */
export const collectionFields: readonly Path[] = [
  ...wholeFields,
  { path: 'o.x', kind: 'number' },
  { path: 'o.y', kind: 'string' },
  { path: 'o.z', kind: 'numbers' },
  { path: 'l.x', kind: 'numbers' },
  { path: 'l.y', kind: 'strings' },
  { path: 'l.z', kind: 'arrays' },
  { path: 'm.x', kind: 'array' },
  { path: 'v.x', kind: 'any' },
];

const below: readonly (readonly [path: string, kind: Kind])[] = [
  ['x', 'number'],
  ['y', 'string'],
];

const references = ({ vars, fields = collectionFields }: Scope, kind: Kind): readonly string[] => {
  const found = fields.filter(field => fits(field.kind, kind)).map(({ path }) => `$${path}`);
  for (const { path, kind: holds } of vars) {
    // Listed twice, because an expression with a variable in scope should use it often.
    if (fits(holds, kind)) found.push(`$$${path}`, `$$${path}`);
    if (holds === 'object') for (const [name, of] of below) if (fits(of, kind)) found.push(`$$${path}.${name}`);
  }
  if (kind === 'object' || kind === 'any') found.push('$$ROOT');
  return found;
};

const leafOf = (scope: Scope, kind: Kind): Tree => {
  const { chance } = scope;
  if (chance.yes(0.03)) return chance.pick<Tree>(['$none', '$$REMOVE', null, '$$CURRENT.n']);
  const found = references(scope, chance.yes(0.05) ? 'any' : kind);
  return found.length > 0 && chance.yes(0.75) ? chance.pick(found) : constantOf(chance, kind);
};

const operandsFor = (scope: Scope, depth: number): Operands => {
  const { chance } = scope;
  const of = (kind: Kind): Tree => expressionOf(scope, kind, depth - 1);
  return {
    chance,
    of,
    list: (kind, least, most) => chance.many(least, most, () => of(kind)),
    constant: kind => constantOf(chance, kind),
    within: (path, holds, kind) =>
      expressionOf({ ...scope, vars: [...scope.vars, { path, kind: holds }] }, kind, depth - 1),
    maybe: fields =>
      Object.fromEntries(
        Object.entries(fields).flatMap(([name, make]) => (chance.yes(0.35) ? [[name, make()]] : [])),
      ) satisfies Fields,
  };
};

const apply = (scope: Scope, { name, make }: Form, depth: number): Tree => ({
  [name]: make(operandsFor(scope, depth)),
});

/**
 * Draws an expression that usually returns a value of this kind.
 * @param depth how deep operators may be nested
 */
export const expressionOf = (scope: Scope, kind: Kind, depth: number): Tree => {
  const { chance } = scope;
  if (depth <= 0 || chance.yes(0.35)) return leafOf(scope, kind);
  const fitting = allForms.filter(({ gives }) => fits(gives, kind));
  return fitting.length === 0 ? leafOf(scope, kind) : apply(scope, chance.pick(fitting), depth);
};

/** Draws an expression whose outermost operator belongs to this family. */
export const expressionOfFamily = (
  scope: Scope,
  family: ExpressionFamily,
  depth: number,
): { readonly tree: Tree; readonly gives: Kind } => {
  const chosen = scope.chance.pick(allForms.filter(of => of.family === family));
  return { tree: apply(scope, chosen, depth), gives: chosen.gives };
};
