import type { Entry, Pieces, Pipeline, Value } from '@tessera/mql/engine';
import { Doc, fail, isArray, isAtLeast, isDoc, parseQuery, parseSort, safeIntegerOf } from '@tessera/mql/engine';
import type { Selection } from '@tessera/store';
import { executionStats, explainedPlan, planStages } from '@tessera/store';
import type { Language } from '../engine/language.js';
import { resolve } from '../engine/pipeline.js';
import { isChangeStream } from '../streams/open-stream.js';
import { languageFor } from './collation.js';
import type { Call, Command, Fields } from './command.js';
import { checkNamespace, command, hintOf, valueOf } from './command.js';
import { compilePipeline } from './own-stages.js';
import { piecewise } from './turns.js';
import { required, object, string } from './schema.js';

/** The parts of a command that determine its query plan. */
interface Question {
  readonly filter: Doc;
  readonly sort: Doc | undefined;
  readonly hint: string | Doc | undefined;
  readonly collation: Doc | undefined;
}

const docIn = (from: Doc, name: string): Doc | undefined => {
  const value = from.get(name);
  return isDoc(value) ? value : undefined;
};

const first = (from: Doc, name: string): Doc => {
  const list = from.get(name);
  const [one] = isArray(list) ? list : [];
  return isDoc(one) ? one : Doc.EMPTY;
};

/** Stages that the lookup of documents performs. */
const lookingUp: ReadonlySet<string> = new Set(['$match', '$sort', '$skip', '$limit', '$project']);

/** A pipeline whose first stages look up documents. */
interface Piped {
  readonly pipeline: Pipeline;
  /** The stages after the lookup, as they were given. */
  readonly later: readonly Doc[];
}

const pipedBy = (pipeline: Pipeline, stages: readonly Value[]): Piped => {
  const docs = stages as readonly Doc[];
  if (pipeline.leading.nearest !== undefined) return { pipeline, later: docs.slice(1) };
  const from = docs.findIndex(stage => !lookingUp.has(stage.keys()[0]!));
  return { pipeline, later: from === -1 ? [] : docs.slice(from) };
};

const partsOf = (name: string, inner: Doc): { readonly filter: Doc; readonly sort: Doc | undefined } => {
  switch (name) {
    case 'find':
      return { filter: docIn(inner, 'filter') ?? Doc.EMPTY, sort: docIn(inner, 'sort') };
    case 'count':
    case 'distinct':
      return { filter: docIn(inner, 'query') ?? Doc.EMPTY, sort: undefined };
    case 'findAndModify':
      return { filter: docIn(inner, 'query') ?? Doc.EMPTY, sort: docIn(inner, 'sort') };
    case 'update':
      return { filter: docIn(first(inner, 'updates'), 'q') ?? Doc.EMPTY, sort: undefined };
    case 'delete':
      return { filter: docIn(first(inner, 'deletes'), 'q') ?? Doc.EMPTY, sort: undefined };
    case 'aggregate':
      return { filter: Doc.EMPTY, sort: undefined };
    default:
      throw fail('CommandNotFound', `Explain failed due to unknown command: ${name}`);
  }
};

const questionOf = (name: string, inner: Doc): Question => {
  const hint = inner.get('hint');
  return {
    ...partsOf(name, inner),
    hint: typeof hint === 'string' || isDoc(hint) ? hintOf(hint) : undefined,
    collation: docIn(inner, 'collation'),
  };
};

/** Returns how many documents a command looks up at most. Infinity: all that match. */
const mostOf = (name: string, inner: Doc): number => {
  switch (name) {
    case 'find': {
      const [limit, skip] = [safeIntegerOf(inner.get('limit')) ?? 0, safeIntegerOf(inner.get('skip')) ?? 0];
      return limit === 0 ? Number.POSITIVE_INFINITY : Math.abs(limit) + skip;
    }
    case 'findAndModify':
      return 1;
    case 'update':
      return first(inner, 'updates').get('multi') === true ? Number.POSITIVE_INFINITY : 1;
    case 'delete':
      return safeIntegerOf(first(inner, 'deletes').get('limit')) === 1 ? 1 : Number.POSITIVE_INFINITY;
    default:
      return Number.POSITIVE_INFINITY;
  }
};

/** Wraps the plan of the lookup in the stage that processes the found documents. */
const doing = (name: string, inner: Doc, found: Doc): Doc => {
  const stage = { count: 'COUNT', update: 'UPDATE', delete: 'DELETE' }[name];
  const modifying = inner.get('remove') === true ? 'DELETE' : 'UPDATE';
  const outer = name === 'findAndModify' ? modifying : stage;
  if (outer === undefined) return found;
  if (outer === 'COUNT' && found.get('stage') === 'COLLSCAN' && (docIn(inner, 'query')?.size ?? 0) === 0)
    return Doc.of([['stage', 'RECORD_STORE_FAST_COUNT']]);
  return Doc.of([
    ['stage', outer],
    ['inputStage', found],
  ]);
};

/** Returns the lookup as the first of the stages, if others follow it. */
const inStages = ({ pipeline, later }: Piped, lookup: Fields): Fields => {
  const { ownSource, leading } = pipeline;
  if (ownSource) return [['stages', later]];
  if (later.length === 0 && leading.nearest === undefined) return lookup;
  const name = leading.nearest === undefined ? '$cursor' : '$geoNearCursor';
  return [['stages', [Doc.of([[name, Doc.of(lookup)]]), ...later]]];
};

const describe = function* (call: Call, name: string, inner: Doc, verbosity: string): Pieces<Fields> {
  const target = inner.get(name);
  const ns = checkNamespace(call.db, typeof target === 'string' ? target : '$cmd.aggregate');
  const resolved = resolve(valueOf(call), ns);
  const { base } = resolved;
  const asked = questionOf(name, inner);
  const language: Language = languageFor(call, ns, { collation: asked.collation, bindings: docIn(inner, 'let') });
  const stages = inner.get('pipeline');
  const piped =
    name === 'aggregate' && isArray(stages) && !isChangeStream(stages)
      ? pipedBy(compilePipeline(call, resolved, stages, language), [...resolved.stages, ...stages])
      : undefined;
  const leading = piped?.pipeline.leading;
  const question: Question =
    leading === undefined ? asked : { ...asked, filter: leading.match ?? Doc.EMPTY, sort: leading.sort };
  const selection: Selection = {
    matcher: leading?.nearest ?? parseQuery(question.filter, language.context),
    sort: question.sort === undefined ? undefined : parseSort(question.sort, language.context),
    hint: question.hint,
    collation: language.collationSpec,
  };
  const plan = base && explainedPlan(base, selection);
  const { filter, sort } = question;
  const found = planStages(plan, { filter, sort, matcher: selection.matcher }, call.engine.version);
  const winner = doing(name, inner, found);
  const lookup: Entry[] = [
    [
      'queryPlanner',
      Doc.of([
        ['namespace', ns],
        ['parsedQuery', question.filter],
        ['indexFilterSet', false],
        ['winningPlan', winner],
        ['rejectedPlans', []],
      ]),
    ],
  ];
  if (verbosity !== 'queryPlanner')
    lookup.push([
      'executionStats',
      yield* executionStats(base, plan, selection, { stages: winner, verbosity, most: mostOf(name, inner) }),
    ]);
  return [
    ...(isAtLeast(call.engine.version, '5.0') ? [['explainVersion', '1'] as const] : []),
    ...(piped === undefined ? lookup : inStages(piped, lookup)),
    ['command', inner.has('$db') ? inner : inner.with('$db', call.db)],
    [
      'serverInfo',
      Doc.of([
        ['host', call.server.address],
        ['version', call.engine.version.text],
      ]),
    ],
  ];
};

/** Returns the explained command with `findAndModify` for `findandmodify`, the only alias that `describe` distinguishes. */
const underOwnName = (inner: Doc): Doc =>
  inner.keys()[0] === 'findandmodify'
    ? Doc.of(inner.entries().map(([key, value], i) => [i === 0 ? 'findAndModify' : key, value]))
    : inner;

/**
 * Returns the explanation of a command. Nothing is written.
 * @throws CommandError 9 for an aggregation with a write concern
 */
export const explanationOf = (call: Call, given: Doc, verbosity: string): Pieces<Fields> => {
  const inner = underOwnName(given);
  const name = inner.keys()[0] ?? '';
  if (name === 'aggregate' && inner.has('writeConcern'))
    throw fail('FailedToParse', "Aggregation explain does not support the 'writeConcern' option");
  return describe(call, name, inner, verbosity);
};

const verbosities: ReadonlySet<string> = new Set(['queryPlanner', 'executionStats', 'allPlansExecution']);

export const explain: Command = command({
  name: 'explain',
  target: required(object()),
  schema: { verbosity: string() },
  readConcern: true,
  stable: true,
  help: 'Returns the plan with which a command would look up its documents.',
  run: (call, { verbosity = 'allPlansExecution' }) => {
    if (!verbosities.has(verbosity)) {
      throw fail('BadValue', `Enumeration value '${verbosity}' for field 'explain.verbosity' is not a valid value.`);
    }
    return piecewise(call, explanationOf(call, call.target as Doc, verbosity));
  },
});
