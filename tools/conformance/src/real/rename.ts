/** Gives the databases of fixtures other names, so that they meet no database of somebody else. */
import type { Fixture } from '../suite.js';

/** The databases that every deployment has. */
const everywhere: readonly string[] = ['admin', 'config', 'local', '$external'];

/** The keys whose values are names of databases. */
const keys: readonly string[] = ['databaseName', '$db', 'db'];

const databasesIn = (value: unknown, found: Set<string> = new Set()): ReadonlySet<string> => {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === 'string' && keys.includes(key) && !everywhere.includes(inner)) found.add(inner);
    else databasesIn(inner, found);
  }
  return found;
};

/** Names of databases and of their collections. */
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

/** What a name of a database may have. Rule: MongoDB Limits, "Length of Database Names". */
const longest = 63;

/** Renames the databases of fixtures. */
export interface Renaming {
  rename(fixture: Fixture): Fixture;
  /** Every name that it gave. */
  readonly given: ReadonlySet<string>;
}

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
