import type { Document, Operation, Reply } from '@tessera/contracts';
import { Command } from './command.js';
import { writable } from './target.js';
import type { Target } from './target.js';

/** Returns a command on search indexes. It has no concerns, because servers reject them. Rule: Index Management, "Search Indexes". */
const ofSearchIndexes = <T>(target: Target, command: Document, read: (reply: Reply) => T): Operation<T> =>
  new Command(target, command, { kind: 'write', retryable: false, selection: writable, concern: 'none', read });

/** Creates search indexes. The result is their names. */
export const createSearchIndexes = (target: Target, indexes: readonly Document[]): Operation<string[]> =>
  ofSearchIndexes(target, { createSearchIndexes: target.collection, indexes }, reply =>
    ((reply.value('indexesCreated') ?? []) as readonly { readonly name: string }[]).map(({ name }) => name),
  );

/** Replaces the definition of a search index. */
export const updateSearchIndex = (target: Target, name: string, definition: Document): Operation<void> =>
  ofSearchIndexes(target, { updateSearchIndex: target.collection, name, definition }, () => undefined);

/** Drops a search index. */
export const dropSearchIndex = (target: Target, name: string): Operation<void> =>
  ofSearchIndexes(target, { dropSearchIndex: target.collection, name }, () => undefined);
