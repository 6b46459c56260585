import { describe, expect, test } from 'vitest';
import type { ExpressionContext } from '../src/agg/compile.js';
import { expressionCompiler } from '../src/agg/compile.js';
import type { PipelineContext } from '../src/agg/pipeline.js';
import { parsePipeline } from '../src/agg/pipeline.js';
import type { Ambience } from '../src/agg/scope.js';
import type { Environment } from '../src/agg/stage.js';
import { CommandError } from '../src/errors.js';
import { Doc } from '../src/value/doc.js';
import { DateValue, TimestampValue, type Value } from '../src/value/value.js';
import type { Fields } from './query-cases.js';
import { asDoc } from './query-cases.js';
import type { Shorthand } from './shorthand.js';
import { text, v } from './shorthand.js';
import { withoutPauses } from '../src/work/pause.js';

/** 2026-03-04T05:06:07.089Z; chance that always says a half. */
export const ambience: Ambience = {
  nowMs: 1_772_600_767_089,
  clusterTime: new TimestampValue(1_772_600_767, 1),
  random: () => 0.5,
};

/** A date, of what `Date.parse` understands. */
export const date = (iso: string): DateValue => new DateValue(Date.parse(iso));

/** An expected error: its code, and its message or the part that matters. */
export interface Refusal {
  readonly code: number;
  readonly message: string | RegExp;
}
export const refused = (code: number, message: string | RegExp = /./): Refusal => ({ code, message });

/** What an expression gives that gives nothing. */
export const missing: unique symbol = Symbol('missing');

type Expected = Shorthand | Refusal | typeof missing;
/** An expression, what it gives, and the document that it reads. */
export type ExpressionCase = readonly [spec: Shorthand, expected: Expected, doc?: Fields];

const isRefusal = (expected: Expected): expected is Refusal =>
  typeof expected === 'object' &&
  expected !== null &&
  'code' in expected &&
  'message' in expected &&
  !(expected instanceof Doc);

export const evaluate = (spec: Shorthand, doc: Fields = {}, context: ExpressionContext = {}): Value | undefined =>
  expressionCompiler(context, ambience)(v(spec))(asDoc(doc));

/** Runs an action that must fail with a CommandError, and checks it. */
export const expectRefusal = (action: () => unknown, { code, message }: Refusal): void => {
  let error: unknown;
  try {
    action();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(CommandError);
  const { code: found, message: words } = error as CommandError;
  if (typeof message === 'string') expect(`${found}: ${words}`).toBe(`${code}: ${message}`);
  else {
    expect(found, words).toBe(code);
    expect(words).toMatch(message);
  }
};

const shown = (spec: Shorthand): string => text(v(spec));

/** One test per case: on constants (which are folded), on a document of entries and on a lazy one. */
export const checkExpressions = (
  title: string,
  cases: readonly ExpressionCase[],
  context: ExpressionContext = {},
): void => {
  describe(title, () => {
    test.each(cases.map((one, i) => [`${i + 1}. ${shown(one[0])}`, ...one] as const))(
      '%s',
      (_title, spec, expected, doc) => {
        const source = asDoc(doc ?? {});
        const run = (at: Doc): Value | undefined => expressionCompiler(context, ambience)(v(spec))(at);
        if (isRefusal(expected)) {
          expectRefusal(() => run(source), expected);
          return;
        }
        const wanted = expected === missing ? 'missing' : shown(expected);
        expect(text(run(source))).toBe(wanted);
        expect(text(run(Doc.fromBytes(source.bytes)))).toBe(wanted);
      },
    );
  });
};

/** An environment over collections written out; `find` filters nothing away that `collection` has. */
export const environmentOf = (collections: Readonly<Record<string, readonly Fields[]>> = {}): Environment => ({
  ...ambience,
  collection: name => (collections[name] ?? []).map(asDoc),
});

/** The results of a pipeline as texts. */
export const runPipeline = (
  stages: readonly Shorthand[],
  docs: readonly Fields[] = [],
  collections: Readonly<Record<string, readonly Fields[]>> = {},
  context: PipelineContext = {},
): readonly string[] => {
  const pipeline = parsePipeline(stages.map(v), context);
  const source = docs.map(asDoc).map(doc => Doc.fromBytes(doc.bytes));
  return [...withoutPauses(pipeline.run(source, environmentOf(collections)))].map(text);
};

/** Stages, documents that go in, documents that come out. */
export type PipelineCase = readonly [stages: readonly Shorthand[], input: readonly Fields[], output: readonly Fields[]];

export const checkPipelines = (
  title: string,
  cases: readonly PipelineCase[],
  collections: Readonly<Record<string, readonly Fields[]>> = {},
): void => {
  describe(title, () => {
    test.each(cases.map((one, i) => [`${i + 1}. ${shown(one[0])}`, ...one] as const))(
      '%s',
      (_title, stages, input, output) => {
        expect(runPipeline(stages, input, collections)).toEqual(output.map(fields => text(asDoc(fields))));
      },
    );
  });
};

/** Pipelines that are refused when they are parsed, with whole messages. */
export const checkRefusedPipelines = (
  title: string,
  cases: readonly (readonly [stages: readonly Shorthand[], refusal: Refusal])[],
): void => {
  describe(title, () => {
    test.each(cases.map(([stages, refusal], i) => [`${i + 1}. ${shown(stages)}`, stages, refusal] as const))(
      '%s',
      (_title, stages, refusal) => {
        expectRefusal(() => parsePipeline(stages.map(v)), refusal);
      },
    );
  });
};
