import { objectIdOf, wholeOf } from '@tessera/contracts';
import type { Document, TopologyVersion } from '@tessera/contracts';

/** Returns the topologyVersion of a hello reply or a state change error, or undefined if it has none. */
export const topologyVersionOf = (reply: Document | undefined): TopologyVersion | undefined => {
  const version = reply?.['topologyVersion'] as Document | null | undefined;
  const processId = objectIdOf(version?.['processId']);
  const counter = wholeOf(version?.['counter']);
  return processId === undefined || counter === undefined ? undefined : { processId, counter };
};

/**
 * Returns -1, 0 or 1 if `a` is older than, equal to or newer than `b`. If they cannot be compared, because one is
 * missing or their process ids differ, `a` counts as older. Rule: Server Discovery and Monitoring, "topologyVersion
 * Comparison".
 */
export const compareTopologyVersions = (a: TopologyVersion | undefined, b: TopologyVersion | undefined): -1 | 0 | 1 => {
  if (a === undefined || a.processId.toHexString() !== b?.processId.toHexString()) return -1;
  if (a.counter === b.counter) return 0;
  return a.counter < b.counter ? -1 : 1;
};
