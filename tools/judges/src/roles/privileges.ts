/**
 * Decides which actions privileges allow, by the rules of MongoDB's manual. A target is `cluster`, `<database>`, `<database>.<collection>`, or `.` for
 * all databases. A resource is `cluster`, `*` for any resource, or `<database>.<collection>`, where an empty part matches all.
 */

/** Actions on a resource. */
export type Privilege = readonly [resource: string, actions: readonly string[]];

/** A role, as `<role>@<database>`. */
export type RoleName = string;

/** The privileges of a user, and the roles from which they come. */
export interface Held {
  readonly privileges: readonly Privilege[];
  readonly roles: readonly RoleName[];
}

/** The form of `built-in.json`. In a resource, `$` is the database of the role. */
export interface BuiltIn {
  /** Whether every database has the role. Absent: only `admin` has it. */
  readonly everywhere?: boolean;
  readonly roles?: readonly string[];
  readonly privileges?: Readonly<Record<string, string>>;
}

export type BuiltIns = Readonly<Record<string, BuiltIn>>;

/** Returns what a built-in role grants, and the roles that it inherits. */
export const heldBy = (builtIns: BuiltIns, name: RoleName): Held => {
  const [role = '', db = 'admin'] = name.split('@');
  const { roles = [], privileges = {} } = builtIns[role] ?? {};
  const inherited = roles.map(each => heldBy(builtIns, each.includes('@') ? each : `${each}@${db}`));
  const own = Object.entries(privileges).map(([resource, actions]): Privilege => [
    resource.replace('$', db),
    actions.split(' '),
  ]);
  return {
    privileges: [...own, ...inherited.flatMap(each => each.privileges)],
    roles: [`${role}@${db}`, ...inherited.flatMap(each => each.roles)],
  };
};

const partsOf = (text: string): readonly [db: string, collection: string | undefined] => {
  const dot = text.indexOf('.');
  return dot === -1 ? [text, undefined] : [text.slice(0, dot), text.slice(dot + 1)];
};

/** The databases that a resource of all databases does not include. */
const apart: ReadonlySet<string> = new Set(['local', 'config']);

const covers = (resource: string, target: string): boolean => {
  if (resource === '*') return true;
  if (resource === 'cluster' || ['cluster', '.', '*'].includes(target)) return resource === target;
  const [db, collection = ''] = partsOf(resource);
  const [targetDb, targetCollection] = partsOf(target);
  if (collection !== '') return collection === targetCollection && (db === '' || db === targetDb);
  if (targetCollection?.startsWith('system.') === true) return false;
  return db === targetDb || (db === '' && !apart.has(targetDb));
};

/** Whether a privilege concerns a part of the database. */
const touches = (resource: string, db: string): boolean =>
  resource === '*' || (resource !== 'cluster' && ['', db].includes(partsOf(resource)[0]));

/**
 * Returns whether a requirement is met. `<action> <target>` requires an action, and `!<action> <target>` its absence.
 * `? <database>` requires any action on any part of the database. `= <role>` requires a role.
 */
const meets = ({ privileges, roles }: Held, requirement: string): boolean => {
  const [action = '', target = ''] = requirement.split(' ');
  if (action.startsWith('!')) return !meets({ privileges, roles }, requirement.slice(1));
  if (action === '=') return roles.includes(target);
  if (action === '?') return privileges.some(([resource, actions]) => actions.length > 0 && touches(resource, target));
  return privileges.some(
    ([resource, actions]) => (actions.includes(action) || actions.includes('anyAction')) && covers(resource, target),
  );
};

/** Returns the alternatives of a condition. All requirements of one alternative must be met. */
export const alternativesOf = (needs: string): readonly (readonly string[])[] =>
  needs.split(' | ').map(all => all.split(', ').filter(each => each !== ''));

/** Returns whether a user may run a command with this condition. The condition `never` refuses all users. */
export const allows = (held: Held, needs: string): boolean =>
  needs !== 'never' && alternativesOf(needs).some(all => all.every(each => meets(held, each)));
