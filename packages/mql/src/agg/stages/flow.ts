import { fail } from '../../errors.js';
import { noteMetadata } from '../../query/metadata.js';
import { parseQuery } from '../../query/parse.js';
import { usesText } from '../../query/text-place.js';
import type { Sort } from '../../sort/sort.js';
import { parseSort } from '../../sort/sort.js';
import { sortDocs } from '../../sort/sort-docs.js';
import { Decimal } from '../../value/decimal.js';
import { Doc } from '../../value/doc.js';
import { compareNumbers, isNaNValue, toExactLong, toLong } from '../../value/numbers.js';
import { show } from '../../value/show.js';
import type { Value } from '../../value/value.js';
import { isDoc, isNumber } from '../../value/value.js';
import type { Paced, Pause } from '../../work/pause.js';
import { paced, pause } from '../../work/pause.js';
import { count as countValue } from '../coerce.js';
import { heldDocuments } from '../held-documents.js';
import { Scope } from '../scope.js';
import type { Frame, Stage, StageContext, StageParser } from '../stage.js';
import { scopeOf } from '../stage.js';

/** Compiles a filter to a predicate. Its `$expr` is evaluated in the scope that is passed to the predicate. */
export const compileFilter = (
  filter: Doc,
  { parser, collation, text }: Pick<StageContext, 'parser' | 'collation' | 'text'>,
): ((doc: Doc, scope: Scope) => boolean) => {
  let current: Scope | undefined;
  const { matches } = parseQuery(filter, {
    collation,
    text,
    expression: spec => {
      const { evaluate } = parser.operand(spec);
      return doc => {
        current!.root = doc;
        return evaluate(current!);
      };
    },
  });
  return (doc, scope) => {
    current = scope;
    return matches(doc);
  };
};

function* passing(
  passes: (doc: Doc, scope: Scope) => boolean,
  input: Paced<Doc>,
  frame: Frame,
): Generator<Doc | Pause> {
  const scope = scopeOf(frame);
  for (const doc of input) if (doc === pause || passes(doc, scope)) yield doc;
}

export const parseMatch: StageParser = (spec, context, name) => {
  if (!isDoc(spec)) throw fail(15959, 'the match filter must be an expression in an object');
  if (context.place === '$facet' && usesText(spec))
    throw fail(40600, `${name} is not allowed to be used within a $facet stage`);
  const passes = compileFilter(spec, context);
  return [
    {
      name,
      filter: spec,
      run: (input, frame) => passing(passes, input, frame),
    },
  ];
};

/** Notes the values by which documents were sorted, for `{ $meta: 'sortKey' }`. */
export const notingSortKeys = function* (docs: Paced<Doc>, sort: Sort): Generator<Doc | Pause> {
  for (const doc of docs) {
    if (doc !== pause) noteMetadata(doc, { sortKey: sort.key(doc) });
    yield doc;
  }
};

function* sortedBy(
  sort: Sort,
  limits: Parameters<typeof sortDocs>[2],
  isNoting: boolean,
  input: Paced<Doc>,
): Generator<Doc | Pause> {
  const sorted = paced(yield* sortDocs(input, sort, limits));
  yield* isNoting ? notingSortKeys(sorted, sort) : sorted;
}

const sortStage = (
  name: string,
  spec: Doc,
  context: Pick<StageContext, 'collation' | 'parser'>,
  most: number,
): Stage => {
  const { collation } = context;
  const { metadata } = context.parser;
  // Checks the specification. The random numbers of a sort come from the environment.
  const sort = parseSort(spec, { collation, random: () => 0 });
  return {
    name,
    sort: spec,
    run: (input, { environment: { allowance, random } }) => {
      const used = sort.pattern.some(({ of }) => of !== undefined) ? parseSort(spec, { collation, random }) : sort;
      return sortedBy(used, { limit: most, bound: allowance?.sort }, metadata.has('sortKey'), input);
    },
    atMost: limit => sortStage(name, spec, context, Math.min(limit, most)),
  };
};

export const parseSortStage: StageParser = (spec, context, name) => {
  if (!isDoc(spec)) throw fail(15973, 'the $sort key specification must be an object');
  if (spec.size === 0) throw fail(15976, '$sort stage must have at least one sort key');
  return [sortStage(name, spec, context, Infinity)];
};

/**
 * Reads a non-negative integer.
 * @throws CommandError with the given code
 */
const amount = (name: string, code: number, value: Value): number => {
  const problem = (text: string, shown = show(value)): Error =>
    fail(code, `invalid argument to ${name} stage: ${text}${name}: ${shown}`);
  if (!isNumber(value)) throw problem('Expected a number in: ');
  if (isNaNValue(value)) throw problem('Expected an integer, but found NaN in: ', 'nan');
  const long = toExactLong(value);
  if (long === undefined) {
    const isFraction = !(value instanceof Decimal) && toLong(value) !== undefined;
    throw problem(isFraction ? 'Expected an integer: ' : 'Cannot represent as a 64-bit integer: ');
  }
  if (long < 0n) throw problem('Expected a non-negative number in: ');
  return Number(long);
};

function* limited(limit: number, input: Paced<Doc>): Generator<Doc | Pause> {
  let left = limit;
  for (const doc of input) {
    yield doc;
    if (doc !== pause && --left === 0) return;
  }
}

export const parseLimit: StageParser = (spec, _context, name) => {
  const limit = amount(name, 5107201, spec);
  if (limit === 0) throw fail(15958, 'the limit must be positive');
  return [
    {
      name,
      limit,
      run: input => limited(limit, input),
    },
  ];
};

function* skipped(skip: number, input: Paced<Doc>): Generator<Doc | Pause> {
  let left = skip;
  for (const doc of input) {
    if (left > 0 && doc !== pause) left -= 1;
    else yield doc;
  }
}

export const parseSkip: StageParser = (spec, _context, name) => {
  const skip = amount(name, 5107200, spec);
  return [
    {
      name,
      skip,
      run: input => skipped(skip, input),
    },
  ];
};

function* counted(field: string, input: Paced<Doc>): Generator<Doc | Pause> {
  let n = 0;
  for (const doc of input) {
    if (doc === pause) yield pause;
    else n += 1;
  }
  if (n > 0) yield Doc.of([[field, countValue(n)]]);
}

export const parseCount: StageParser = (spec, _context, name) => {
  if (typeof spec !== 'string') throw fail(40156, 'the count field must be a non-empty string');
  if (spec === '') throw fail(40157, 'the count field must be a non-empty string');
  if (spec.startsWith('$')) throw fail(40158, 'the count field cannot be a $-prefixed path');
  if (spec.includes('\0')) throw fail(40159, 'the count field cannot contain a null byte');
  if (spec.includes('.')) throw fail(40160, `the count field cannot contain '.'`);
  return [
    {
      name,
      run: input => counted(spec, input),
    },
  ];
};

export const parseSortByCount: StageParser = (spec, context) => {
  const must = 'the sortByCount field must be defined as a $-prefixed path or an expression inside an object';
  if (isDoc(spec)) {
    if (spec.keys()[0]?.startsWith('$') !== true) throw fail(40147, must);
  } else if (typeof spec !== 'string') {
    throw fail(40149, 'the sortByCount field must be specified as a string or as an object');
  } else if (!spec.startsWith('$')) throw fail(40148, must);
  const one = Doc.of([['$sum', 1]]);
  return [
    ...context.stage(
      '$group',
      Doc.of([
        ['_id', spec],
        ['count', one],
      ]),
    ),
    ...context.stage('$sort', Doc.of([['count', -1]])),
  ];
};

/** Returns a random sample in random order. */
const sampleOf = (docs: readonly Doc[], size: number, random: () => number): readonly Doc[] => {
  const all = [...docs];
  const taken = Math.min(size, all.length);
  for (let i = 0; i < taken; i++) {
    const k = i + Math.floor(random() * (all.length - i));
    [all[i], all[k]] = [all[k]!, all[i]!];
  }
  return all.slice(0, taken);
};

export const parseSample: StageParser = (spec, _context, name) => {
  if (!isDoc(spec)) throw fail(28745, 'the $sample stage specification must be an object');
  for (const key of spec.keys()) if (key !== 'size') throw fail(28748, `unrecognized option to $sample: ${key}`);
  const size = spec.get('size');
  if (size === undefined) throw fail(28749, '$sample stage must specify a size');
  if (!isNumber(size)) throw fail(28746, 'size argument to $sample must be a number');
  // Fractions are dropped. A number that no int64 holds is as good as all documents.
  const taken = Number(toLong(size) ?? Math.max(0, compareNumbers(size, 0)) * Infinity);
  if (!(taken > 0)) throw fail(28747, 'size argument to $sample must be a positive integer');
  return [
    {
      name,
      *run(input, frame) {
        yield* sampleOf(yield* heldDocuments(input, name), taken, frame.environment.random);
      },
    },
  ];
};
