import { fail } from '../errors.js';
import type { Matcher, QueryContext } from '../query/parse.js';
import { Doc } from '../value/doc.js';
import type { TimestampValue, Value } from '../value/value.js';
import { isDoc } from '../value/value.js';
import { applyTree } from './apply.js';
import { parseArrayFilters } from './array-filters.js';
import { parseModifiers } from './modifiers.js';
import type { Change, Run } from './place.js';
import { replace } from './replacement.js';

export type { Change } from './place.js';

export interface UpdateOptions extends QueryContext {
  readonly arrayFilters?: readonly Value[] | undefined;
  /** Compiles the stages of a pipeline that transforms a document. If undefined, pipelines are rejected. */
  readonly pipeline?: ((stages: readonly Value[]) => (doc: Doc) => Doc) | undefined;
}

/** The inputs of one application of an update. */
export interface UpdateMoment {
  /** The query that found the document. The positional `$` needs it. */
  readonly matcher?: Matcher | undefined;
  /** Whether the document is about to be inserted. */
  readonly insert: boolean;
  /** Milliseconds since 1970, for `$currentDate`. */
  readonly nowMs: number | undefined;
  readonly nowTimestamp: TimestampValue;
  /** The replacement for Timestamp(0, 0) at the top level of a replacement document. If undefined, it is kept. */
  readonly stamp: TimestampValue | undefined;
  /**
   * Called for each field that modifiers change, as in a change stream's `updateDescription`. It is not called for
   * replacements and pipelines.
   */
  readonly log?: ((change: Change) => void) | undefined;
}

/** A compiled update. */
export interface Updater {
  readonly kind: 'modifiers' | 'replacement' | 'pipeline';
  /**
   * Returns the updated document, or the same object if the update changes no byte.
   * @throws CommandError 66 for a changed `_id`, 28 for a path through a scalar, 2, 14, 34, 52 …
   */
  apply(doc: Doc, moment: UpdateMoment): Doc;
}

const positionIn = (doc: Doc, matcher: Matcher | undefined): number => {
  const position = matcher?.position(doc);
  if (position === undefined) {
    throw fail('BadValue', 'The positional operator did not find the match needed from the query.');
  }
  return position;
};

const parseModifierUpdate = (update: Doc, options: UpdateOptions): Updater => {
  const context: QueryContext = { collation: options.collation, role: 'part of an update' };
  const filters = parseArrayFilters(options.arrayFilters ?? [], context);
  const tree = parseModifiers(update, filters, context);
  return {
    kind: 'modifiers',
    apply: (doc, { matcher, insert, nowMs, nowTimestamp, log }) => {
      const run: Run = {
        original: doc,
        insert,
        nowMs,
        nowTimestamp,
        collation: options.collation,
        filters,
        position: () => positionIn(doc, matcher),
        log,
      };
      return applyTree(tree, doc, run);
    },
  };
};

const parseReplacement = (replacement: Doc): Updater => ({
  kind: 'replacement',
  apply: (doc, { insert, stamp }) => replace(doc, replacement, stamp, insert),
});

/** The stages that map one document to one document. */
const allowedStages: ReadonlySet<string> = new Set([
  '$addFields',
  '$set',
  '$project',
  '$unset',
  '$replaceRoot',
  '$replaceWith',
]);

const requireAllowedStage = (stage: Value): void => {
  const [name] = isDoc(stage) ? stage.keys() : [];
  // The pipeline's parser rejects names that are not stages, with its own messages.
  if (name === undefined || !name.startsWith('$') || allowedStages.has(name)) return;
  throw fail('InvalidOptions', `${name} is not allowed to be used within an update`);
};

const parsePipeline = (stages: readonly Value[], options: UpdateOptions): Updater => {
  if (options.arrayFilters !== undefined && options.arrayFilters.length > 0)
    throw fail('FailedToParse', 'arrayFilters may not be specified for pipeline-syle updates');
  if (options.pipeline === undefined) {
    throw fail('FailedToParse', 'Update with an aggregation pipeline is not allowed here');
  }
  stages.forEach(requireAllowedStage);
  const transform = options.pipeline(stages);
  return {
    kind: 'pipeline',
    apply: doc => replace(doc, transform(doc), undefined, true),
  };
};

/**
 * Compiles the `u` of an update: modifiers if its first name begins with a dollar, a pipeline if it is an array,
 * otherwise a replacement.
 * @throws CommandError 2, 9, 14, 40, 56, 72 …
 */
export const parseUpdate = (update: Doc | readonly Value[], options: UpdateOptions = {}): Updater => {
  if (!(update instanceof Doc)) return parsePipeline(update, options);
  const [first] = update.keys();
  return first?.startsWith('$') === true ? parseModifierUpdate(update, options) : parseReplacement(update);
};
