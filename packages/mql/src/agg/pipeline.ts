import { CommandError, fail } from '../errors.js';
import type { Entry } from '../value/doc.js';
import { Doc } from '../value/doc.js';
import type { GeoIndexes } from '../query/geo/near.js';
import type { TextIndex } from '../query/text-index.js';
import { usesText } from '../query/text-place.js';
import { parseSort } from '../sort/sort.js';
import type { Value } from '../value/value.js';
import { isArray, isDoc } from '../value/value.js';
import { nextDocument } from '../work/meter.js';
import type { Paced } from '../work/pause.js';
import { withoutPauses } from '../work/pause.js';
import type { ExpressionContext } from './compile.js';
import type { Parser } from './expression.js';
import { createNames } from './names.js';
import { operatorsFor } from './operators.js';
import { createParser } from './parser.js';
import type { Ambience } from './scope.js';
import type { Environment, Frame, Leading, NestedPipeline, Place, Stage, StageContext, StageParser } from './stage.js';
import { parseBucketAuto } from './stages/bucket-auto.js';
import { parseBucket } from './stages/bucket.js';
import { parseDensify } from './stages/densify.js';
import { parseFacet } from './stages/facet.js';
import { parseFill } from './stages/fill.js';
import {
  notingSortKeys,
  parseCount,
  parseLimit,
  parseMatch,
  parseSample,
  parseSkip,
  parseSortByCount,
  parseSortStage,
} from './stages/flow.js';
import { parseGeoNear } from './stages/geo-near.js';
import { parseGraphLookup } from './stages/graph-lookup.js';
import { parseGroup } from './stages/group.js';
import { parseLookup } from './stages/lookup.js';
import { parseMerge, parseOut } from './stages/output.js';
import { parseRefused, refusedStages } from './stages/refused.js';
import { parseRedact } from './stages/redact.js';
import { parseSetWindowFields } from './stages/set-window-fields.js';
import { parseAddFields, parseProject, parseReplaceRoot, parseReplaceWith, parseUnset } from './stages/shape.js';
import { parseCollStats, parseDocuments, parseUnionWith } from './stages/source.js';
import { parseUnwind } from './stages/unwind.js';
import type { Terminal } from './terminal.js';

const stageParsers: ReadonlyMap<string, StageParser> = new Map([
  ...[...refusedStages.keys()].map((name): [string, StageParser] => [name, parseRefused]),
  ['$addFields', parseAddFields],
  ['$bucket', parseBucket],
  ['$bucketAuto', parseBucketAuto],
  ['$collStats', parseCollStats],
  ['$count', parseCount],
  ['$densify', parseDensify],
  ['$documents', parseDocuments],
  ['$facet', parseFacet],
  ['$fill', parseFill],
  ['$geoNear', parseGeoNear],
  ['$graphLookup', parseGraphLookup],
  ['$group', parseGroup],
  ['$limit', parseLimit],
  ['$lookup', parseLookup],
  ['$match', parseMatch],
  ['$merge', parseMerge],
  ['$out', parseOut],
  ['$project', parseProject],
  ['$redact', parseRedact],
  ['$replaceRoot', parseReplaceRoot],
  ['$replaceWith', parseReplaceWith],
  ['$sample', parseSample],
  ['$set', parseAddFields],
  ['$setWindowFields', parseSetWindowFields],
  ['$skip', parseSkip],
  ['$sort', parseSortStage],
  ['$sortByCount', parseSortByCount],
  ['$unionWith', parseUnionWith],
  ['$unset', parseUnset],
  ['$unwind', parseUnwind],
]);

/** The names of the stages that this package implements. */
export const stageNames: readonly string[] = [...stageParsers.keys()];

const ofUpdates: ReadonlySet<string> = new Set([
  '$addFields',
  '$project',
  '$replaceRoot',
  '$replaceWith',
  '$set',
  '$unset',
]);

const maxStages = 1000;

/** A stage that only the server implements, such as `$changeStream` or `$listLocalSessions`. It must come first. */
export type OwnStage = (spec: Value) => (environment: Environment) => Paced<Doc>;

/** The parts of the context that belong to a collection. */
interface OfCollection {
  /** The text index of the collection. */
  readonly text?: TextIndex | undefined;
  readonly geo?: GeoIndexes | undefined;
  /** The server's stages by name. */
  readonly ownStages?: ReadonlyMap<string, OwnStage> | undefined;
}

export interface PipelineContext extends ExpressionContext, OfCollection {
  /** Returns the context of another collection, which `$lookup` and `$unionWith` read. */
  readonly foreign?: ((collection: string) => OfCollection) | undefined;
}

/**
 * The leading operations that the source has performed. The match or the condition of `$geoNear` has been applied, and
 * the sort by fields or by distance if `sorted`.
 */
export interface Done {
  readonly sorted: boolean;
}

/** A compiled pipeline. */
export interface Pipeline {
  /** The names of the stages as given. */
  readonly stageNames: readonly string[];
  /** Whether the first stage provides the documents (`$documents`, `$collStats`), so that the source is not read. */
  readonly ownSource: boolean;
  readonly leading: Leading;
  /** The names of the metadata that `$meta` reads. */
  readonly metadata: ReadonlySet<string>;
  /** Other collections of the database that the pipeline reads. */
  readonly collections: readonly string[];
  /** The final `$out` or `$merge`. `run` returns the documents to write. */
  readonly terminal: Terminal | undefined;
  /**
   * Runs the pipeline lazily. `done` lists the operations of `leading` that the source has performed; if undefined,
   * none.
   */
  run(source: Paced<Doc>, environment: Environment, done?: Done): Paced<Doc>;
}

const refuseHere = (name: string, place: Place): void => {
  switch (place) {
    case '$facet':
      throw fail(40600, `${name} is not allowed to be used within a $facet stage`);
    case '$lookup':
      throw fail(51047, `${name} is not allowed within a $lookup's sub-pipeline`);
    case '$unionWith':
      throw fail(31441, `${name} is not allowed within a $unionWith's sub-pipeline`);
    case 'update':
      throw fail('InvalidOptions', `${name} is not allowed to be used within an update`);
    case 'command':
  }
};

/** Returns the stage that must not be within `$facet`: the given one, or one of its nested pipelines. */
const refusedInFacet = ({ name, first, leads, filter, nested = [] }: Stage): string | undefined => {
  if (first === true || leads === true || name === '$facet' || (filter !== undefined && usesText(filter))) return name;
  const inner = nested.map(refusedInFacet).find(each => each !== undefined);
  return inner && `${inner} inside of ${name}`;
};

const requirePlace = (stage: Stage, index: number, last: number, place: Place): void => {
  const { name } = stage;
  if (place === 'update' && !ofUpdates.has(name)) refuseHere(name, place);
  if (stage.terminal !== undefined) {
    if (index !== last) throw fail(40601, `${name} can only be the final stage in the pipeline`);
    refuseHere(name, place);
  }
  const refused = place === '$facet' ? refusedInFacet(stage) : undefined;
  if (refused !== undefined) refuseHere(refused, place);
  if ((stage.first === true || stage.leads === true) && index > 0)
    throw fail(40602, `${name} is only valid as the first stage in a pipeline`);
  if (index > 0 && stage.filter !== undefined && usesText(stage.filter))
    throw fail(17313, '$match with $text is only allowed as the first pipeline stage');
};

/** Merges a sort with a following limit, so that the sort only keeps that many documents. */
const fuse = (stages: readonly Stage[]): readonly Stage[] =>
  stages.map((stage, i) => {
    if (stage.atMost === undefined) return stage;
    let skipped = 0;
    let next = i + 1;
    for (; stages[next]?.skip !== undefined; next++) skipped += stages[next]!.skip!;
    const limit = stages[next]?.limit;
    return limit === undefined ? stage : stage.atMost(limit + skipped);
  });

/**
 * Returns the name and the specification of a stage.
 * @throws CommandError 14, 40323
 */
const entryOf = (stage: Value): Entry => {
  if (!isDoc(stage)) throw fail('TypeMismatch', `Each element of the 'pipeline' array must be an object`);
  const [entry] = stage.entries();
  if (entry === undefined || stage.size !== 1) {
    throw fail(40323, 'A pipeline stage specification object must contain exactly one field.');
  }
  return entry;
};

const unrecognized = (name: string): Error => fail(40324, `Unrecognized pipeline stage name: '${name}'`);

/**
 * Checks the names of stages, and nothing else.
 * @param own the caller's own stages
 * @throws CommandError 14, 40323, 40324
 */
export const checkStageNames = (stages: readonly Value[], own: ReadonlyMap<string, unknown>): void => {
  for (const stage of stages) {
    const [name] = entryOf(stage);
    if (!stageParsers.has(name) && !own.has(name)) throw unrecognized(name);
  }
};

const ownStage =
  (parse: OwnStage): StageParser =>
  (spec, _context, name) => {
    const open = parse(spec);
    return [{ name, first: true, run: (_input, { environment }) => open(environment) }];
  };

/** Creates a parser for a pipeline and its nested pipelines. A command needs its own. */
const createPipelineParser = (context: PipelineContext) => {
  const reads = new Set<string>();
  const deferred: CommandError[] = [];
  const metadata = new Set<string>();
  const { collation } = context;

  const none: OfCollection = { ownStages: context.ownStages };
  const contextOf = (place: Place, from: string | undefined): OfCollection => {
    if (from === undefined) return place === 'command' ? context : none;
    return context.foreign?.(from) ?? none;
  };

  const parseStage = (
    name: string,
    spec: Value,
    parser: Parser,
    place: Place,
    from: string | undefined,
  ): readonly Stage[] => {
    const { text, geo, ownStages } = contextOf(place, from);
    const own = ownStages?.get(name);
    if (name === '$changeStream') refuseHere(name, place);
    const parse = own === undefined ? stageParsers.get(name) : ownStage(own);
    if (parse === undefined) throw unrecognized(name);
    const here: StageContext = {
      ...{ parser, collation, place, text, geo, reads, from },
      stage: (other, argument) => parseStage(other, argument, parser, place, from),
      nested: (stages, inner, names, other) =>
        parseNested(stages, names === undefined ? parser : parser.naming(names), inner, other),
    };
    return parse(spec, here, name);
  };

  const parseNested = (stages: Value, parser: Parser, place: Place, from: string | undefined): NestedPipeline => {
    if (!isArray(stages)) throw fail('TypeMismatch', `'pipeline' option must be specified as an array`);
    const parsed = parseStages(stages, parser, place, from);
    const { leading } = leadingOf(parsed);
    return {
      stages: parsed,
      run: (source, frame) => runStages(parsed, source, frame),
      runOn: (collection, frame) => {
        const { environment } = frame;
        const led = environment.lead?.(collection, leading);
        if (led?.isByDistance !== true)
          return runStages(parsed, led?.docs ?? environment.collection(collection), frame);
        return runStages(parsed.slice(1), parsed[0]!.nearest!.inOrder(led.docs, frame), frame);
      },
    };
  };

  const parseStages = (
    specs: readonly Value[],
    parser: Parser,
    place: Place,
    from: string | undefined,
  ): readonly Stage[] => {
    if (specs.length > maxStages) throw fail(5054701, `Pipeline length must be no longer than ${maxStages} stages`);
    const stages = specs.flatMap((spec, i) => {
      const entry = entryOf(spec);
      if (entry[0] === '$geoNear' && place === '$facet') refuseHere(entry[0], place);
      if (entry[0] === '$geoNear' && i > 0)
        throw fail(40603, '$geoNear was not the first stage in the pipeline after optimization');
      const parsed = parseStage(entry[0], entry[1], parser, place, from);
      for (const stage of parsed) requirePlace(stage, i, specs.length - 1, place);
      return parsed;
    });
    return fuse(stages);
  };

  return {
    reads,
    metadata,
    parse(specs: readonly Value[], place: Place): readonly Stage[] {
      const names = createNames(context.variables);
      const parser = createParser(operatorsFor(collation), names, deferred, metadata, context.scripts);
      const stages = parseStages(specs, parser, place, undefined);
      const [first] = deferred;
      if (first === undefined) return stages;
      throw fail(first.code, `Failed to optimize pipeline :: caused by :: ${first.message}`);
    },
  };
};

const runStages = (stages: readonly Stage[], source: Paced<Doc>, frame: Frame): Paced<Doc> => {
  let docs = source;
  for (const stage of stages) docs = stage.run(docs, frame);
  return docs;
};

const leadingOf = (stages: readonly Stage[]): { readonly leading: Leading; readonly matches: number } => {
  let matches = 0;
  const filters: Doc[] = [];
  for (; stages[matches]?.filter !== undefined; matches++) filters.push(stages[matches]!.filter!);
  const rest = stages.slice(matches);
  const sort = rest[0]?.sort;
  let skipped = 0;
  let next = sort === undefined ? 0 : 1;
  for (; rest[next]?.skip !== undefined; next++) skipped += rest[next]!.skip!;
  const limit = rest[next]?.limit;
  return {
    matches,
    leading: {
      nearest: stages[0]?.nearest?.condition,
      match: filters.length > 1 ? Doc.of([['$and', filters]]) : filters[0],
      sort,
      limit: limit === undefined ? undefined : limit + skipped,
    },
  };
};

/**
 * Compiles the stages of `aggregate`. As in mongod, errors of constants are thrown after everything has been parsed.
 * @throws CommandError with MongoDB's codes and messages; 40324 for unsupported stages
 */
export const parsePipeline = (specs: readonly Value[], context: PipelineContext = {}): Pipeline => {
  const parser = createPipelineParser(context);
  const stages = parser.parse(specs, 'command');
  const ownSource = stages[0]?.first === true;
  const { leading, matches } = leadingOf(stages);
  return {
    stageNames: specs.map(spec => (spec as Doc).keys()[0]!),
    ownSource,
    leading,
    metadata: parser.metadata,
    collections: [...parser.reads],
    terminal: stages.at(-1)?.terminal,
    run: (source, environment, done) => {
      const frame: Frame = { environment, slots: [], memory: new Map() };
      const nearest = done?.sorted === true ? stages[0]?.nearest : undefined;
      if (nearest !== undefined) return runStages(stages.slice(1), nearest.inOrder(source, frame), frame);
      const sorted = done?.sorted === true && leading.sort !== undefined;
      const left = done === undefined ? stages : stages.slice(matches + (sorted ? 1 : 0));
      const noted =
        sorted && parser.metadata.has('sortKey')
          ? notingSortKeys(source, parseSort(leading.sort, { collation: context.collation }))
          : source;
      return runStages(left, noted, frame);
    },
  };
};

/** A compiled pipeline of an update: it maps one document to one document. */
export type Transform = (doc: Doc, ambience: Ambience) => Doc;

/**
 * Compiles the stages of an update: `$addFields`, `$set`, `$project`, `$unset`, `$replaceRoot`, `$replaceWith`.
 * @throws CommandError if a stage is invalid
 */
export const parseTransform = (specs: readonly Value[], context: ExpressionContext = {}): Transform => {
  const stages = createPipelineParser(context).parse(specs, 'update');
  return (doc, ambience) => {
    const frame: Frame = { environment: { ...ambience, collection: () => [] }, slots: [], memory: new Map() };
    nextDocument();
    const [result] = withoutPauses(runStages(stages, [doc], frame));
    return result!;
  };
};
