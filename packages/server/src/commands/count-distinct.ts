import type { Soon } from '@tessera/contracts';
import type { Collation, Paced, Pieces, Value } from '@tessera/mql/engine';
import { Doc, eachValueAlong, fail, hashKey, parseQuery, pause, splitPath } from '@tessera/mql/engine';
import { maxBatchBytes } from '@tessera/store';
import { contentsOf, countOfAll } from '../engine/contents.js';
import type { Language } from '../engine/language.js';
import { readingLanguageFor } from './collation.js';
import type { Command, Fields } from './command.js';
import { command, hintOf, namespaceOf, valueOf } from './command.js';
import { piecewise } from './turns.js';
import { any, integer, object, required, since, string, indexHint } from './schema.js';

const selectionOf = (query: Doc | undefined, hint: string | Doc | undefined, language: Language) => ({
  matcher: parseQuery(query ?? Doc.EMPTY, language.context),
  sort: undefined,
  hint: hintOf(hint),
  collation: language.collationSpec,
});

const counted = function* (docs: Paced<Doc>, most: number): Pieces<number> {
  let n = 0;
  if (most > 0)
    for (const doc of docs) {
      if (doc === pause) yield pause;
      else if (++n >= most) break;
    }
  return n;
};

const count = command({
  name: 'count',
  schema: {
    query: object(),
    limit: integer(),
    skip: integer(0),
    hint: indexHint(),
    collation: object(),
    fields: any(),
  },
  readConcern: true,
  stable: true,
  help: 'Counts documents.',
  run: (call, { query, limit, skip, hint, collation }): Soon<Fields> => {
    const ns = namespaceOf(call);
    const language = readingLanguageFor(call, ns, { collation });
    const selection = selectionOf(query, hint, language);
    const { value } = call.data;
    // A negative limit means its absolute value, as in legacy finds.
    const most = limit === undefined || limit === 0 ? Number.POSITIVE_INFINITY : Math.abs(limit);
    const toSkip = skip ?? 0;
    const reply = (n: number): Fields => [['n', Math.min(Math.max(n - toSkip, 0), most)]];
    const known = selection.hint === undefined ? countOfAll(value, ns, selection.matcher) : undefined;
    if (known !== undefined) return reply(known);
    const n = piecewise(call, counted(contentsOf(value, ns, language, selection), most + toSkip));
    return n instanceof Promise ? n.then(reply) : reply(n);
  },
});

const distinctIn = function* (
  docs: Paced<Doc>,
  parts: readonly string[],
  collation: Collation | undefined,
): Pieces<readonly Value[]> {
  const seen = new Set<string>();
  const values: Value[] = [];
  let bytes = 0;
  for (const doc of docs) {
    if (doc === pause) {
      yield pause;
      continue;
    }
    eachValueAlong(doc, parts, value => {
      const known = hashKey(value, collation);
      if (seen.has(known)) return;
      seen.add(known);
      values.push(value);
      bytes += known.length;
    });
    if (bytes > maxBatchBytes) throw fail(17217, 'distinct too big, 16mb cap');
  }
  return values;
};

const distinct = command({
  name: 'distinct',
  schema: {
    key: required(string()),
    query: object(),
    collation: object(),
    hint: since('7.1', indexHint()),
  },
  readConcern: true,
  help: 'Returns the distinct values of a field.',
  run: (call, { key, query, collation, hint }): Soon<Fields> => {
    if (key.includes('\0')) throw fail(31032, "The key of 'distinct' must not contain null bytes");
    const ns = namespaceOf(call);
    const language = readingLanguageFor(call, ns, { collation });
    const docs = contentsOf(valueOf(call), ns, language, selectionOf(query, hint, language));
    const reply = (values: readonly Value[]): Fields => [
      ['values', values],
      ...(call.snapshot === undefined ? [] : [['atClusterTime', call.snapshot.at] as const]),
    ];
    const values = piecewise(call, distinctIn(docs, splitPath(key), language.collation));
    return values instanceof Promise ? values.then(reply) : reply(values);
  },
});

export const counting: readonly Command[] = [count, distinct];
