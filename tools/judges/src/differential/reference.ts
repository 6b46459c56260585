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
 * The engine that the embedded server is compared with, and what is known of it. Of the outside engines it implements the most,
 * installs the fastest, and is the one that `npm test` uses.
 */
export const reference: Profile & { readonly name: EngineName } = {
  name: 'secantusdb',
  lacks: new Set(wordsIn('$sigmoid $unsetField $expMovingAvg $derivative $integral $covariancePop $covarianceSamp')),
  omissions: [
    {
      what: 'paths of expressions, of distinct, of $lookup and of computed fields through arrays',
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
      what: 'computed fields below what is no document yet',
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
      what: 'powers with exponents that are not small: it computes them to the last digit, and does nothing else meanwhile',
      holds: ({ operation }) =>
        has(operation.command, (value, name) => name === '$pow' && !(isArray(value) && typeof value[1] === 'number')),
    },
    {
      what: 'the limit of $densify: it makes documents up to the greatest value, however far that is',
      holds: ({ operation }) => has(operation.command, (value, name) => name === 'bounds' && value === 'full'),
    },
    {
      what: 'transcendental functions of decimals: series that do not end for some',
      holds: met =>
        uses(met, transcendental) &&
        has([met.documents, met.foreign, met.operation.command], value => wrapperOf(value) === '$numberDecimal'),
    },
    {
      what: 'a field of $$CURRENT that is missing',
      holds: ({ operation }) =>
        has(operation.command, value => typeof value === 'string' && value.startsWith('$$CURRENT.')),
    },
  ],
  cannotHold: value => ['symbol', 'undefined', 'dbPointer'].includes(typeOf(value)),
  codes: false,
  rules: [...stageRules, ...queryRules, ...operatorRules],
};
