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

/** 2026-03-04T05:06:07.089Z, and a random source that always returns 0.5. */
export const ambience: Ambience = {
  nowMs: 1_772_600_767_089,
  clusterTime: new TimestampValue(1_772_600_767, 1),
  random: () => 0.5,
};

/** Parses a date as `Date.parse`. */
export const date = (iso: string): DateValue => new DateValue(Date.parse(iso));

/** An expected error: its code and its message, or a pattern for the message. */
export interface Refusal {
  readonly code: number;
  readonly message: string | RegExp;
}
export const refused = (code: number, message: string | RegExp = /./): Refusal => ({ code, message });

/** The expected result of an expression whose result is missing. */
export const missing: unique symbol = Symbol('missing');

type Expected = Shorthand | Refusal | typeof missing;
/** An expression, its expected result, and the document that it reads. */
export type ExpressionCase = readonly [spec: Shorthand, expected: Expected, doc?: Fields];

const isRefusal = (expected: Expected): expected is Refusal =>
  typeof expected === 'object' &&
  expected !== null &&
  'code' in expected &&
  'message' in expected &&
  !(expected instanceof Doc);

export const evaluate = (spec: Shorthand, doc: Fields = {}, context: ExpressionContext = {}): Value | undefined =>
  expressionCompiler(context, ambience)(v(spec))(asDoc(doc));

/** Runs an action that must fail with a CommandError, and checks the error. */
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

/** Runs a test per case, on a document made from entries and on a lazy one. Constants are folded. */
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

/** Creates an environment with the given collections. `find` ignores its filter. */
export const environmentOf = (collections: Readonly<Record<string, readonly Fields[]>> = {}): Environment => ({
  ...ambience,
  collection: name => (collections[name] ?? []).map(asDoc),
});

/** Runs a pipeline and returns the results as texts. */
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

/** The stages, the input documents and the expected output. */
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

/** Checks pipelines that fail to parse, with their whole messages. */
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
