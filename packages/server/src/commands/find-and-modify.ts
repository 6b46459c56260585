import type { Draft } from '../engine/database.js';
import type { Language } from '../engine/language.js';
import type { Row } from '../engine/select.js';
import { select } from '../engine/select.js';
import { momentOf, removeRow, writable } from '../engine/writer.js';
import { fail } from '../errors.js';
import type { Projection } from '../project/projection.js';
import { parseProjection } from '../project/projection.js';
import type { Matcher } from '../query/parse.js';
import { parseQuery } from '../query/parse.js';
import { parseSort } from '../sort/sort.js';
import { Doc } from '../value/doc.js';
import { languageFor } from './collation.js';
import type { Call, Command, Fields } from './command.js';
import { command, hintOf, namespaceOf } from './command.js';
import type { Args, Schema } from './schema.js';
import { any, array, arrayOrObject, bool, object, since, stringOrObject } from './schema.js';
import type { Change } from './update.js';
import { applyTo, changeOf, insertUpsert } from './update.js';
import { during } from './write-batch.js';

const schema = {
  query: object(),
  fields: object(),
  sort: object(),
  hint: stringOrObject(),
  collation: object(),
  arrayFilters: array(),
  remove: bool(),
  update: arrayOrObject(),
  upsert: bool(),
  new: bool(),
  let: since('5.0', object()),
  bypassDocumentValidation: bool(),
  stmtId: any(),
} satisfies Schema;

type FindAndModifyArgs = Args<typeof schema>;

/** @throws CommandError 9 */
const check = ({ remove, update, upsert, new: returnNew, arrayFilters }: FindAndModifyArgs): void => {
  if (remove !== true) {
    if (update === undefined) throw fail('FailedToParse', 'Either an update or remove=true must be specified');
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

const projectionOf = (fields: Doc | undefined, language: Language): Projection =>
  fields === undefined || fields.size === 0 ? doc => doc : parseProjection(fields, language.context);

const firstRow = (work: Work, draft: Draft, matcher: Matcher): Row | undefined => {
  const { args, language, ns } = work;
  const collection = draft.collection(ns);
  const selection = {
    matcher,
    sort: args.sort === undefined || args.sort.size === 0 ? undefined : parseSort(args.sort, language.context),
    hint: hintOf(args.hint),
    collation: language.collationSpec,
  };
  return collection === undefined ? undefined : select(collection, selection, 1)[0];
};

const remove = (work: Work, draft: Draft): Fields => {
  const matcher = parseQuery(work.args.query ?? Doc.EMPTY, work.language.context);
  const row = firstRow(work, draft, matcher);
  if (row === undefined) return reply([['n', 0]], null);
  removeRow(draft, draft.collection(work.ns)!, row);
  return reply([['n', 1]], work.project(row.doc, matcher));
};

const upsert = ({ call, args, ns, project }: Work, draft: Draft, change: Change): Fields => {
  writable(call.engine, draft, ns);
  const options = { moment: momentOf(call.engine), unchecked: args.bypassDocumentValidation === true };
  const made = insertUpsert(call, draft, ns, change, options);
  const last = Doc.of([
    ['n', 1],
    ['updatedExisting', false],
    ['upserted', made.get('_id')!],
  ]);
  return reply(last, args.new === true ? project(made) : null);
};

const update = (work: Work, draft: Draft): Fields => {
  const { call, args, ns, language, project } = work;
  const change = changeOf(language, args.query ?? Doc.EMPTY, args.update!, args.arrayFilters);
  const row = firstRow(work, draft, change.matcher);
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
    const options = { moment: momentOf(call.engine), unchecked: args.bypassDocumentValidation === true };
    const after = applyTo(draft, ns, row, change, options);
    // The positional projection means the position at which the old document matched.
    const shown = args.new === true ? project(after, change.matcher) : project(row.doc, change.matcher);
    return reply(
      [
        ['n', 1],
        ['updatedExisting', true],
      ],
      shown,
    );
  });
};

export const findAndModify: Command = command({
  name: 'findAndModify',
  aliases: ['findandmodify'],
  schema,
  writeConcern: true,
  stable: true,
  help: 'Changes or removes one document and returns it.',
  run: (call, args) => {
    const ns = namespaceOf(call);
    check(args);
    const language = languageFor(call, ns, { collation: args.collation, bindings: args.let });
    const work: Work = { call, args, ns, language, project: projectionOf(args.fields, language) };
    return call.engine.change('findAndModify', draft =>
      args.remove === true ? remove(work, draft) : update(work, draft),
    );
  },
});
