import type { Condition } from '../query/condition.js';
import { carried } from '../query/metadata.js';
import type { GeoIndexes } from '../query/geo/near.js';
import type { TextIndex } from '../query/text-index.js';
import type { Collation } from '../value/compare.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import type { Allowance } from '../work/allowance.js';
import type { Paced, Pause } from '../work/pause.js';
import { pause } from '../work/pause.js';
import type { Parser } from './expression.js';
import type { Names } from './names.js';
import { type Ambience, Scope } from './scope.js';
import type { Terminal } from './terminal.js';

/** Inputs of a pipeline other than its source. */
export interface Environment extends Ambience {
  /** Returns all documents of another collection of the database, or none if it does not exist. */
  collection(name: string): Paced<Doc>;
  /** Returns the documents that match a filter, using an index if possible. */
  find?(name: string, filter: Doc): Paced<Doc>;
  /** Returns whether `find` can use an index for equality at a path. */
  indexed?(name: string, path: string): boolean;
  /**
   * Returns documents of another collection that include all that the leading operations of a pipeline select, found by
   * an index. Undefined if no index helps. Documents that do not match may be among them.
   */
  lead?(name: string, leading: Leading): Led | undefined;
  /** The command's memory limits. Undefined if it may use temporary files. */
  readonly allowance?: Allowance | undefined;
  /** Returns the result of `$collStats` on a collection, by default on that of the pipeline. */
  collStats?(spec: Doc, collection?: string): Doc;
}

/** The leading operations of a pipeline, for which the source may use its indexes. */
export interface Leading {
  /** The filter that documents must match. */
  readonly match: Doc | undefined;
  /** The condition of a leading `$geoNear`. */
  readonly nearest: Condition | undefined;
  /** The sort that follows the match. */
  readonly sort: Doc | undefined;
  /** The number of documents that are needed, in the order of the sort if there is one. */
  readonly limit: number | undefined;
}

/** Documents for a pipeline. */
export interface Led {
  readonly docs: Paced<Doc>;
  /** Whether they match the condition of a leading `$geoNear`, nearest first. */
  readonly isByDistance: boolean;
}

/** One execution of a pipeline. */
export interface Frame {
  readonly environment: Environment;
  readonly slots: (Value | undefined)[];
  /** Results that stages may reuse: a stage within `$lookup` runs many times. */
  readonly memory: Map<Stage, unknown>;
}

export const scopeOf = (frame: Frame): Scope => new Scope(Doc.EMPTY, frame.slots, frame.environment);

/** The context in which a pipeline is used. */
export type Place = 'command' | '$facet' | '$lookup' | '$unionWith' | 'update';

/** A compiled stage. */
export interface Stage {
  readonly name: string;
  /** Transforms documents, lazily if the stage allows it. Pauses are passed on. */
  run(input: Paced<Doc>, frame: Frame): Paced<Doc>;
  /** Whether it provides its own documents and must come first. */
  readonly first?: boolean;
  /** Whether it reads the pipeline's collection and must come first. */
  readonly leads?: boolean;
  /** Set if the stage returns documents by distance. `inOrder` transforms documents that come by distance already. */
  readonly nearest?: {
    readonly condition: Condition;
    inOrder(input: Paced<Doc>, frame: Frame): Paced<Doc>;
  };
  /** The stages of its nested pipelines, except those of `$facet`. */
  readonly nested?: readonly Stage[];
  /** Set if it must come last and the command executes it. */
  readonly terminal?: Terminal;
  /** The filter of `$match`. */
  readonly filter?: Doc;
  /** The sort of `$sort`. */
  readonly sort?: Doc;
  /** The limit of `$limit`. */
  readonly limit?: number;
  /** The number of `$skip`. */
  readonly skip?: number;
  /** Returns the same sort, limited to a number of documents. */
  atMost?(limit: number): Stage;
}

/** The context in which a stage is compiled. */
export interface StageContext {
  readonly parser: Parser;
  readonly collation: Collation | undefined;
  readonly place: Place;
  /** The text index of the pipeline's collection, for `$text`. */
  readonly text: TextIndex | undefined;
  /** The geospatial indexes of the pipeline's collection, for `$geoNear`. */
  readonly geo: GeoIndexes | undefined;
  /** Other collections that the pipeline reads. */
  readonly reads: Set<string>;
  /** The collection that a nested pipeline reads. Undefined if it is that of the whole pipeline, or none. */
  readonly from: string | undefined;
  /** Compiles a nested pipeline, which may read another collection. */
  nested(stages: Value, place: Place, names?: Names, from?: string): NestedPipeline;
  /** Compiles another stage, for stages that are shorthands. */
  stage(name: string, spec: Value): readonly Stage[];
}

/** A pipeline within a stage. */
export interface NestedPipeline {
  readonly stages: readonly Stage[];
  /** Runs the pipeline on another collection, by an index of it if its leading operations allow that. */
  runOn(collection: string, frame: Frame): Paced<Doc>;
  run(source: Paced<Doc>, frame: Frame): Paced<Doc>;
}

/**
 * Compiles a stage's argument.
 * @throws CommandError if the argument is invalid
 */
export type StageParser = (spec: Value, context: StageContext, name: string) => readonly Stage[];

/**
 * Maps each document. The generators of stages are functions of the module: V8 keeps a hidden class for each generator
 * function, and with it the garbage of the command that created the function.
 */
function* mapped(make: (scope: Scope) => (doc: Doc) => Doc, input: Paced<Doc>, frame: Frame): Generator<Doc | Pause> {
  const scope = scopeOf(frame);
  const map = make(scope);
  for (const doc of input) {
    if (doc === pause) {
      yield pause;
      continue;
    }
    scope.root = doc;
    yield carried(doc, map(doc));
  }
}

/** Creates a stage that maps each document. */
export const mapping = (name: string, make: (scope: Scope) => (doc: Doc) => Doc): Stage => ({
  name,
  run: (input, frame) => mapped(make, input, frame),
});
