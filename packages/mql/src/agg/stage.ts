import { carried } from '../query/metadata.js';
import type { GeoIndexes } from '../query/geo/near.js';
import type { TextIndex } from '../query/text.js';
import type { Collation } from '../value/compare.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import type { Allowance } from '../work/allowance.js';
import type { Paced } from '../work/pause.js';
import { pause } from '../work/pause.js';
import type { Parser } from './expression.js';
import type { Names } from './names.js';
import { type Ambience, Scope } from './scope.js';
import type { Terminal } from './terminal.js';

/** What a pipeline reads besides its source. */
export interface Environment extends Ambience {
  /** All documents of another collection of the database; none if it does not exist. */
  collection(name: string): Paced<Doc>;
  /** Those that match, found by an index if there is one. */
  find?(name: string, filter: Doc): Paced<Doc>;
  /** Whether `find` has an index for equality at that path. */
  indexed?(name: string, path: string): boolean;
  /** Undefined: its command may go on with a disk. */
  readonly allowance?: Allowance | undefined;
  /** What `$collStats` answers for its specification. */
  collStats?(spec: Doc): Doc;
}

/** One run of a pipeline. */
export interface Frame {
  readonly environment: Environment;
  readonly slots: (Value | undefined)[];
  /** What stages have worked out and may use again: a stage within `$lookup` runs many times. */
  readonly memory: Map<Stage, unknown>;
}

export const scopeOf = (frame: Frame): Scope => new Scope(Doc.EMPTY, frame.slots, frame.environment);

/** Where a pipeline stands. */
export type Place = 'command' | '$facet' | '$lookup' | '$unionWith' | 'update';

/** A stage, parsed. */
export interface Stage {
  readonly name: string;
  /** Documents in, documents out; lazily where the stage allows it. Pauses are passed on. */
  run(input: Paced<Doc>, frame: Frame): Paced<Doc>;
  /** It brings documents of its own and stands at the beginning. */
  readonly first?: boolean;
  /** It stands at the beginning and reads what the pipeline is about. */
  readonly leads?: boolean;
  /** It stands at the end and is executed by the command. */
  readonly terminal?: Terminal;
  /** Of `$match`. */
  readonly filter?: Doc;
  /** Of `$sort`. */
  readonly sort?: Doc;
  /** Of `$limit`. */
  readonly limit?: number;
  /** Of `$skip`. */
  readonly skip?: number;
  /** The same sort when only so many documents are wanted. */
  atMost?(limit: number): Stage;
}

/** What is known while a stage is parsed. */
export interface StageContext {
  readonly parser: Parser;
  readonly collation: Collation | undefined;
  readonly place: Place;
  /** Of the pipeline's collection; `$text` needs one. */
  readonly text: TextIndex | undefined;
  /** `$geoNear` needs one of them. */
  readonly geo: GeoIndexes | undefined;
  /** The collections that the pipeline reads besides its own. */
  readonly reads: Set<string>;
  /** Parses a pipeline within this one. */
  nested(stages: Value, place: Place, names?: Names): NestedPipeline;
  /** Parses another stage: for those that are short for others. */
  stage(name: string, spec: Value): readonly Stage[];
}

/** A pipeline within a stage. */
export interface NestedPipeline {
  readonly stages: readonly Stage[];
  run(source: Paced<Doc>, frame: Frame): Paced<Doc>;
}

/** Reads a stage's argument. @throws CommandError */
export type StageParser = (spec: Value, context: StageContext, name: string) => readonly Stage[];

/** Documents through a function. */
export const mapping = (name: string, make: (scope: Scope) => (doc: Doc) => Doc): Stage => ({
  name,
  *run(input, frame) {
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
  },
});
