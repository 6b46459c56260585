import type { Fields, Tree } from './tree.js';
import { isArray, isDocument } from './tree.js';
import { wordsIn } from '../words.js';

/** A command on the collection `c`, which may also read the collection `f`. */
export interface Operation {
  readonly family: string;
  readonly command: Fields;
  /** An index that exists while the command runs, in the format of createIndexes. */
  readonly index?: Fields;
}

/** An operation and the documents on which it runs. */
export interface Case {
  readonly documents: readonly Fields[];
  readonly foreign: readonly Fields[];
  readonly operation: Operation;
}

/** The outcome of an operation on one engine. */
export type Outcome =
  | { readonly kind: 'done'; readonly result: Tree; readonly after?: readonly Tree[] }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string };

/** The code of an outcome if the engine closed the connection or sent an invalid reply. */
export const noReply: number = -1;

export type CommandName = 'find' | 'count' | 'distinct' | 'aggregate' | 'update' | 'findAndModify' | 'delete';

export const nameOf = ({ command }: Operation): CommandName => Object.keys(command)[0] as CommandName;

export const isWrite = (operation: Operation): boolean =>
  ['update', 'findAndModify', 'delete'].includes(nameOf(operation));

const stagesOf = (pipeline: Tree | undefined): readonly Fields[] =>
  isArray(pipeline) ? pipeline.filter(isDocument) : [];

/** The stages that keep the order of the documents. */
const keepsOrder = new Set(
  wordsIn(`
  $match $project $addFields $set $unset $limit $skip $replaceRoot $replaceWith $unwind $redact $lookup $graphLookup
`),
);

const sortsById = (sort: Tree | undefined): boolean => isDocument(sort) && '_id' in sort;

/** Returns whether the order of the results is defined: by a unique sort, or because there is at most one result. */
export const isOrdered = ({ command }: Operation): boolean => {
  if ('find' in command) return sortsById(command['sort']);
  let ordered = false;
  for (const stage of stagesOf(command['pipeline'])) {
    const [name, spec] = Object.entries(stage)[0] ?? ['', null];
    if (name === '$sort') ordered = sortsById(spec);
    else if (name === '$sortByCount' || !keepsOrder.has(name)) ordered = false;
  }
  return ordered;
};
