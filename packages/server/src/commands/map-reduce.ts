import type { Value } from '@tessera/mql/engine';
import {
  CodeValue,
  CommandError,
  Doc,
  MapReduce,
  fail,
  isAtLeast,
  isDoc,
  isNumber,
  parseQuery,
  parseSort,
  toDouble,
} from '@tessera/mql/engine';
import { internalDatabases, isView } from '../engine/database.js';
import type { Language } from '../engine/language.js';
import { select } from '../engine/select.js';
import { languageFor } from './collation.js';
import type { Call, Command, Fields } from './command.js';
import { command, namespaceOf, valueOf } from './command.js';
import { mergeInto, replaceBy } from './output.js';
import type { Args, Schema } from './schema.js';
import { any, bool, integer, missingField, object, required } from './schema.js';

const schema = {
  map: required(any()),
  reduce: required(any()),
  finalize: any(),
  out: any(),
  query: object(),
  sort: object(),
  limit: integer(0),
  scope: object(),
  jsMode: bool(),
  verbose: bool(),
  bypassDocumentValidation: bool(),
  collation: object(),
} satisfies Schema;

type MapReduceArgs = Args<typeof schema>;

/** Where the results go. */
type Out =
  | { readonly kind: 'inline' }
  | {
      readonly kind: 'replace' | 'merge' | 'reduce';
      readonly collection: string;
      /** Undefined: the database of the command. */
      readonly db: string | undefined;
    };

const collectionOf = (name: string, given: Value): string => {
  if (typeof given === 'string') return given;
  throw fail('BadValue', `'${name}' supports only string consisting of output collection name`);
};

const checkBoolean = (out: Doc, name: string): void => {
  const given = out.get(name);
  if (given === undefined) return;
  if (typeof given !== 'boolean') throw fail('BadValue', `${name} field value must be boolean`);
  if (!given) throw fail('BadValue', `${name} field value must be true`);
};

const outOfDoc = (out: Doc): Out => {
  const inline = out.get('inline');
  if (inline !== undefined) {
    if (out.size > 1) throw fail('InvalidOptions', "'inline' must be specified alone");
    if (!isNumber(inline) || toDouble(inline) !== 1) throw fail('BadValue', "'inline' takes only numeric '1'");
    return { kind: 'inline' };
  }
  checkBoolean(out, 'sharded');
  const kind = (['replace', 'merge', 'reduce'] as const).find(name => out.has(name));
  if (kind === undefined) throw fail('BadValue', "'out' requires 'replace', 'merge' or 'reduce'");
  const collection = collectionOf(kind, out.get(kind)!);
  const db = out.get('db');
  if (db !== undefined && typeof db !== 'string') throw fail('BadValue', 'db field value must be string');
  if (db !== undefined && internalDatabases.has(db)) {
    throw fail('CommandNotSupported', 'cannot target internal database as output');
  }
  checkBoolean(out, 'nonAtomic');
  if (out.keys().some(name => ![kind, 'db', 'sharded', 'nonAtomic'].includes(name))) {
    throw fail(
      'BadValue',
      "'out' supports only output type with collection name, optional 'sharded' and optional 'db'",
    );
  }
  return { kind, collection, db };
};

const outOf = (out: Value | undefined, isOld: boolean): Out => {
  if (typeof out === 'string') return { kind: 'replace', collection: out, db: undefined };
  if (isDoc(out)) return outOfDoc(out);
  if (isOld) throw fail(13606, "'out' has to be a string or an object");
  if (out === undefined) throw missingField('mapReduce.out');
  throw fail('BadValue', "'out' must be either a string or an object");
};

/** Servers before 4.4 take code with a scope too. */
const codeOf = (name: string, given: Value, isOld: boolean): string => {
  if (typeof given === 'string') return given;
  if (given instanceof CodeValue && (isOld || given.scope === undefined)) return given.code;
  throw fail('BadValue', `'${name}' must be of string or code type`);
};

const scopeOf = ({ map, reduce, finalize, scope }: MapReduceArgs): Doc =>
  Doc.of(
    [map, reduce, finalize, scope].flatMap(given => {
      const doc = given instanceof CodeValue ? given.scope : given;
      return isDoc(doc) ? doc.entries() : [];
    }),
  );

const inputOf = (call: Call, ns: string, args: MapReduceArgs, language: Language): readonly Doc[] => {
  const namespace = valueOf(call).namespaces.get(ns);
  const matcher = parseQuery(args.query ?? Doc.EMPTY, language.context);
  const sort = args.sort === undefined || args.sort.size === 0 ? undefined : parseSort(args.sort, language.context);
  if (isView(namespace)) {
    throw fail('CommandNotSupportedOnView', `Namespace ${ns} is a view, not a collection`);
  }
  if (namespace === undefined) {
    if (!isAtLeast(call.engine.version, '4.4')) throw fail('NamespaceNotFound', "ns doesn't exist");
    return [];
  }
  const selection = { matcher, sort, hint: undefined, collation: language.collationSpec };
  const limit = args.limit ?? 0;
  return select(namespace, selection, limit === 0 ? Number.POSITIVE_INFINITY : limit).map(({ doc }) => doc);
};

interface Work {
  readonly call: Call;
  readonly args: MapReduceArgs;
  readonly language: Language;
  readonly out: Out;
  readonly mapReduce: MapReduce;
}

/** A result joins what is there under its key. */
const joined = (before: Doc, incoming: Doc, mapReduce: MapReduce): Doc => {
  const key = before.get('_id')!;
  const value = mapReduce.reduced(key, [before.get('value') ?? null, incoming.get('value')!]);
  return Doc.of([
    ['_id', key],
    ['value', mapReduce.finalized(key, value)],
  ]);
};

const write = ({ call, args, language, out, mapReduce }: Work, results: readonly Doc[]): Fields => {
  if (out.kind === 'inline') return [['results', results]];
  const { collection, db } = out;
  const options = { unchecked: args.bypassDocumentValidation === true };
  const into = { db, collection };
  if (out.kind === 'replace') replaceBy(call, { kind: 'out', into, timeseries: undefined }, results, options);
  else {
    const whenMatched =
      out.kind === 'merge' ? 'replace' : (before: Doc, incoming: Doc) => joined(before, incoming, mapReduce);
    const terminal = { kind: 'merge', into, on: undefined, whenMatched, whenNotMatched: 'insert' } as const;
    mergeInto(call, terminal, results, language, options);
  }
  const result =
    db === undefined
      ? collection
      : Doc.of([
          ['db', db],
          ['collection', collection],
        ]);
  return [['result', result]];
};

/** Servers before 4.4 tell how much there was to do. */
const statistics = ({ call, mapReduce }: Work): Fields => {
  const { input, emit, reduce, output } = mapReduce.counts;
  const counts = Doc.of([
    ['input', input],
    ['emit', emit],
    ['reduce', reduce],
    ['output', output],
  ]);
  return [
    ['timeMillis', call.engine.naps.slept],
    ['counts', counts],
  ];
};

/** From 4.4 on a script that fails does so inside of a pipeline. */
const internally = <T>(isOld: boolean, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (isOld || !(error instanceof CommandError)) throw error;
    throw fail(error.code, `MapReduce internal error :: caused by :: ${error.message}`, error.extra, error.labels);
  }
};

const run = (call: Call, args: MapReduceArgs): Fields => {
  const ns = namespaceOf(call);
  const { naps, version } = call.engine;
  const isOld = !isAtLeast(version, '4.4');
  const out = outOf(args.out, isOld);
  const scripts = {
    map: codeOf('map', args.map, isOld),
    reduce: codeOf('reduce', args.reduce, isOld),
    finalize: args.finalize === undefined ? undefined : codeOf('finalize', args.finalize, isOld),
    scope: scopeOf(args),
  };
  const language = languageFor(call, ns, { collation: args.collation });
  const input = inputOf(call, ns, args, language);
  return internally(isOld, () => {
    const mapReduce = new MapReduce(scripts, { naps, collation: language.collation, isOld });
    const work: Work = { call, args, language, out, mapReduce };
    const written = write(work, mapReduce.run(input));
    return isOld ? [...written, ...statistics(work)] : written;
  });
};

export const mapReduce: Command = command({
  name: 'mapReduce',
  aliases: ['mapreduce'],
  schema,
  writeConcern: true,
  help: 'Maps documents to values and reduces the values of each key to one.',
  run,
});
