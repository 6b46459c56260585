import { fail } from '../errors.js';
import type { Matcher, QueryContext } from '../query/parse.js';
import { Doc } from '../value/doc.js';
import type { TimestampValue, Value } from '../value/value.js';
import { isDoc } from '../value/value.js';
import { createApplication } from './apply.js';
import { parseArrayFilters } from './array-filters.js';
import { parseModifiers } from './modifiers.js';
import type { Change, Run } from './place.js';
import { replace } from './replacement.js';

export type { Change } from './place.js';

export interface UpdateOptions extends QueryContext {
  readonly arrayFilters?: readonly Value[] | undefined;
  /** Compiles the stages of a pipeline that turns a document into another. Without it pipelines are refused. */
  readonly pipeline?: ((stages: readonly Value[]) => (doc: Doc) => Doc) | undefined;
}

/** What an update needs to know at the moment of its application. */
export interface UpdateMoment {
  /** Of the query by which the document was found: the positional `$` asks it. */
  readonly matcher?: Matcher | undefined;
  /** The document is about to be inserted. */
  readonly insert: boolean;
  /** Milliseconds since 1970, for `$currentDate`. */
  readonly nowMs: number | undefined;
  readonly nowTimestamp: TimestampValue;
  /** What becomes of Timestamp(0, 0) at the top level of a replacement: it stays as it is if undefined. */
  readonly stamp: TimestampValue | undefined;
  /** Told of each field that modifiers change, in the words of a change stream's `updateDescription`. Not called for the other kinds. */
  readonly log?: ((change: Change) => void) | undefined;
}

/** An update compiled. */
export interface Updater {
  readonly kind: 'modifiers' | 'replacement' | 'pipeline';
  /**
   * The document as the update leaves it: the very same object if nothing changes, to the byte.
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
  const context: QueryContext = { collation: options.collation };
  const filters = parseArrayFilters(options.arrayFilters ?? [], context);
  const tree = parseModifiers(update, filters, context);
  const application = createApplication(filters);
  return {
    kind: 'modifiers',
    apply: (doc, { matcher, insert, nowMs, nowTimestamp, log }) => {
      const run: Run = {
        original: doc,
        insert,
        nowMs,
        nowTimestamp,
        collation: options.collation,
        position: () => positionIn(doc, matcher),
        log,
      };
      return application.apply(tree, doc, run);
    },
  };
};

const refuseArrayFilters = ({ arrayFilters }: UpdateOptions, style: string): void => {
  if (arrayFilters === undefined || arrayFilters.length === 0) return;
  throw fail('FailedToParse', `arrayFilters may not be specified for ${style} updates`);
};

const parseReplacement = (replacement: Doc, options: UpdateOptions): Updater => {
  refuseArrayFilters(options, 'replacement-style');
  return {
    kind: 'replacement',
    apply: (doc, { insert, stamp }) => replace(doc, replacement, stamp, insert),
  };
};

/** The stages that turn one document into one. */
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
  // What is no stage at all is refused by the parser of pipelines, in its own words.
  if (name === undefined || !name.startsWith('$') || allowedStages.has(name)) return;
  throw fail('InvalidOptions', `${name} is not allowed to be used within an update`);
};

const parsePipeline = (stages: readonly Value[], options: UpdateOptions): Updater => {
  refuseArrayFilters(options, 'pipeline-syle');
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
 * Compiles what stands as `u` in an update: modifiers if its first name begins with a dollar, a pipeline if it is an array, else a
 * replacement. @throws CommandError 2, 9, 14, 40, 56, 72 …
 */
export const parseUpdate = (update: Doc | readonly Value[], options: UpdateOptions = {}): Updater => {
  if (!(update instanceof Doc)) return parsePipeline(update, options);
  const [first] = update.keys();
  return first?.startsWith('$') === true ? parseModifierUpdate(update, options) : parseReplacement(update, options);
};
