import type { Value } from '@tessera/mql/engine';
import { CommandError, Doc, fail, isArray, isDoc } from '@tessera/mql/engine';
import { builtIn } from './built-in.js';
import type { OwnDocuments } from '../engine/own-documents.js';
import type { Privilege } from './privilege.js';
import { merged, privilegeDocs, readPrivileges } from './privilege.js';

/** A role, and the database that defines it. */
export interface Role {
  readonly role: string;
  readonly db: string;
}

/** A user-defined role. */
export interface OwnRole extends Role {
  readonly privileges: readonly Privilege[];
  readonly roles: readonly Role[];
}

export const roleKey = ({ role, db }: Role): string => `${db}.${role}`;

const named = ({ role, db }: Role): string => `${role}@${db}`;

/** Returns a role in the form in which mongod stores it in `admin.system.roles`. */
const roleDoc = ({ role, db, privileges, roles }: OwnRole): Doc =>
  Doc.of([
    ['_id', roleKey({ role, db })],
    ['role', role],
    ['db', db],
    ['privileges', privilegeDocs(privileges)],
    ['roles', roleDocs(roles)],
  ]);

/**
 * Returns the role in a document, or undefined if it is not a role, because clients may write any document to the
 * collection.
 */
const roleIn = (doc: Doc): OwnRole | undefined => {
  const [role, db, privileges, roles] = [doc.get('role'), doc.get('db'), doc.get('privileges'), doc.get('roles')];
  if (typeof role !== 'string' || typeof db !== 'string' || !isArray(privileges) || !isArray(roles)) return undefined;
  try {
    return { role, db, privileges: readPrivileges(privileges), roles: readRoleNames(roles, db) };
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
};

/** The built-in and the user-defined roles. */
export class Roles {
  readonly #made: OwnDocuments;
  #known: ReadonlyMap<string, OwnRole> = new Map<string, OwnRole>();
  #version = 0;
  #seen: OwnDocuments['records'];

  constructor(made: OwnDocuments) {
    this.#made = made;
  }

  #own(): ReadonlyMap<string, OwnRole> {
    const { records } = this.#made;
    if (records === this.#seen) return this.#known;
    const known = [...this.#made].map(roleIn).filter(role => role !== undefined);
    this.#known = new Map(known.map(role => [roleKey(role), role] as const).sort(([a], [b]) => (a < b ? -1 : 1)));
    this.#version += 1;
    this.#seen = records;
    return this.#known;
  }

  /** Increases with every change. */
  get version(): number {
    this.#own();
    return this.#version;
  }

  /** Returns the user-defined roles, sorted by key. */
  own(): readonly OwnRole[] {
    return [...this.#own().values()];
  }

  has(role: Role): boolean {
    return this.#own().has(roleKey(role)) || builtIn(role.role, role.db) !== undefined;
  }

  /** Returns a user-defined role. @throws CommandError 31, 49 */
  known(role: Role): OwnRole {
    const own = this.#own().get(roleKey(role));
    if (own !== undefined) return own;
    if (builtIn(role.role, role.db) !== undefined)
      throw fail('InvalidRoleModification', `${named(role)} is a built-in role and cannot be modified`);
    throw fail('RoleNotFound', `Role '${named(role)}' not found`);
  }

  /** Adds a user-defined role. @throws CommandError 51002 */
  add(role: OwnRole): void {
    if (this.#own().has(roleKey(role))) throw fail(51002, `Role "${named(role)}" already exists`);
    this.replace(role);
  }

  /** Replaces a user-defined role. @throws CommandError 49 if the role would inherit from itself */
  replace(role: OwnRole): void {
    if (role.roles.some(part => this.#isPart(role, part)))
      throw fail(
        'InvalidRoleModification',
        `Granting ${named(role)} to itself would introduce a cycle in the role graph`,
      );
    this.#made.put(roleDoc(role));
  }

  #isPart(whole: Role, part: Role): boolean {
    return this.closure([part]).some(one => roleKey(one) === roleKey(whole));
  }

  /** Removes a role, and revokes it from all other roles. */
  remove(role: Role): void {
    this.#made.remove(roleKey(role));
    for (const other of this.own()) {
      const roles = other.roles.filter(one => roleKey(one) !== roleKey(role));
      if (roles.length < other.roles.length) this.#made.put(roleDoc({ ...other, roles }));
    }
  }

  /** Returns these roles and all roles that they inherit from, each once. */
  closure(roles: readonly Role[]): readonly Role[] {
    const found = new Map<string, Role>();
    const visit = (role: Role): void => {
      const key = roleKey(role);
      if (found.has(key)) return;
      found.set(key, role);
      this.#own().get(key)?.roles.forEach(visit);
    };
    roles.forEach(visit);
    return [...found.values()];
  }

  /** Returns the combined privileges of these roles. */
  privileges(roles: readonly Role[]): readonly Privilege[] {
    return merged(
      this.closure(roles).flatMap(one => this.#own().get(roleKey(one))?.privileges ?? builtIn(one.role, one.db) ?? []),
    );
  }

  /** Reads a list of roles. A name without a database means a role of `ownDb`. @throws CommandError 2, 31 */
  read(given: readonly Value[], ownDb: string): readonly Role[] {
    return readRoleNames(given, ownDb).map(role => {
      if (!this.has(role)) throw fail('RoleNotFound', `Could not find role: ${named(role)}`);
      return role;
    });
  }
}

/** Reads a list of role names. @throws CommandError 2 */
export const readRoleNames = (given: readonly Value[], ownDb: string): readonly Role[] =>
  given.map(item => {
    const role = isDoc(item) ? item.get('role') : item;
    const db = isDoc(item) ? item.get('db') : ownDb;
    if (typeof role !== 'string' || typeof db !== 'string')
      throw fail('BadValue', 'Role names must be strings or { role: <string>, db: <string> }');
    return { role, db };
  });

export const roleDocs = (roles: readonly Role[]): readonly Doc[] =>
  roles.map(({ role, db }) =>
    Doc.of([
      ['role', role],
      ['db', db],
    ]),
  );
