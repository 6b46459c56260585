import type { Rule } from '../rule.js';
import { bothDo, fieldsRead, has, theyRefuse } from '../traits.js';
import type { Tree } from '../tree.js';
import { wrapperOf } from '../tree.js';

/** Numbers whose doubles and decimals differ. */
const unequal = /"0\.1"|1234\.5678/;

export const doublesAndDecimals: Rule = {
  name: 'doubles and decimals',
  reason: 'a double is compared with a decimal by the exact value that it has',
  holds: pair => {
    const everything: Tree = [fieldsRead(pair), pair.operation.command];
    return (
      (bothDo(pair) || theyRefuse(pair, 11000)) &&
      has(everything, value => wrapperOf(value) === '$numberDecimal') &&
      has(everything, value => wrapperOf(value) === '$numberDouble') &&
      unequal.test(JSON.stringify(everything))
    );
  },
};
