import type { Soon } from '@tessera/contracts';
import type { Doc, Value, Version } from '@tessera/mql/engine';
import { fail, isAtLeast, isDoc, parsePipeline, withoutPauses } from '@tessera/mql/engine';
import { dbOf, nameOf } from '@tessera/store';
import type { Call, Reply } from '../commands/command.js';
import { openCursor } from '../commands/cursor-reply.js';
import { executing } from '../commands/find.js';
import type { Tail } from '../engine/cursors.js';
import { internalDatabases } from '../engine/database.js';
import { languageOf } from '../engine/language.js';
import { readerOf } from '../engine/pipeline.js';
import { ChangeStream, firstTime } from './change-stream.js';
import type { EventFormat } from './event.js';
import { after } from './log-events.js';
import type { Origin } from './origin.js';
import type { Specification } from './specification.js';
import { parseSpecification } from './specification.js';
import type { Watch } from './watch.js';

/** Stages that turn one event into at most one event. */
const permitted: ReadonlySet<string> = new Set([
  ...['$addFields', '$match', '$project', '$redact', '$replaceRoot', '$replaceWith', '$set', '$unset'],
]);

const splitStage = '$changeStreamSplitLargeEvent';

/** Whether servers of the version can split events: from 6.0.9 in 6.0, and from 7.0 on. */
const knowsSplit = (version: Version): boolean =>
  isAtLeast(version, '7.0') || (isAtLeast(version, '6.0.9') && !isAtLeast(version, '6.1'));

export interface StreamRequest {
  /** The collection, or `db.$cmd.aggregate` for all collections of a database. */
  readonly ns: string;
  readonly pipeline: readonly Value[];
  readonly collation: Doc | undefined;
  readonly bindings: Doc | undefined;
  readonly batchSize: number | undefined;
  /** The start of messages about failures in the first batch. */
  readonly during: string;
}

/** Returns the name of a stage, or undefined if it is not one. */
const stageOf = (stage: Value): string | undefined => (isDoc(stage) ? stage.keys()[0] : undefined);

/** Whether a pipeline starts with `$changeStream`. */
export const isChangeStream = (pipeline: readonly Value[]): boolean =>
  pipeline.length > 0 && stageOf(pipeline[0]!) === '$changeStream';

/** Returns what the stream watches. @throws CommandError 72, 73, 166 if it cannot be watched */
const watchOf = (origin: Origin, ns: string, { allChangesForCluster }: Specification): Watch => {
  const db = dbOf(ns);
  const isWhole = nameOf(ns) === '$cmd.aggregate';
  if (allChangesForCluster) {
    if (db === 'admin' && isWhole) return { kind: 'cluster' };
    throw fail(
      'InvalidOptions',
      `A $changeStream with 'allChangesForCluster:true' may only be opened on the 'admin' database, and with no collection name; found ${ns}`,
    );
  }
  if (internalDatabases.has(db)) {
    throw fail('InvalidNamespace', `$changeStream may not be opened on the internal ${db} database`);
  }
  if (isWhole) return { kind: 'database', db };
  if (nameOf(ns).startsWith('system.')) {
    throw fail('InvalidNamespace', `$changeStream may not be opened on the internal ${ns} collection`);
  }
  if (origin.isView(ns)) {
    throw fail('CommandNotSupportedOnView', `Namespace ${ns} is a view, not a collection`);
  }
  return { kind: 'collection', ns };
};

/**
 * Checks that the read concern is majority, because streams only contain majority-committed changes.
 * @throws CommandError 72
 */
const checkReadConcern = ({ generic: { readConcern } }: Call): void => {
  const level = readConcern?.get('level');
  if (typeof level !== 'string' || level === 'majority') return;
  throw fail(
    'InvalidOptions',
    `Aggregation stage $changeStream cannot run with a readConcern other than 'majority'. Current readConcern: ${level}`,
  );
};

/**
 * Returns the stages between the first one and `$changeStreamSplitLargeEvent`.
 * @throws CommandError 7182800, 7182802
 */
const middleOf = (
  stages: readonly Value[],
  version: Version,
): { readonly middle: readonly Value[]; readonly splits: boolean } => {
  const at = stages.findIndex(stage => stageOf(stage) === splitStage);
  if (at === -1 || !knowsSplit(version)) return { middle: stages, splits: false };
  const spec = (stages[at] as Doc).get(splitStage);
  if (!isDoc(spec) || spec.size > 0) throw fail(7182800, `${splitStage} spec should be an empty object`);
  if (at < stages.length - 1) throw fail(7182802, `${splitStage} must be the last stage in the pipeline`);
  return { middle: stages.slice(0, at), splits: true };
};

/**
 * Returns a function that applies the stages to one event.
 * @throws CommandError 20 for a stage that is not permitted
 */
const transformBy = (
  call: Call,
  stages: readonly Value[],
  { collation, bindings }: StreamRequest,
): ((event: Doc) => Iterable<Doc>) => {
  const language = languageOf(call.engine, bindings, collation);
  const ownStages = new Map([['$changeStream', (): (() => Iterable<Doc>) => () => []]]);
  const { variables, scripts } = language;
  const parsed = parsePipeline(stages, { collation: language.collation, variables, scripts, ownStages });
  const forbidden = parsed.stageNames.find(name => !permitted.has(name));
  if (forbidden === '$changeStream') throw fail(40602, `${forbidden} is only valid as the first stage in a pipeline`);
  if (forbidden !== undefined)
    throw fail('IllegalOperation', `${forbidden} is not permitted in a $changeStream pipeline`);
  if (stages.length === 0) return event => [event];
  const reader = readerOf(call.data.value, call.db, language);
  return event => withoutPauses(parsed.run([event], reader));
};

/**
 * Executes an `aggregate` that starts with `$changeStream`.
 * @param origin undefined on a standalone
 * @throws CommandError 20, 72, 73, 166, 280, 286, 40324, 40573, 40602, and those of {@link parseSpecification}
 */
export const openChangeStream = (call: Call, request: StreamRequest, origin: Origin | undefined): Soon<Reply> => {
  const { ns, batchSize, during } = request;
  const { version } = call.engine;
  const [stage, ...rest] = request.pipeline;
  const specification = parseSpecification((stage as Doc).get('$changeStream')!, version);
  if (origin === undefined) throw fail(40573, 'The $changeStream stage is only supported on replica sets');
  const watch = watchOf(origin, ns, specification);
  checkReadConcern(call);
  const { middle, splits } = middleOf(rest, version);
  const { start } = specification;
  const first = firstTime(start, () => after(origin.lastTime()));
  const format: EventFormat = { version, specification };
  const events = origin.events(first, watch, format);
  const stream = new ChangeStream(events, start, first, {
    format,
    transform: transformBy(call, middle, request),
    splits,
  });
  const tail: Tail = {
    kind: 'changes',
    awaitData: true,
    token: () => stream.token,
    onceMore: wake => origin.onceMoved(wake),
  };
  return executing(call, during, () => openCursor(call, ns, stream, { batchSize, tail }));
};
