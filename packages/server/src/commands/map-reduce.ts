import type { Soon } from '@tessera/contracts';
import type { Pieces, Value } from '@tessera/mql/engine';
import {
  CodeValue,
  CommandError,
  Doc,
  MapReduce,
  fail,
  isAtLeast,
  isDoc,
  parseQuery,
  parseSort,
} from '@tessera/mql/engine';
import type { Language } from '../engine/language.js';
import { select, isView } from '@tessera/store';
import { languageFor } from './collation.js';
import type { Call, Command, Fields } from './command.js';
import { command, namespaceOf, valueOf } from './command.js';
import type { Out } from './map-reduce-out.js';
import { outOf } from './map-reduce-out.js';
import { checkTarget, mergeInto, replaceBy } from './output.js';
import type { Args, Schema } from './schema.js';
import { any, bool, integer, object, required } from './schema.js';
import { piecewise } from './turns.js';

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

/** Returns the source of a script. Servers before 4.4 accept code with a scope as well. */
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

/** Reduces a result with the existing document of the same key. */
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

/** Returns the statistics of the reply. Servers from 4.4 on have none. */
const statistics = ({ call, mapReduce }: Work): Fields => {
  const { input, emit, reduce, output } = mapReduce.counts;
  const counts = Doc.of([
    ['input', input],
    ['emit', emit],
    ['reduce', reduce],
    ['output', output],
  ]);
  return [
    ['timeMillis', call.engine.scripts.sleep.slept],
    ['counts', counts],
  ];
};

/** Adds the context to errors of scripts. From 4.4 on, mapReduce runs as an aggregation pipeline. */
const internally = function* <T>(isOld: boolean, work: Pieces<T>): Pieces<T> {
  try {
    return yield* work;
  } catch (error) {
    if (isOld || !(error instanceof CommandError)) throw error;
    throw fail(error.code, `MapReduce internal error :: caused by :: ${error.message}`, error.extra, error.labels);
  }
};

const run = (call: Call, args: MapReduceArgs): Soon<Fields> => {
  const ns = namespaceOf(call);
  const isOld = !isAtLeast(call.engine.version, '4.4');
  const out = outOf(args.out, isOld);
  const scripts = {
    map: codeOf('map', args.map, isOld),
    reduce: codeOf('reduce', args.reduce, isOld),
    finalize: args.finalize === undefined ? undefined : codeOf('finalize', args.finalize, isOld),
    scope: scopeOf(args),
  };
  const language = languageFor(call, ns, { collation: args.collation });
  const input = inputOf(call, ns, args, language);
  return piecewise(call, internally(isOld, performed({ call, args, language, out, isOld }, scripts, input)));
};

function* performed(
  { isOld, ...parts }: Omit<Work, 'mapReduce'> & { readonly isOld: boolean },
  scripts: ConstructorParameters<typeof MapReduce>[0],
  input: ReturnType<typeof inputOf>,
): Pieces<Fields> {
  const { call, language, out } = parts;
  if (out.kind !== 'inline') checkTarget(call, { kind: out.kind === 'replace' ? 'out' : 'merge', into: out });
  const mapReduce = new MapReduce(scripts, { scripts: call.engine.scripts, collation: language.collation, isOld });
  const work: Work = { ...parts, mapReduce };
  const written = write(work, yield* mapReduce.run(input));
  return isOld ? [...written, ...statistics(work)] : written;
}

export const mapReduce: Command = command({
  name: 'mapReduce',
  aliases: ['mapreduce'],
  schema,
  writeConcern: true,
  help: 'Maps documents to values and reduces the values of each key to one.',
  run,
});
