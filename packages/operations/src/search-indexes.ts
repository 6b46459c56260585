import type { Document, Operation, Reply } from '@tessera/contracts';
import { Command } from './command.js';
import { writable } from './target.js';
import type { Target } from './target.js';

/** No concern is sent: the servers that know these commands refuse it. Rule: Index Management, "Search Indexes". */
const ofSearchIndexes = <T>(target: Target, command: Document, read: (reply: Reply) => T): Operation<T> =>
  new Command(target, command, { kind: 'write', retryable: false, selection: writable, concern: 'none', read });

/** Answers the names of the indexes. */
export const createSearchIndexes = (target: Target, indexes: readonly Document[]): Operation<string[]> =>
  ofSearchIndexes(target, { createSearchIndexes: target.collection, indexes }, reply =>
    ((reply.value('indexesCreated') ?? []) as readonly { readonly name: string }[]).map(({ name }) => name),
  );

export const updateSearchIndex = (target: Target, name: string, definition: Document): Operation<void> =>
  ofSearchIndexes(target, { updateSearchIndex: target.collection, name, definition }, () => undefined);

export const dropSearchIndex = (target: Target, name: string): Operation<void> =>
  ofSearchIndexes(target, { dropSearchIndex: target.collection, name }, () => undefined);
