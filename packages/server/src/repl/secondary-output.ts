import type { Doc } from '@tessera/mql/engine';
import { fail, isArray, isAtLeast, isDoc } from '@tessera/mql/engine';
import type { Call, Command } from '../commands/command.js';
import type { Data } from '../engine/data.js';
import type { Member } from './member.js';

/** Returns the last stage of the pipeline if it writes the results. */
export const outputOf = ({ body }: Call): Doc | undefined => {
  const pipeline = body.get('pipeline');
  const last = isArray(pipeline) ? pipeline.at(-1) : undefined;
  return isDoc(last) && (last.has('$out') || last.has('$merge')) ? last : undefined;
};

/**
 * Whether a secondary may execute the command: it reads, and the primary writes. Rule: "$merge" and "$out", "Read
 * Preference".
 */
export const isForSecondary = (call: Call, { name }: Command): boolean => {
  const output = name === 'aggregate' ? outputOf(call) : undefined;
  return output !== undefined && isAtLeast(call.engine.version, output.has('$merge') ? '4.4' : '5.0');
};

/** Returns the primary that writes for a member. @throws CommandError 10107 */
export const writerFor = (member: Member, { server: { role } }: Call): Member => {
  const primary = member.isPrimary ? member : member.primary;
  if (primary?.isPrimary !== true || role.kind !== 'member' || !role.set.isReachable(member, primary))
    throw fail('NotWritablePrimary', 'not primary');
  return primary;
};

/** Returns data that is read from the member and written to the primary. */
export const halved = (member: Member, call: Call): Data => ({
  get value() {
    return call.data.value;
  },
  change: (what, work) => writerFor(member, call).engine.change(what, work),
});
