import type { Matcher, Pieces, Projection, Value } from '@tessera/mql/engine';
import { Doc, carried, fail, parseProjection, parseQuery, parseSort, isPieces } from '@tessera/mql/engine';
import type { Draft } from '../engine/database.js';
import type { Language } from '../engine/language.js';
import type { Row, Done, Image } from '@tessera/store';
import { changeable } from '@tessera/store';
import type { Moment, WriteOptions } from '../engine/writer.js';
import { momentOf, removeRow, writable } from '../engine/writer.js';
import { languageFor } from './collation.js';
import type { Call, Command, Fields } from './command.js';
import { command, hintOf, writtenBy } from './command.js';
import type { Args, Schema } from './schema.js';
import { array, arrayOrObject, bool, object, since, indexHint } from './schema.js';
import type { Change } from './update.js';
import { applyTo, changeOf, hasPlainNames, insertUpsert } from './update.js';
import { changeInTurns } from './turns.js';
import { during } from './write-batch.js';

const schema = {
  query: object(),
  fields: object(),
  sort: object(),
  hint: since('4.4', indexHint()),
  collation: object(),
  arrayFilters: array(),
  remove: bool(),
  update: arrayOrObject(),
  upsert: bool(),
  new: bool(),
  let: since('5.0', object()),
  bypassDocumentValidation: bool(),
  bypassEmptyTsReplacement: since('8.0', bool()),
} satisfies Schema;

type FindAndModifyArgs = Args<typeof schema>;

/** Checks combinations of options. @throws CommandError 2, 9 */
const check = ({ remove, update, upsert, new: returnNew, arrayFilters, fields }: FindAndModifyArgs): void => {
  if (remove !== true) {
    if (update === undefined) throw fail('FailedToParse', 'Either an update or remove=true must be specified');
    if (returnNew === true && fields?.keys().some(name => name.endsWith('.$')) === true)
      throw fail('BadValue', 'cannot use a positional projection and return the new document');
    return;
  }
  if (update !== undefined) throw fail('FailedToParse', 'Cannot specify both an update and remove=true');
  if (upsert === true) throw fail('FailedToParse', 'Cannot specify both upsert=true and remove=true ');
  if (returnNew === true) {
    throw fail(
      'FailedToParse',
      "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document",
    );
  }
  if (arrayFilters !== undefined) throw fail('FailedToParse', 'Cannot specify arrayFilters and remove=true');
};

interface Work {
  readonly call: Call;
  readonly args: FindAndModifyArgs;
  readonly ns: string;
  readonly language: Language;
  readonly project: (doc: Doc, matcher?: Matcher) => Doc;
}

const reply = (last: readonly (readonly [string, Doc | number | boolean])[] | Doc, value: Doc | null): Fields => [
  ['lastErrorObject', last instanceof Doc ? last : Doc.of(last)],
  ['value', value],
];

const updatedOne = [
  ['n', 1],
  ['updatedExisting', true],
] as const;

const upsertReply = (id: Value, shown: Doc | null): Fields =>
  reply(
    Doc.of([
      ['n', 1],
      ['updatedExisting', false],
      ['upserted', id],
    ]),
    shown,
  );

const projectionOf = (fields: Doc | undefined, language: Language): Projection =>
  fields === undefined || fields.size === 0 ? doc => doc : parseProjection(fields, language.context);

const firstRow = function* (work: Work, draft: Draft, matcher: Matcher): Pieces<Row | undefined> {
  const { args, language, ns } = work;
  const collection = draft.documents(ns);
  const selection = {
    matcher,
    sort: args.sort === undefined || args.sort.size === 0 ? undefined : parseSort(args.sort, language.context),
    hint: hintOf(args.hint),
    collation: language.collationSpec,
  };
  if (collection === undefined) return undefined;
  const rows = changeable(collection, selection, 1);
  return (isPieces(rows) ? yield* rows : rows)[0];
};

const remove = function* (work: Work, draft: Draft): Pieces<Fields> {
  const matcher = parseQuery(work.args.query ?? Doc.EMPTY, work.language.context);
  const row = yield* firstRow(work, draft, matcher);
  if (row === undefined) return reply([['n', 0]], null);
  const { write } = work.call;
  const undo = write?.guard(draft);
  removeRow(draft, draft.documents(work.ns)!, row);
  write?.record(draft, 0, { did: 'delete', image: { when: 'before', doc: row.doc } }, undo);
  return reply([['n', 1]], work.project(row.doc, matcher));
};

const optionsOf = ({ call, args }: Work): WriteOptions & { readonly moment: Moment } => ({
  moment: momentOf(call.engine, args.bypassEmptyTsReplacement),
  unchecked: args.bypassDocumentValidation === true,
  plainNames: hasPlainNames(call),
});

const upsert = (work: Work, draft: Draft, change: Change): Fields => {
  const { call, args, ns, project } = work;
  const undo = call.write?.guard(draft);
  writable(call.engine, draft, ns);
  const options = optionsOf(work);
  const made = insertUpsert(call, draft, ns, change, options);
  const image: Image = { when: 'after', doc: made };
  call.write?.record(draft, 0, { did: 'update', upserted: made.get('_id'), image }, undo);
  return upsertReply(made.get('_id')!, args.new === true ? project(made) : null);
};

const update = function* (work: Work, draft: Draft): Pieces<Fields> {
  const { call, args, ns, language, project } = work;
  const change = changeOf(language, args.query ?? Doc.EMPTY, args.update!, args);
  const row = yield* firstRow(work, draft, change.matcher);
  return during(call, 'findAndModify', () => {
    if (row === undefined) {
      if (args.upsert === true) return upsert(work, draft, change);
      return reply(
        [
          ['n', 0],
          ['updatedExisting', false],
        ],
        null,
      );
    }
    const options = optionsOf(work);
    const undo = call.write?.guard(draft);
    const after = applyTo(draft, ns, row, change, options);
    const image: Image = args.new === true ? { when: 'after', doc: after } : { when: 'before', doc: row.doc };
    if (after !== row.doc) call.write?.record(draft, 0, { did: 'update', upserted: undefined, image }, undo);
    // The positional projection refers to the array element that matched in the old document.
    const shown =
      args.new === true ? project(carried(row.doc, after.view()), change.matcher) : project(row.doc, change.matcher);
    return reply(updatedOne, shown);
  });
};

/**
 * Returns the reply of the earlier attempt.
 * @throws CommandError 40606 to 40612 if the earlier attempt had different options
 */
const repeatedReply = ({ args, language, project }: Work, done: Done): Fields => {
  const wrong = (code: number, why: string): Error => fail(code, `findAndModify retry request ${why}`);
  const isRemove = args.remove === true;
  if (done.did === 'insert' || (done.did === 'delete') !== isRemove || done.image === undefined) {
    throw wrong(40606, `is not compatible with previous write in the transaction of type: ${done.did}`);
  }
  const { when, doc } = done.image;
  const matcher = parseQuery(args.query ?? Doc.EMPTY, language.context);
  if (done.did === 'delete') return reply([['n', 1]], project(doc, matcher));
  if (done.upserted !== undefined) return upsertReply(done.upserted, args.new === true ? project(doc) : null);
  if (args.new === true && when === 'before') {
    throw wrong(40611, 'wants the document after update returned, but only before update document is stored');
  }
  if (args.new !== true && when === 'after') {
    throw wrong(40612, 'wants the document before update returned, but only after update document is stored');
  }
  return reply(updatedOne, project(doc, matcher));
};

export const findAndModify: Command = command({
  name: 'findAndModify',
  aliases: ['findandmodify'],
  schema,
  writeConcern: true,
  stable: true,
  help: 'Changes or removes one document and returns it.',
  run: (call, args) => {
    const ns = writtenBy(call);
    check(args);
    const language = languageFor(call, ns, { collation: args.collation, bindings: args.let });
    const work: Work = { call, args, ns, language, project: projectionOf(args.fields, language) };
    const done = call.write?.known(0);
    if (done !== undefined) return repeatedReply(work, done);
    return changeInTurns(call, 'findAndModify', draft =>
      args.remove === true ? remove(work, draft) : update(work, draft),
    );
  },
});
