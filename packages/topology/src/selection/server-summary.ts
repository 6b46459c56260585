import type { Millis, Selection, ServerDescription, TagSet, TopologyDescription } from '@tessera/contracts';
import { stalenessOf } from './suitable.js';

const span = (duration: Millis): string =>
  duration < 1000 ? `${Math.round(duration)} ms` : `${(duration / 1000).toFixed(1)} s`;

export const tagSetText = (tags: TagSet): string =>
  `{${Object.entries(tags)
    .map(pair => pair.join(': '))
    .join(', ')}}`;

/** Returns why the server is not suitable, or an empty string if its type explains it. */
const reason = (
  { type, tags }: ServerDescription,
  { mode, tags: wanted, maxStalenessSeconds }: Selection,
  staleness: Millis,
): string => {
  switch (type) {
    case 'RSArbiter':
      return ', which holds no data';
    case 'RSGhost':
    case 'RSOther':
      return ', which serves no operations';
    case 'RSPrimary':
      if (mode === 'secondary') return ', not a secondary';
      break;
    case 'RSSecondary':
      if (mode === 'primary') return ', not the primary';
      break;
    case 'Standalone':
    case 'Mongos':
    case 'LoadBalancer':
    case 'PossiblePrimary':
    case 'Unknown':
      return '';
  }
  if (maxStalenessSeconds !== undefined && maxStalenessSeconds > 0 && staleness > maxStalenessSeconds * 1000)
    return `, about ${span(staleness)} behind`;
  if (wanted !== undefined && wanted.length > 0) return ` with the tags ${tagSetText(tags)}`;
  return '';
};

/** Summarizes a server: its type, why it is not suitable, its last error, and the time since its last check. */
export const summaryOf = (
  server: ServerDescription,
  topology: TopologyDescription,
  selection: Selection,
  { now, heartbeatFrequencyMS }: { readonly now: Millis; readonly heartbeatFrequencyMS: Millis },
): string => {
  const { address, type, error, lastUpdateTime } = server;
  const what = `${address} is ${type}${reason(server, selection, stalenessOf(server, topology, heartbeatFrequencyMS))}`;
  if (lastUpdateTime === -Infinity) return `${what} (it has not answered yet)`;
  const ago = `${span(now - lastUpdateTime)} ago`;
  return `${what} (checked ${ago}${error === undefined ? '' : `: ${error.message.replace(/\.$/, '')}`})`;
};
