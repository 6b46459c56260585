import type { EngineName } from '../outside/engines.js';
import { crossesArray, leavesDocuments, readPaths, shapedPaths } from './paths.js';
import type { Profile } from './rule.js';
import { has, isArray, isDocument, typeOf, wrapperOf } from './tree.js';
import { operatorRules } from './rules/operators.js';
import { queryRules } from './rules/queries.js';
import { stageRules } from './rules/stages.js';
import { uses } from './rules/traits.js';
import { wordsIn } from '../words.js';

const transcendental = `
  $sin $cos $tan $asin $acos $atan $atan2 $sinh $cosh $tanh $asinh $acosh $atanh $exp $ln $log $log10 $sqrt $degreesToRadians
  $radiansToDegrees
`;

/**
 * The engine with which the embedded server is compared, and its known limits. It implements more operators and
 * installs faster than the other engines, and `npm test` uses it too.
 */
export const reference: Profile & { readonly name: EngineName } = {
  name: 'secantusdb',
  lacks: new Set(wordsIn('$sigmoid $unsetField $expMovingAvg $derivative $integral $covariancePop $covarianceSamp')),
  omissions: [
    {
      what: 'arrays on paths of expressions, distinct, $lookup and computed fields',
      holds: met => {
        const { command } = met.operation;
        const key = typeof command['key'] === 'string' ? [command['key']] : [];
        const joined: string[] = [];
        has(command, (value, name) => {
          if (/^(?:localField|foreignField|connect(?:From|To)Field)$/.test(name ?? '') && typeof value === 'string')
            joined.push(value);
          return false;
        });
        return [...readPaths(command), ...shapedPaths(command), ...key, ...joined].some(path =>
          crossesArray(met, path),
        );
      },
    },
    {
      what: 'computed fields below a value that is not a document',
      holds: met => shapedPaths(met.operation.command).some(path => leavesDocuments(met, path)),
    },
    {
      what: '$concatArrays and $setUnion as accumulators',
      holds: ({ operation }) =>
        has(
          operation.command,
          (value, name) =>
            /^g\d?$/.test(name ?? '') && isDocument(value) && ('$concatArrays' in value || '$setUnion' in value),
        ),
    },
    {
      what: 'powers with large exponents: it computes all digits, and blocks meanwhile',
      holds: ({ operation }) =>
        has(operation.command, (value, name) => name === '$pow' && !(isArray(value) && typeof value[1] === 'number')),
    },
    {
      what: 'the limit of $densify: it creates documents up to the largest value without a limit',
      holds: ({ operation }) => has(operation.command, (value, name) => name === 'bounds' && value === 'full'),
    },
    {
      what: 'transcendental functions of decimals: some of its series never end',
      holds: met =>
        uses(met, transcendental) &&
        has([met.documents, met.foreign, met.operation.command], value => wrapperOf(value) === '$numberDecimal'),
    },
    {
      what: 'missing fields of $$CURRENT',
      holds: ({ operation }) =>
        has(operation.command, value => typeof value === 'string' && value.startsWith('$$CURRENT.')),
    },
  ],
  cannotHold: value => ['symbol', 'undefined', 'dbPointer'].includes(typeOf(value)),
  codes: false,
  rules: [...stageRules, ...queryRules, ...operatorRules],
};
