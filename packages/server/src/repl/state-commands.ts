import type { Millis } from '@tessera/contracts';
import { fail, isAtLeast, isNumber, isSet, isoDate } from '@tessera/mql/engine';
import type { Call, Command } from '../commands/command.js';
import { command } from '../commands/command.js';
import { bool, integer } from '../commands/schema.js';
import { waitUntil } from '../engine/wait.js';
import type { Member } from './member.js';
import { memberOf, secondsOf } from './member-of.js';
import type { ReplicaSet } from './replica-set.js';

/** The default time that a step-down waits for a secondary to catch up, in seconds, as in mongod. */
const defaultCatchUp = 10;

/** Waits until an electable member has caught up, the time is over, or the member is no longer the primary. */
const successorCaughtUp = async (call: Call, set: ReplicaSet, member: Member, within: Millis): Promise<boolean> => {
  const hasSuccessor = (): boolean => member.isPrimary && set.successors(member).length > 0;
  const once = (wake: () => void): (() => void) => member.onceMoved(wake);
  const { engine, client } = call;
  const waiting = { clock: engine.clock, signal: client.peer.signal, within, once };
  await waitUntil(() => !member.isPrimary || hasSuccessor(), waiting);
  return hasSuccessor();
};

const replSetStepDown = command({
  name: 'replSetStepDown',
  schema: { force: bool(), secondaryCatchUpPeriodSecs: integer(0) },
  adminOnly: true,
  help: 'Makes the primary step down for some time.',
  run: async (call, { force = false, secondaryCatchUpPeriodSecs: given }) => {
    const { member, set } = memberOf(call);
    const period = isNumber(call.target) ? secondsOf(call.target, 'stepdown') : 60;
    const catchUp = given ?? (force ? 0 : defaultCatchUp);
    if (period < catchUp) {
      throw fail('BadValue', 'stepdown period must be longer than secondaryCatchUpPeriodSecs');
    }
    const notPrimary = (): Error => fail('NotWritablePrimary', "not primary so can't step down");
    if (!member.isPrimary) throw notPrimary();
    const { clock } = call.engine;
    const until = clock.now() + period * 1000;
    // mongod waits even if there is no other member that could catch up.
    const caughtUp =
      set.successors(member).length > 0 ||
      (catchUp > 0 && (await successorCaughtUp(call, set, member, catchUp * 1000)));
    if (!caughtUp && !force) {
      throw fail(
        'ExceededTimeLimit',
        `No electable secondaries caught up as of ${isoDate(clock.wallTime())}. Please use the replSetStepDown command with the argument {force: true} to force node to step down.`,
      );
    }
    if (!member.isPrimary) throw notPrimary();
    set.stepDown(member, Math.max(0, until - clock.now()));
    return [];
  },
});

const replSetFreeze = command({
  name: 'replSetFreeze',
  adminOnly: true,
  help: 'Prevents a secondary from being elected for some time. With 0, it may be elected again.',
  run: call => {
    const { member, set } = memberOf(call);
    const period = secondsOf(call.target, 'freeze');
    if (member.isPrimary) {
      throw fail('NotSecondary', 'cannot freeze node when primary or running for election. state: Primary');
    }
    set.rest(member, period * 1000);
    return period === 0 ? [['info', 'unfreezing']] : [];
  },
});

const replSetStepUp = command({
  name: 'replSetStepUp',
  schema: { skipDryRun: bool() },
  adminOnly: true,
  help: 'Makes a secondary start an election at once.',
  run: call => {
    const { member, set } = memberOf(call);
    if (member.isPrimary) return [];
    if (!member.isReadable) throw fail('CommandFailed', 'Election failed.');
    const why = set.run(member);
    if (why !== undefined) throw fail('CommandFailed', `Election failed: ${why}`);
    return [];
  },
});

const replSetAbortPrimaryCatchUp = command({
  name: 'replSetAbortPrimaryCatchUp',
  adminOnly: true,
  help: 'Fails, because a primary of this server never has to catch up.',
  run: call => {
    const { member } = memberOf(call);
    throw member.isPrimary
      ? fail('IllegalOperation', 'The node is not in catch-up mode')
      : fail('NotWritablePrimary', 'Not in primary state');
  },
});

const replSetMaintenance = command({
  name: 'replSetMaintenance',
  adminOnly: true,
  help: 'Turns maintenance mode, in which a secondary cannot be read, on or off.',
  run: call => {
    const { member } = memberOf(call);
    const on = isSet(call.target);
    if (member.isPrimary) throw fail('NotSecondary', "primaries can't modify maintenance mode");
    if (!on && member.state !== 'recovering') {
      throw fail('OperationFailed', 'already out of maintenance mode');
    }
    member.setMaintenance(on);
    return [];
  },
});

const appendOplogNote = command({
  name: 'appendOplogNote',
  lenient: true,
  adminOnly: true,
  writeConcern: true,
  help: 'Writes a no-op entry to the oplog.',
  run: call => {
    memberOf(call);
    call.engine.noop('appendOplogNote');
    return [];
  },
});

const shutdown = command({
  name: 'shutdown',
  schema: { force: bool(), timeoutSecs: integer(0) },
  adminOnly: true,
  help: 'Shuts the server down. From 5.0 on, a replica set member first enters quiesce mode.',
  run: async (call, { force = false, timeoutSecs }) => {
    const { server, engine } = call;
    const time = (timeoutSecs ?? (isAtLeast(engine.version, '5.0') ? 15 : 10)) * 1000;
    const until = engine.clock.now() + time;
    if (server.role.kind === 'member' && server.role.member.isPrimary && server.role.set.members.length > 1) {
      const { member, set } = server.role;
      const ready = set.successors(member).length > 0 || (await successorCaughtUp(call, set, member, time));
      if (!ready && !force) {
        throw fail('ExceededTimeLimit', 'No electable secondaries caught up: use {force: true} to shut down anyway.');
      }
      set.stepDown(member, Math.max(0, until - engine.clock.now()));
    }
    server.shutDown?.(Math.max(0, until - engine.clock.now()));
    return [];
  },
});

/** The commands that change which member is primary. */
export const stateCommands: readonly Command[] = [
  appendOplogNote,
  replSetAbortPrimaryCatchUp,
  replSetFreeze,
  replSetMaintenance,
  replSetStepDown,
  replSetStepUp,
  shutdown,
];
