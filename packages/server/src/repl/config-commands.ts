import { fail, isAtLeast, isDoc } from '@tessera/mql/engine';
import type { Command } from '../commands/command.js';
import { command } from '../commands/command.js';
import { any, bool, integer } from '../commands/schema.js';
import { configDoc, readConfig } from './config-document.js';
import { memberOf } from './member-of.js';
import type { SetConfig } from './set-config.js';
import { votersOf } from './set-config.js';

const replSetGetConfig = command({
  name: 'replSetGetConfig',
  lenient: true,
  adminOnly: true,
  help: 'Returns the configuration of the replica set.',
  run: call => {
    const { member } = memberOf(call);
    return [['config', configDoc(member.config, call.engine.version)]];
  },
});

const replSetInitiate = command({
  name: 'replSetInitiate',
  lenient: true,
  adminOnly: true,
  help: 'Fails, because members of a replica set are initiated already.',
  run: call => {
    memberOf(call);
    throw fail('AlreadyInitialized', 'already initialized');
  },
});

/** Returns the number of members that vote in only one of the two configurations. */
const changedVotes = (before: SetConfig, after: SetConfig): number => {
  const ids = [before, after].map(config => new Set(votersOf(config).map(({ id }) => id)));
  const [old, young] = ids as [Set<number>, Set<number>];
  return [...old].filter(id => !young.has(id)).length + [...young].filter(id => !old.has(id)).length;
};

const replSetReconfig = command({
  name: 'replSetReconfig',
  schema: { force: bool(), maxTimeMS: integer(0), newConfig: any() },
  adminOnly: true,
  help: 'Changes the configuration of the replica set.',
  run: (call, { force = false }) => {
    const { member, set } = memberOf(call);
    if (!member.isPrimary && !force) {
      throw fail(
        'NotWritablePrimary',
        `New config requires a primary, but this node is in state ${member.state.toUpperCase()}; use { force: true } to reconfigure it anyway.`,
      );
    }
    if (!isDoc(call.target)) throw fail('BadValue', 'no configuration specified');
    const before = member.config;
    const wanted = readConfig(call.target, before, force ? -1n : member.term);
    if (wanted.name !== before.name) {
      throw fail(
        'NewReplicaSetConfigurationIncompatible',
        `New and old configurations differ in replica set name; old was ${before.name}, and new is ${wanted.name}`,
      );
    }
    if (wanted.version <= before.version && !force) {
      throw fail(
        'NewReplicaSetConfigurationIncompatible',
        `New replica set configuration version must be greater than old, but ${wanted.version} is not greater than ${before.version} for replica set ${before.name}`,
      );
    }
    if (!force && isAtLeast(call.engine.version, '4.4') && changedVotes(before, wanted) > 1) {
      throw fail(
        'NewReplicaSetConfigurationIncompatible',
        'Non force replica set reconfig can only add or remove at most 1 voting member.',
      );
    }
    if (!wanted.members.some(({ host }) => host === member.host)) {
      throw fail(
        'NodeNotFound',
        `No host described in new configuration with {version: ${wanted.version}, term: ${wanted.term}} for replica set ${before.name} maps to this node`,
      );
    }
    // Versions of forced configurations are increased by a large amount, so that two of them never get the same
    // version.
    const version = force ? Math.max(wanted.version, before.version + 1) + 10_000 : wanted.version;
    set.reconfigure(member, { ...wanted, version });
    return [];
  },
});

/** The commands about a set's configuration. */
export const configCommands: readonly Command[] = [replSetGetConfig, replSetInitiate, replSetReconfig];
