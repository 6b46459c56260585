import type { Fields, Tree } from './tree.js';
import { isArray, isDocument } from './tree.js';
import { wordsIn } from '../words.js';

/** A command on the collection `c`, beside which the collection `f` may be read. */
export interface Operation {
  readonly family: string;
  readonly command: Fields;
  /** An index that is there while it is done, as createIndexes takes it. */
  readonly index?: Fields;
}

/** An operation and the documents that it meets. */
export interface Case {
  readonly documents: readonly Fields[];
  readonly foreign: readonly Fields[];
  readonly operation: Operation;
}

/** What an engine made of an operation. */
export type Outcome =
  | { readonly kind: 'done'; readonly result: Tree; readonly after?: readonly Tree[] }
  | { readonly kind: 'refused'; readonly code: number; readonly message: string };

/** The code of a refusal by which an engine closed the connection, or answered what is no reply. */
export const silence: number = -1;

export type CommandName = 'find' | 'count' | 'distinct' | 'aggregate' | 'update' | 'findAndModify' | 'delete';

export const nameOf = ({ command }: Operation): CommandName => Object.keys(command)[0] as CommandName;

export const isWrite = (operation: Operation): boolean =>
  ['update', 'findAndModify', 'delete'].includes(nameOf(operation));

const stagesOf = (pipeline: Tree | undefined): readonly Fields[] =>
  isArray(pipeline) ? pipeline.filter(isDocument) : [];

/** What leaves the documents in the order of the stages before it. */
const keepsOrder = new Set(
  wordsIn(`
  $match $project $addFields $set $unset $limit $skip $replaceRoot $replaceWith $unwind $redact $lookup $graphLookup
`),
);

const sortsById = (sort: Tree | undefined): boolean => isDocument(sort) && '_id' in sort;

/** Whether the order of the results is settled: by a sort in which no two documents are equal, or because there is one at most. */
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
