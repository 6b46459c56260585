import { fail, isArray, isDoc } from '@tessera/mql/engine';
import type { Call, Command } from '../commands/command.js';

const ns = 'local.oplog.rs';

const writing: ReadonlySet<string> = new Set([
  ...['insert', 'update', 'delete', 'findAndModify', 'createIndexes', 'dropIndexes', 'collMod', 'convertToCapped'],
]);

const cannotWrite = (): Error => fail('InvalidNamespace', `cannot write to ${ns}`);

/** Checks that a command does not write to the set's oplog. @throws CommandError 20, 73, 5255000 */
export const checkLiveOplog = ({ db, target, body }: Call, { name }: Command): void => {
  switch (name) {
    case 'renameCollection':
      if (target === ns) throw fail('IllegalOperation', "can't rename live oplog while replicating");
      if (body.get('to') === ns) throw fail('IllegalOperation', "can't rename to live oplog while replicating");
      return;
    case 'bulkWrite': {
      const namespaces = body.get('nsInfo');
      if (isArray(namespaces) && namespaces.some(one => isDoc(one) && one.get('ns') === ns)) throw cannotWrite();
      return;
    }
    default:
      if (db !== 'local' || target !== 'oplog.rs') return;
      if (name === 'drop') throw fail(5255000, "can't drop live oplog while replicating");
      if (writing.has(name)) throw cannotWrite();
  }
};
