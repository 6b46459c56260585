/** Renames the databases of fixtures, so that they do not collide with existing databases. */
import type { Fixture } from '../suite.js';

/** Databases of every deployment, which keep their names. */
const everywhere: readonly string[] = ['admin', 'config', 'local', '$external'];

/** Keys whose values are database names. */
const keys: readonly string[] = ['databaseName', '$db', 'db'];

const databasesIn = (value: unknown, found = new Set<string>()): ReadonlySet<string> => {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === 'string' && keys.includes(key) && !everywhere.includes(inner)) found.add(inner);
    else databasesIn(inner, found);
  }
  return found;
};

/** Replaces database names and the database part of namespaces in a JSON value. */
const renamed = (value: unknown, names: ReadonlyMap<string, string>): unknown => {
  if (typeof value === 'string') {
    const dot = value.indexOf('.');
    const database = dot < 0 ? value : value.slice(0, dot);
    const name = names.get(database);
    return name === undefined ? value : `${name}${value.slice(database.length)}`;
  }
  if (Array.isArray(value)) return value.map(inner => renamed(inner, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, renamed(inner, names)]));
};

/** The maximum length of a database name. Rule: MongoDB Limits, "Length of Database Names". */
const longest = 63;

/** Renames the databases of fixtures. */
export interface Renaming {
  rename(fixture: Fixture): Fixture;
  /** All new names so far. */
  readonly given: ReadonlySet<string>;
}

/** Creates a renaming that puts the prefix before each database name. */
export const createRenaming = (prefix: string): Renaming => {
  const given = new Set<string>();
  return {
    given,
    rename(fixture) {
      const names = new Map(
        [...databasesIn(fixture.json)].map(name => [name, `${prefix}${name}`.slice(0, longest)] as const),
      );
      for (const name of names.values()) given.add(name);
      return { ...fixture, json: renamed(fixture.json, names) };
    },
  };
};
