/** How the profiler describes the lookup of documents by a command. */
import type { Entry, Value } from '@tessera/mql/engine';
import { Doc, TimestampValue, inOneGo, isArray, isDoc, showDoc } from '@tessera/mql/engine';
import type { DatabaseValue } from '@tessera/store';
import { resolve } from '../engine/pipeline.js';
import type { Call, Command } from './command.js';
import { explanationOf } from './explain.js';

const lists: Readonly<Record<string, string>> = { update: 'updates', delete: 'deletes' };

const described: ReadonlySet<string> = new Set([
  ...['find', 'aggregate', 'count', 'distinct', 'findAndModify', 'update', 'delete'],
]);

/** Larger collections are not scanned again, so that the profiler does not block other commands. */
const mostScanned = 1000;

/** Operators whose evaluation can take long. */
const costly = /\$(?:where|function|accumulator|expr|regex|jsonSchema)|: \//;

/** Returns the stages of a plan, from the outermost to the scan. */
const chainOf = (stage: Value | undefined): readonly Doc[] =>
  isDoc(stage) ? [stage, ...chainOf(stage.get('inputStage'))] : [];

const summaryOf = (scan: Doc): string => {
  const [stage, key] = [scan.get('stage') as string, scan.get('keyPattern')];
  if (isDoc(key)) return `${stage} ${showDoc(key)}`;
  return typeof key === 'string' ? `${stage} ${key}` : stage;
};

const isLarge = ({ db, target }: Call, before: DatabaseValue): boolean => {
  const base = typeof target === 'string' ? resolve(before, `${db}.${target}`).base : undefined;
  return base !== undefined && base.records.size > mostScanned;
};

/**
 * Returns the plan of a statement and what it examined, as of the data before the command. Returns nothing if the command
 * does not look up documents.
 */
export const lookupOf = (call: Call, { name }: Command, statement: Doc, before: DatabaseValue): readonly Entry[] => {
  if (!described.has(name)) return [];
  const list = lists[name];
  const body =
    list === undefined
      ? statement
      : Doc.of([
          [name, call.target],
          [list, [statement]],
        ]);
  const inner = Doc.of(body.entries().map(([key, value], i) => [i === 0 ? name : key, value]));
  try {
    const scans = !isLarge(call, before) && !costly.test(showDoc(statement));
    const past = { ...call, snapshot: { at: new TimestampValue(0, 0), value: before } };
    const explained = Doc.of(inOneGo(explanationOf(past, inner, scans ? 'executionStats' : 'queryPlanner')));
    const stages = explained.get('stages');
    const [first, ...later] = isArray(stages) ? stages.filter(isDoc) : [];
    const cursor = first?.get('$cursor') ?? explained;
    const [planner, stats] = isDoc(cursor) ? [cursor.get('queryPlanner'), cursor.get('executionStats')] : [];
    const chain = isDoc(planner) ? chainOf(planner.get('winningPlan')) : [];
    const scan = chain.at(-1);
    if (scan === undefined) return [];
    const sorts = chain.some(stage => stage.get('stage') === 'SORT') || later.some(stage => stage.has('$sort'));
    return [
      ...(isDoc(stats)
        ? ([
            ['keysExamined', stats.get('totalKeysExamined')!],
            ['docsExamined', stats.get('totalDocsExamined')!],
          ] as const)
        : []),
      ...(sorts ? [['hasSortStage', true] as const] : []),
      ['planSummary', summaryOf(scan)],
      ['execStats', isDoc(stats) ? stats.get('executionStages')! : chain[0]!],
    ];
  } catch {
    // The command has failed with the same error.
    return [];
  }
};
