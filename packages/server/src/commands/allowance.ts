import type { Allowance, Bound } from '@tessera/mql/engine';
import { fail, isAtLeast } from '@tessera/mql/engine';
import type { Call } from './command.js';

/** The start of the message of each error. From 8.0 on, every message names its command, so nothing is added. */
const before: Readonly<Record<'find' | 'aggregate', string>> = {
  find: 'Executor error during find command :: caused by :: ',
  aggregate: 'PlanExecutor error during aggregation :: caused by :: ',
};

/** 100 MB. Unlike the limit of a find, it was not a parameter. */
const sortOfAggregate = 104_857_600;

const boundOfSort = ({ engine: { version, parameters } }: Call, name: 'find' | 'aggregate'): Bound => {
  const context = isAtLeast(version, '8.0') ? '' : before[name];
  if (isAtLeast(version, '4.4')) {
    const bytes = parameters.number('internalQueryMaxBlockingSortMemoryUsageBytes');
    const advice = isAtLeast(version, '5.0') ? '' : ' Aborting operation. Pass allowDiskUse:true to opt in.';
    const text = `${context}Sort exceeded memory limit of ${bytes} bytes, but did not opt in to external sorting.${advice}`;
    return { bytes, exceeded: () => fail('QueryExceededMemoryLimitNoDiskUseAllowed', text) };
  }
  if (name === 'aggregate') {
    const text = `Sort exceeded memory limit of ${sortOfAggregate} bytes, but did not opt in to external sorting. Aborting operation. Pass allowDiskUse:true to opt in.`;
    return { bytes: sortOfAggregate, exceeded: () => fail(16819, text) };
  }
  const bytes = parameters.number('internalQueryExecMaxBlockingSortBytes');
  const text = `${context}Sort operation used more than the maximum ${bytes} bytes of RAM. Add an index, or specify a smaller limit.`;
  return { bytes, exceeded: () => fail('OperationFailed', text) };
};

const boundOfGroups = ({ engine: { version, parameters } }: Call): Bound => {
  const text = "Exceeded memory limit for $group, but didn't allow external sort. Pass allowDiskUse:true to opt in.";
  const context = isAtLeast(version, '4.4') && !isAtLeast(version, '8.0') ? before.aggregate : '';
  return {
    bytes: parameters.number('internalDocumentSourceGroupMaxMemoryBytes'),
    exceeded: () =>
      fail(isAtLeast(version, '4.4') ? 'QueryExceededMemoryLimitNoDiskUseAllowed' : 16945, `${context}${text}`),
  };
};

/** @param allowDiskUse the command's option; undefined means the server's default, which is false before 6.0 */
export const allowanceOf = (
  call: Call,
  name: 'find' | 'aggregate',
  allowDiskUse: boolean | undefined,
): Allowance | undefined =>
  (allowDiskUse ?? call.engine.parameters.is('allowDiskUseByDefault'))
    ? undefined
    : { sort: boundOfSort(call, name), group: boundOfGroups(call) };
