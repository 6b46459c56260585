import type { Entry, Value } from '@tessera/mql/engine';
import {
  BinaryValue,
  CommandError,
  Doc,
  isArray,
  isDoc,
  fromBase64,
  toBase64,
  safeIntegerOf,
} from '@tessera/mql/engine';
import { readRoleNames, roleDocs } from './roles.js';
import { isMechanism } from './scram.js';
import type { Mechanism, ScramCredential } from './scram.js';
import type { KeptUser } from './user.js';
import { keyOf } from './user.js';

/** Returns the keys of one mechanism as `admin.system.users` and usersInfo show them. */
export const credentialDoc = ({ iterations, salt, storedKey, serverKey }: ScramCredential): Doc =>
  Doc.of([
    ['iterationCount', iterations],
    ['salt', toBase64(salt)],
    ['storedKey', toBase64(storedKey)],
    ['serverKey', toBase64(serverKey)],
  ]);

/** Returns a user in the form in which mongod stores it in `admin.system.users`. */
export const userDoc = ({ user, db, id, roles, customData, restrictions, kept }: KeptUser): Doc => {
  const entries: Entry[] = [
    ['_id', keyOf({ user, db })],
    ['userId', id],
    ['user', user],
    ['db', db],
  ];
  if (kept !== undefined)
    entries.push(['credentials', Doc.of([...kept].map(([name, one]) => [name, credentialDoc(one)]))]);
  if (customData !== undefined) entries.push(['customData', customData]);
  entries.push(['roles', roleDocs(roles)]);
  if (restrictions.length > 0) entries.push(['authenticationRestrictions', restrictions]);
  return Doc.of(entries);
};

const bytesIn = (doc: Doc, name: string): Uint8Array | undefined => {
  const text = doc.get(name);
  return typeof text === 'string' ? fromBase64(text) : undefined;
};

const credentialIn = (doc: Value): ScramCredential | undefined => {
  if (!isDoc(doc)) return undefined;
  const count = doc.get('iterationCount');
  const iterations = safeIntegerOf(count);
  const [salt, storedKey, serverKey] = [bytesIn(doc, 'salt'), bytesIn(doc, 'storedKey'), bytesIn(doc, 'serverKey')];
  if (iterations === undefined || salt === undefined || storedKey === undefined || serverKey === undefined)
    return undefined;
  return { iterations, salt, storedKey, serverKey };
};

const keptIn = (doc: Doc): ReadonlyMap<Mechanism, ScramCredential> =>
  new Map(
    doc.entries().flatMap(([name, value]): readonly (readonly [Mechanism, ScramCredential])[] => {
      const credential = credentialIn(value);
      return isMechanism(name) && credential !== undefined ? [[name, credential]] : [];
    }),
  );

const listIn = (doc: Doc, name: string): readonly Value[] => {
  const list = doc.get(name);
  return isArray(list) ? list : [];
};

/**
 * Returns the user in a document, or undefined if it is not a user, because clients may write any document to the
 * collection.
 */
export const userIn = (doc: Doc): KeptUser | undefined => {
  const [user, db, id] = [doc.get('user'), doc.get('db'), doc.get('userId')];
  const [credentials, customData] = [doc.get('credentials'), doc.get('customData')];
  if (typeof user !== 'string' || typeof db !== 'string' || !(id instanceof BinaryValue)) return undefined;
  try {
    return {
      ...{ user, db, id, roles: readRoleNames(listIn(doc, 'roles'), db) },
      customData: isDoc(customData) ? customData : undefined,
      restrictions: listIn(doc, 'authenticationRestrictions'),
      kept: isDoc(credentials) ? keptIn(credentials) : undefined,
    };
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
};
