import { fail } from '../../errors.js';
import { carried } from '../../query/metadata.js';
import { Doc, type Entry } from '../../value/doc.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc } from '../../value/value.js';
import { pause } from '../../work/pause.js';
import { print } from '../coerce.js';
import type { Scope } from '../scope.js';
import type { StageParser } from '../stage.js';
import { scopeOf } from '../stage.js';

/** The values of `$$KEEP`, `$$PRUNE` and `$$DESCEND`. */
const decisions = ['keep', 'prune', 'descend'] as const;

export const parseRedact: StageParser = (spec, { parser }, name) => {
  const { names, slots } = parser.names.with(['CURRENT', 'KEEP', 'PRUNE', 'DESCEND']);
  const expression = parser.naming(names).operand(spec);
  const [current, ...deciding] = slots as [number, ...number[]];

  const redactValue = (value: Value, scope: Scope): Value | undefined => {
    if (isDoc(value)) return redact(value, scope);
    if (!isArray(value)) return value;
    return value.map(item => redactValue(item, scope)).filter(item => item !== undefined);
  };

  /** Returns the redacted document, or undefined if it is pruned. */
  const redact = (doc: Doc, scope: Scope): Doc | undefined => {
    scope.slots[current] = doc;
    const decision = expression.evaluate(scope);
    switch (decision) {
      case 'keep':
        return doc;
      case 'prune':
        return undefined;
      case 'descend': {
        const entries: Entry[] = [];
        for (const [key, value] of doc) {
          const left = redactValue(value, scope);
          if (left !== undefined) entries.push([key, left]);
        }
        return Doc.of(entries);
      }
      default:
        throw fail(
          17053,
          `$redact's expression should not return anything aside from the variables $$KEEP, $$DESCEND, and $$PRUNE, but returned ${print(decision)}`,
        );
    }
  };

  return [
    {
      name,
      *run(input, frame) {
        const scope = scopeOf(frame);
        deciding.forEach((slot, i) => (scope.slots[slot] = decisions[i]));
        for (const doc of input) {
          if (doc === pause) {
            yield pause;
            continue;
          }
          scope.root = doc;
          const left = redact(doc, scope);
          if (left !== undefined) yield carried(doc, left);
        }
      },
    },
  ];
};
