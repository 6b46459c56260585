import {
  chained,
  connectionEvents,
  heartbeatEvents,
  poolEvents,
  selectionEvents,
  serverEvents,
  topologyEvents,
} from '../../kernel/invariants/grammar.js';
import { poolsEmitting, topologyEmitting } from '../../kernel/doors.js';
import type { Mutant } from '../../kernel/kind.js';

/** Parts that work correctly but emit wrong events. */
export const listenerMutants: readonly Mutant[] = [
  {
    name: 'pool-emits-ready-twice',
    sentence: 'a ready pool emits connectionPoolReady again',
    breaks: poolEvents,
    parts: () => poolsEmitting('connectionPoolReady', event => [event, event]),
  },
  {
    name: 'pool-omits-connection-ready',
    sentence: 'a connection is checked out without connectionReady',
    breaks: connectionEvents,
    parts: () => poolsEmitting('connectionReady', () => []),
  },
  {
    name: 'topology-omits-server-opening',
    sentence: 'a server is monitored without serverOpening',
    breaks: serverEvents,
    parts: () => topologyEmitting('serverOpening', () => []),
  },
  {
    name: 'monitor-omits-heartbeat-failed',
    sentence: 'a failed check emits serverHeartbeatStarted, but no event at its end',
    breaks: heartbeatEvents,
    parts: () => topologyEmitting('serverHeartbeatFailed', () => []),
  },
  {
    name: 'topology-closes-twice',
    sentence: 'a closed topology emits topologyClosed again',
    breaks: topologyEvents,
    parts: () => topologyEmitting('topologyClosed', event => [event, event]),
  },
  {
    name: 'selection-omits-failures',
    sentence: 'a failed selection emits serverSelectionStarted, but no event at its end',
    breaks: selectionEvents,
    parts: () => topologyEmitting('serverSelectionFailed', () => []),
  },
  {
    name: 'topology-skips-descriptions',
    sentence: 'every third serverDescriptionChanged is omitted',
    breaks: chained,
    parts: () => {
      let changes = 0;
      return topologyEmitting('serverDescriptionChanged', event => (++changes % 3 === 0 ? [] : [event]));
    },
  },
];
