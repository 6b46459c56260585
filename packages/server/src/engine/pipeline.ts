import type {
  Allowance,
  Doc,
  Environment,
  Leading,
  Matcher,
  Paced,
  Pause,
  Pipeline,
  PipelineContext,
  Value,
} from '@tessera/mql/engine';
import {
  Doc as Document,
  fail,
  parsePipeline,
  parseQuery,
  parseSort,
  parseTransform,
  pause,
} from '@tessera/mql/engine';
import type { Collection, Plan, DatabaseValue, Namespace } from '@tessera/store';
import { readable } from './buckets.js';
import { noteScan } from './find.js';
import type { Language } from './language.js';
import { docsOf, explainedPlan, filtered, planOf, rowsOf, isView } from '@tessera/store';

/** The maximum depth of nested views. */
export const deepest = 20;

/** Returns a function that updates documents with a pipeline. */
export const pipelineUpdater =
  ({ collation, variables, scripts, ambience }: Language) =>
  (stages: readonly Value[]): ((doc: Doc) => Doc) => {
    const transform = parseTransform(stages, { collation, variables, scripts });
    return doc => transform(doc, ambience);
  };

/** The collection that a view is based on, if it exists, and the stages of all views in between. */
export interface Resolved {
  readonly base: Collection | undefined;
  readonly baseNs: string;
  readonly stages: readonly Value[];
}

/** Whether a pipeline starts with `$collStats`, which describes a view instead of reading from it. */
export const startsWithCollStats = ([first]: readonly Value[]): boolean =>
  first instanceof Document && first.has('$collStats');

/** Returns a namespace as the base of a pipeline, without the stages of its view. */
export const unresolved = (value: DatabaseValue, ns: string): Resolved => {
  const namespace = readable(value, ns);
  return { base: isView(namespace) ? undefined : namespace, baseNs: ns, stages: [] };
};

/** Resolves a namespace to its collection. @throws CommandError 165 if views are nested too deeply */
export const resolve = (value: DatabaseValue, ns: string): Resolved => {
  let stages: readonly Value[] = [];
  let at = ns;
  for (let depth = 0; depth <= deepest; depth++) {
    const namespace: Namespace | undefined = readable(value, at);
    if (!isView(namespace)) return { base: namespace, baseNs: at, stages };
    stages = [...namespace.pipeline, ...stages];
    at = `${at.slice(0, at.indexOf('.'))}.${namespace.viewOn}`;
    if (startsWithCollStats(stages)) return { ...unresolved(value, at), stages };
  }
  throw fail('ViewDepthLimitExceeded', `View depth too deep or view cycle detected; maximum depth is ${deepest}`);
};

const matching = function* (collection: Collection, matcher: Matcher): Generator<Doc | Pause> {
  const plan = planOf(collection, { matcher, sort: undefined, hint: undefined, collation: undefined });
  yield* docsOf(collection, plan, matcher);
};

/** Returns the conditions on fields that all documents of a filter meet. They use no variables. */
const conditionsIn = (filter: Doc): readonly Doc[] =>
  filter.entries().flatMap(([name, value]) => {
    if (name === '$and') return (value as readonly Doc[]).flatMap(conditionsIn);
    return name.startsWith('$') ? [] : [Document.of([[name, value]])];
  });

/** Returns the function that finds documents for pipelines within pipelines by an index. */
const leader = (
  collectionOf: (name: string) => Collection | undefined,
  { context, collationSpec }: Language,
): NonNullable<Environment['lead']> => {
  const matchers = new Map<Leading, Matcher | undefined>();
  const matcherOf = ({ nearest, match }: Leading): Matcher | undefined => {
    const conditions = nearest !== undefined || match === undefined ? [] : conditionsIn(match);
    if (conditions.length === 0) return nearest;
    return parseQuery(Document.of([['$and', conditions]]), { ...context, text: undefined, geo: undefined });
  };
  return (name, leading) => {
    const base = collectionOf(name);
    if (!matchers.has(leading)) matchers.set(leading, matcherOf(leading));
    const matcher = matchers.get(leading);
    if (base === undefined || matcher === undefined) return undefined;
    const selection = { matcher, sort: undefined, hint: undefined, collation: collationSpec };
    const plan = explainedPlan(base, selection);
    const isByDistance = leading.nearest !== undefined;
    if (isByDistance ? plan.near === undefined : plan.index === undefined) return undefined;
    return { docs: docsOf(base, planOf(base, selection), matcher), isByDistance };
  };
};

/** Reads one version of a database. */
export interface Reader extends Environment {
  /** Returns all documents of a collection or view. */
  collection(name: string): Paced<Doc>;
}

export interface ReaderOptions {
  readonly collStats?: ((spec: Doc, collection?: string) => Doc) | undefined;
  readonly allowance?: Allowance | undefined;
}

/** Returns a reader of the database for the pipelines of one command. */
export const readerOf = (value: DatabaseValue, db: string, language: Language, options: ReaderOptions = {}): Reader => {
  const { ambience, collation, scripts } = language;
  const collectionOf = (name: string): Collection | undefined => {
    const namespace = readable(value, `${db}.${name}`);
    return isView(namespace) ? undefined : namespace;
  };
  const reader: Reader = {
    nowMs: ambience.nowMs,
    clusterTime: ambience.clusterTime,
    random: ambience.random,
    allowance: options.allowance,
    collection: name => {
      const { base, stages } = resolve(value, `${db}.${name}`);
      const docs = base === undefined ? [] : matching(base, parseQuery(Document.EMPTY));
      return stages.length === 0 ? docs : parsePipeline(stages, { collation, scripts }).run(docs, reader);
    },
    find: (name, filter) => {
      const collection = collectionOf(name);
      if (collection !== undefined) return matching(collection, parseQuery(filter));
      const matcher = parseQuery(filter);
      return filtered(reader.collection(name), matcher);
    },
    indexed: (name, path) =>
      collation === undefined &&
      collectionOf(name)?.indexes.some(({ definition }) => {
        const { partial, sparse, hidden, kind, fields } = definition;
        return fields[0]!.path === path && partial === undefined && !sparse && !hidden && kind === undefined;
      }) === true,
    lead: leader(collectionOf, language),
    ...(options.collStats === undefined ? {} : { collStats: options.collStats }),
  };
  return reader;
};

/** Returns the matching documents with the metadata of their scan. */
const scannedDocs = function* (base: Collection, plan: Plan, matcher: Matcher): Generator<Doc | Pause> {
  for (const row of rowsOf(base, plan, matcher)) {
    if (row !== pause) noteScan(row, plan);
    yield row === pause ? pause : row.doc;
  }
};

export interface Run {
  readonly pipeline: Pipeline;
  readonly language: Language;
  readonly reader: Reader;
  readonly hint: string | Doc | undefined;
}

/** Runs a pipeline on a collection. The leading stages use indexes. */
export const runOn = (base: Collection | undefined, { pipeline, language, reader, hint }: Run): Paced<Doc> => {
  const { leading } = pipeline;
  if (base === undefined || pipeline.ownSource) return pipeline.run([], reader);
  const { nearest } = leading;
  const matcher = nearest ?? parseQuery(leading.match ?? Document.EMPTY, language.context);
  const plan = planOf(base, {
    matcher,
    sort: leading.sort === undefined ? undefined : parseSort(leading.sort, language.context),
    hint,
    collation: language.collationSpec,
  });
  const { metadata } = pipeline;
  const docs =
    metadata.has('indexKey') || metadata.has('recordId')
      ? scannedDocs(base, plan, matcher)
      : docsOf(base, plan, matcher);
  // Without an index to walk, the stage sorts.
  return pipeline.run(
    docs,
    reader,
    nearest !== undefined && plan.near === undefined ? undefined : { sorted: plan.sorted },
  );
};

export type { PipelineContext };
