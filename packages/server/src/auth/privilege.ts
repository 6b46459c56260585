import type { Entry, Value } from '@tessera/mql/engine';
import { Doc, fail, isArray, isDoc } from '@tessera/mql/engine';
import type { Action } from './actions.js';
import { isAction } from './actions.js';

/** The resource of a privilege. In a namespace, '' matches any database or collection, except system collections. */
export type Resource =
  | { readonly kind: 'cluster' }
  | { readonly kind: 'any' }
  | { readonly kind: 'namespace'; readonly db: string; readonly collection: string };

/** The resource that a command uses. `within` is any part of a database. */
export type Target =
  | { readonly kind: 'cluster' }
  | { readonly kind: 'any' }
  | { readonly kind: 'within'; readonly db: string }
  | { readonly kind: 'database'; readonly db: string }
  | { readonly kind: 'collection'; readonly db: string; readonly collection: string };

export interface Privilege {
  readonly resource: Resource;
  readonly actions: ReadonlySet<Action>;
}

export const cluster: Resource & Target = { kind: 'cluster' };
export const anyResource: Resource & Target = { kind: 'any' };
export const namespace = (db: string, collection = ''): Resource => ({ kind: 'namespace', db, collection });

const isSystem = (collection: string): boolean => collection.startsWith('system.');

/** The databases that a resource of all databases does not include. */
const apart: ReadonlySet<string> = new Set(['local', 'config']);

/** Whether a privilege's resource includes the target. Rule: "Resource Document". */
const covers = (resource: Resource, target: Target): boolean => {
  if (resource.kind === 'any' || target.kind === 'any') return resource.kind === 'any';
  if (resource.kind === 'cluster' || target.kind === 'cluster') return resource.kind === target.kind;
  if (resource.db !== '' && resource.db !== target.db) return false;
  if (target.kind === 'within') return true;
  if (resource.db === '' && resource.collection === '' && apart.has(target.db)) return false;
  if (target.kind === 'database') return resource.collection === '';
  return resource.collection === '' ? !isSystem(target.collection) : resource.collection === target.collection;
};

/** Stands for whichever action is allowed. */
export const anything: Action = '';

export const allows = (privileges: readonly Privilege[], action: Action, target: Target): boolean =>
  privileges.some(
    ({ resource, actions }) =>
      (actions.has(action) || actions.has('anyAction') || (action === anything && actions.size > 0)) &&
      covers(resource, target),
  );

const keyOf = (resource: Resource): string =>
  resource.kind === 'namespace' ? `${resource.db}.${resource.collection}` : `\0${resource.kind}`;

/** Returns the privileges with one entry per resource. */
export const merged = (privileges: Iterable<Privilege>): readonly Privilege[] => {
  const all = new Map<string, { readonly resource: Resource; readonly actions: Set<Action> }>();
  for (const { resource, actions } of privileges) {
    const same = all.get(keyOf(resource));
    if (same === undefined) all.set(keyOf(resource), { resource, actions: new Set(actions) });
    else for (const action of actions) same.actions.add(action);
  }
  return [...all.values()];
};

/** Returns the privileges that remain after others are revoked. */
export const without = (privileges: readonly Privilege[], taken: readonly Privilege[]): readonly Privilege[] =>
  privileges
    .map(({ resource, actions }) => {
      const gone = taken.filter(one => keyOf(one.resource) === keyOf(resource));
      return { resource, actions: new Set([...actions].filter(action => !gone.some(one => one.actions.has(action)))) };
    })
    .filter(({ actions }) => actions.size > 0);

const resourceDoc = (resource: Resource): Doc => {
  if (resource.kind === 'cluster') return Doc.of([['cluster', true]]);
  if (resource.kind === 'any') return Doc.of([['anyResource', true]]);
  const entries: Entry[] = [
    ['db', resource.db],
    ['collection', resource.collection],
  ];
  return Doc.of(entries);
};

/** Returns the privileges as usersInfo, rolesInfo and connectionStatus report them. */
export const privilegeDocs = (privileges: readonly Privilege[]): readonly Doc[] =>
  privileges.map(({ resource, actions }) =>
    Doc.of([
      ['resource', resourceDoc(resource)],
      ['actions', [...actions].sort()],
    ]),
  );

/**
 * Reads a resource document. The document must name exactly one kind of resource. A mixture could be checked as one
 * kind and granted as another.
 * @throws CommandError 9
 */
const readResource = (doc: Doc): Resource => {
  const [db, collection] = [doc.get('db'), doc.get('collection')];
  const hasNamespace = db !== undefined || collection !== undefined;
  const flags = ['cluster', 'anyResource'].filter(name => doc.has(name));
  if (Number(hasNamespace) + flags.length !== 1)
    throw fail(
      'FailedToParse',
      'resource must have exactly db and collection set, or have only cluster set or have only anyResource set',
    );
  const [flag] = flags;
  if (flag !== undefined) {
    if (doc.get(flag) !== true) throw fail('FailedToParse', `${flag} must be true when specified`);
    return flag === 'cluster' ? cluster : anyResource;
  }
  if (typeof db !== 'string' || typeof collection !== 'string')
    throw fail('FailedToParse', 'resource must set both db and collection or neither, but not exactly one.');
  return namespace(db, collection);
};

/** Reads a list of privileges. @throws CommandError 2, 9 */
export const readPrivileges = (given: readonly Value[]): readonly Privilege[] =>
  given.map(one => {
    const [resource, actions] = isDoc(one) ? [one.get('resource'), one.get('actions')] : [];
    if (!isDoc(resource)) throw fail('FailedToParse', 'missing resource field');
    if (!isArray(actions)) throw fail('FailedToParse', 'missing actions field');
    const unknown = actions.filter(action => !isAction(action));
    if (unknown.length > 0)
      throw fail('FailedToParse', `Unrecognized action privilege strings: ${unknown.map(String).join(', ')}`);
    return { resource: readResource(resource), actions: new Set(actions as readonly Action[]) };
  });
