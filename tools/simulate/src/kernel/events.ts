/** Describes the events of the driver for the time line. */
import type { DriverEvent, EventName, TopologyDescription } from '@tessera/contracts';
import { errorText, wordsOf } from './words.js';

type EventOf<N extends EventName> = Extract<DriverEvent, { readonly name: N }>;

/** A line of the time line without its time. */
export type Line = readonly [actor: string, action: string];

const serversText = ({ type, servers }: TopologyDescription): string =>
  `${type} [${[...servers.values()]
    .map(({ address, type: is, electionId, setVersion, topologyVersion }) =>
      [
        `${address} ${is}`,
        electionId === undefined ? '' : ` term ${Number.parseInt(electionId.toHexString(), 16)}`,
        setVersion === undefined ? '' : ` set ${setVersion}`,
        topologyVersion === undefined ? '' : ` v${String(topologyVersion.counter)}`,
      ].join(''),
    )
    .join(', ')}]`;

const commandText = ({ command }: EventOf<'commandStarted'>): string => {
  const { comment, lsid, txnNumber, readConcern } = command as {
    readonly comment?: unknown;
    readonly lsid?: { readonly id: { toString(encoding: string): string } };
    readonly txnNumber?: unknown;
    readonly readConcern?: { readonly afterClusterTime?: unknown };
  };
  const session = lsid?.id.toString('hex').slice(0, 8);
  return wordsOf({ call: comment, session, txnNumber, after: readConcern?.afterClusterTime });
};

/** Describes an event by its name, address and connection. */
const plain = (event: DriverEvent): Line => {
  const where = 'address' in event ? ` ${event.address}` : '';
  const which = 'connectionId' in event ? `#${String(event.connectionId)}` : '';
  return [event.name.startsWith('connection') ? 'pool' : 'topology', `${event.name}${where}${which}`];
};

const checked = (event: EventOf<'serverHeartbeatStarted' | 'serverHeartbeatSucceeded'>): Line => [
  'monitor',
  `${event.name} ${event.connectionId}${event.awaited ? ' awaited' : ''}`,
];

type OfCommand = Pick<EventOf<'commandStarted'>, 'commandName' | 'address' | 'connectionId'>;
const connected = ({ commandName, address, connectionId }: OfCommand): string =>
  `${commandName} ${address}#${connectionId}`;

const texts: { readonly [N in EventName]: (event: EventOf<N>) => Line } = {
  connectionPoolCreated: plain,
  connectionPoolReady: plain,
  connectionPoolCleared: plain,
  connectionPoolClosed: plain,
  connectionCreated: plain,
  connectionReady: plain,
  connectionClosed: event => ['pool', `${event.name} ${event.address}#${event.connectionId} ${event.reason}`],
  connectionCheckOutStarted: plain,
  connectionCheckOutFailed: event => ['pool', `${event.name} ${event.address} ${event.reason}`],
  connectionCheckedOut: plain,
  connectionCheckedIn: plain,
  commandStarted: event => ['command', `${connected(event)} ${commandText(event)}`.trimEnd()],
  commandSucceeded: event => ['command', `${connected(event)} succeeds`],
  commandFailed: event => ['command', `${connected(event)} fails: ${errorText(event.failure)}`],
  topologyOpening: plain,
  topologyClosed: plain,
  topologyDescriptionChanged: event => ['topology', serversText(event.newDescription)],
  serverOpening: plain,
  serverClosed: plain,
  serverDescriptionChanged: ({ address, newDescription: { type, error } }) => [
    address,
    `is ${type} now${error === undefined ? '' : `: ${errorText(error)}`}`,
  ],
  serverHeartbeatStarted: checked,
  serverHeartbeatSucceeded: checked,
  serverHeartbeatFailed: event => ['monitor', `${event.connectionId} failed: ${errorText(event.failure)}`],
  serverSelectionStarted: event => ['selection', `starts for ${event.operationId}, ${wordsOf(event.selector)}`],
  serverSelectionSucceeded: event => ['selection', `${event.address} for ${event.operationId}`],
  serverSelectionFailed: event => ['selection', `failed for ${event.operationId}: ${errorText(event.failure)}`],
  waitingForSuitableServer: plain,
};

export const eventText = (event: DriverEvent): Line => {
  const text = texts[event.name] as (event: DriverEvent) => Line;
  return text(event);
};
