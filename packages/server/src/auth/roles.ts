import { fail } from '../errors.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isDoc } from '../value/value.js';

export interface Role {
  readonly role: string;
  readonly db: string;
}

/** Of every database. */
const common = ['read', 'readWrite', 'dbAdmin', 'dbOwner', 'userAdmin', 'enableSharding'];
const ofAdmin = [
  ...common,
  ...['clusterAdmin', 'clusterManager', 'clusterMonitor', 'hostManager', 'backup', 'restore', 'root', '__system'],
  ...['readAnyDatabase', 'readWriteAnyDatabase', 'userAdminAnyDatabase', 'dbAdminAnyDatabase', 'directShardOperations'],
];

const exists = ({ role, db }: Role): boolean => (db === 'admin' ? ofAdmin : common).includes(role);

/** A role by its name is one of the user's own database. They are known by name only: whoever is logged in may do all. @throws CommandError 2, 31 */
export const readRoles = (given: readonly Value[], ownDb: string): readonly Role[] =>
  given.map(item => {
    const role = isDoc(item) ? item.get('role') : item;
    const db = isDoc(item) ? item.get('db') : ownDb;
    if (typeof role !== 'string' || typeof db !== 'string')
      throw fail('BadValue', 'Role names must be strings or { role: <string>, db: <string> }');
    if (!exists({ role, db })) throw fail('RoleNotFound', `Could not find role: ${role}@${db}`);
    return { role, db };
  });

export const roleDocs = (roles: readonly Role[]): readonly Doc[] =>
  roles.map(({ role, db }) =>
    Doc.of([
      ['role', role],
      ['db', db],
    ]),
  );
