import type { Doc, Pieces } from '@tessera/mql/engine';
import { checkPlainTopNames, CommandError, isAtLeast } from '@tessera/mql/engine';
import type { Done } from '@tessera/store';
import type { Draft } from '../engine/database.js';
import { copied, prepared } from '../engine/prepare.js';
import { checkNewName, insertInto, momentOf, writable } from '../engine/writer.js';
import { collectionUUID } from './collection-uuid.js';
import type { Call, Command, Fields } from './command.js';
import { command, writtenBy } from './command.js';
import { any, bool, documents, required, since, strictBool } from './schema.js';
import { changeInTurns } from './turns.js';
import { checkBatchSize, eachStatement, writeReply } from './write-batch.js';

const inserted: Done = { did: 'insert' };

export const insert: Command = command({
  name: 'insert',
  schema: {
    collectionUUID,
    documents: required(documents()),
    ordered: strictBool(),
    bypassDocumentValidation: bool(),
    bypassEmptyTsReplacement: since('8.0', bool()),
    stmtIds: any(),
  },
  writeConcern: true,
  stable: true,
  help: 'Inserts documents.',
  run: (call, { documents: docs, ordered, bypassDocumentValidation, bypassEmptyTsReplacement }) => {
    const ns = writtenBy(call);
    checkBatchSize(docs.length);
    return changeInTurns(call, 'insert', draft =>
      insertAll(call, draft, ns, docs, { ordered, bypassDocumentValidation, bypassEmptyTsReplacement }),
    );
  },
});

interface InsertOptions {
  readonly ordered: boolean | undefined;
  readonly bypassDocumentValidation: boolean | undefined;
  readonly bypassEmptyTsReplacement: boolean | undefined;
}

const insertAll = function* (
  call: Call,
  draft: Draft,
  ns: string,
  docs: readonly Doc[],
  { ordered, bypassDocumentValidation, bypassEmptyTsReplacement }: InsertOptions,
): Pieces<Fields> {
  const { engine, write } = call;
  const { stamp } = momentOf(engine, bypassEmptyTsReplacement);
  const options = { unchecked: bypassDocumentValidation === true };
  // Validate documents first, so that all valid ones can be copied into a single buffer.
  const plain = !isAtLeast(engine.version, '5.0');
  const ready = docs.map(doc =>
    attempt(() => {
      if (plain) checkPlainTopNames(doc);
      return prepared(doc, () => engine.newObjectId(), stamp);
    }),
  );
  // Only a document that can be stored creates the collection.
  const fits = ready.findIndex(one => !(one instanceof CommandError));
  const creates = fits === 0 || (fits > 0 && ordered === false);
  let collection = draft.documents(ns);
  if (collection === undefined) checkNewName(ns);
  if (creates) collection = writable(engine, draft, ns);
  const stored = copied(ready.filter(one => !(one instanceof CommandError)) as readonly Doc[]);
  let next = 0;
  let n = 0;
  const errors = yield* eachStatement(call, ready, ordered, (one, index) => {
    if (one instanceof CommandError) throw one;
    const doc = stored[next++]!;
    if (write?.known(index) === undefined) {
      const undo = write?.guard(draft);
      const after = insertInto(draft, collection!, doc, options);
      write?.record(draft, index, inserted, undo);
      collection = after;
    }
    n += 1;
    return undefined;
  });
  return writeReply(n, errors);
};

const attempt = (work: () => Doc): Doc | CommandError => {
  try {
    return work();
  } catch (error) {
    if (error instanceof CommandError) return error;
    throw error;
  }
};
