/** Prints a history: time, actor and action of each fact. */
import type { DriverEvent, EventMap, TopologyDescription } from '@tessera/contracts';
import type { Entry, Fact, Lived } from './record.js';
import { errorText, happeningText, row, wordsOf } from './words.js';

type Said = readonly [who: string, what: string];

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

const commandText = ({ commandName, address, connectionId, command }: EventMap['commandStarted']): string => {
  const { comment, lsid, txnNumber, readConcern } = command as {
    readonly comment?: unknown;
    readonly lsid?: { readonly id: { toString(encoding: string): string } };
    readonly txnNumber?: unknown;
    readonly readConcern?: { readonly afterClusterTime?: unknown };
  };
  const said = wordsOf({
    call: comment,
    session: lsid?.id.toString('hex').slice(0, 8),
    txnNumber,
    after: readConcern?.afterClusterTime,
  });
  return `${commandName} ${address}#${connectionId} ${said}`.trimEnd();
};

const eventText = (event: DriverEvent): Said => {
  switch (event.name) {
    case 'topologyDescriptionChanged':
      return ['topology', serversText(event.newDescription)];
    case 'serverDescriptionChanged': {
      const { type, error } = event.newDescription;
      return [event.address, `is ${type} now${error === undefined ? '' : `: ${errorText(error)}`}`];
    }
    case 'serverHeartbeatFailed':
      return ['monitor', `${event.connectionId} failed: ${errorText(event.failure)}`];
    case 'serverSelectionFailed':
      return ['selection', `failed for ${event.operationId}: ${errorText(event.failure)}`];
    case 'serverSelectionSucceeded':
      return ['selection', `${event.address} for ${event.operationId}`];
    case 'connectionClosed':
      return ['pool', `${event.name} ${event.address}#${event.connectionId} ${event.reason}`];
    case 'connectionCheckOutFailed':
      return ['pool', `${event.name} ${event.address} ${event.reason}`];
    case 'serverHeartbeatStarted':
    case 'serverHeartbeatSucceeded':
      return ['monitor', `${event.name} ${event.connectionId}${event.awaited ? ' awaited' : ''}`];
    case 'serverSelectionStarted':
      return ['selection', `starts for ${event.operationId}, ${wordsOf(event.selector)}`];
    case 'commandStarted':
      return ['command', commandText(event)];
    case 'commandSucceeded':
      return ['command', `${event.commandName} ${event.address}#${event.connectionId} succeeds`];
    case 'commandFailed': {
      const { commandName, address, connectionId, failure } = event;
      return ['command', `${commandName} ${address}#${connectionId} fails: ${errorText(failure)}`];
    }
    case 'serverOpening':
    case 'serverClosed':
      return ['topology', `${event.name} ${event.address}`];
    default: {
      const where = 'address' in event ? ` ${event.address}` : '';
      const which = 'connectionId' in event ? `#${String(event.connectionId)}` : '';
      return [event.name.startsWith('connection') ? 'pool' : 'topology', `${event.name}${where}${which}`];
    }
  }
};

const marksText = (marks: ReadonlyMap<string, number>): string =>
  [...marks]
    .filter(([, count]) => count > 0)
    .map(([mark, count]) => (count === 1 ? mark : `${mark} ${count} times`))
    .join(' ');

const outcome = (error: unknown): string => (error === undefined ? 'succeeds' : `fails as ${errorText(error)}`);

const texts: { readonly [K in Fact['is']]: (fact: Extract<Fact, { is: K }>) => Said } = {
  happening: ({ happening }) => ['world', happeningText(happening)],
  member: ({ address, did }) => [address, did],
  applied: ({ address, key }) => [address, `does the insert of ${key}`],
  began: ({ operation, planned: { number: _, ...rest } }) => ['caller', `${operation} begins ${wordsOf(rest)}`],
  aborted: ({ operation }) => ['caller', `${operation} aborts`],
  ended: ({ operation, error }) => ['caller', `${operation} ${outcome(error)}`],
  event: ({ event }) => eventText(event),
  asked: ({ pool, asker }) => ['pool', `${pool} is asked by ${asker}`],
  given: ({ pool, asker, connectionId }) => ['pool', `${pool} gives ${asker} #${connectionId}`],
  denied: ({ pool, asker, error }) => ['pool', `${pool} denies ${asker}: ${errorText(error)}`],
  cleared: ({ address, cause }) => ['topology', `clears the pool of ${address}: ${errorText(cause)}`],
  selected: ({ address }) => ['selection', `${address} is used`],
  reported: ({ error }) => ['topology', `is told: ${errorText(error)}`],
  healed: ({ is }) => ['world', is],
  closing: ({ is }) => ['world', is],
  closed: ({ is }) => ['world', is],
  leftover: ({ what }) => ['world', `still there: ${what}`],
  dispatched: ({ request: { number, owner, operation } }) => [
    'layers',
    `request ${number} of ${owner}: ${wordsOf(operation)}`,
  ],
  settled: ({ request, error }) => [
    'layers',
    `request ${request.number} ends${error === undefined ? '' : ` as ${errorText(error)}`}`,
  ],
  attempted: ({ request }) => ['layers', `request ${request.number} is written`],
  heard: ({ request, ok }) => ['session', `of request ${request.number} hears ${ok ? 'ok' : 'a refusal'}`],
  decided: ({ request, decision }) => ['retry', `request ${request.number}: ${decision.because}`],
  opened: ({ owner, session }) => ['session', `${owner} begins, ${session}`],
  released: ({ owner }) => ['session', `${owner} ends`],
  answered: () => ['server', 'answers'],
  crashed: () => ['server', 'crashes'],
  summed: ({ operation, sum }) => ['caller', `${operation} finds ${sum} on all accounts`],
  looked: ({ operation, value, least, most }) => ['caller', `${operation} sees ${value}, of ${least} to ${most}`],
  found: ({ marks }) => ['server', `has ${marksText(marks)}`],
  unhandled: ({ reason }) => ['world', `a rejection is not handled: ${errorText(reason)}`],
  thrown: ({ error }) => ['world', `stops: ${errorText(error)}`],
};

const factText = (fact: Fact): Said => {
  const text = texts[fact.is] as (fact: Fact) => Said;
  return text(fact);
};

const entryText = ({ at, fact }: Entry): string => row(at, ...factText(fact));

/** Returns one line for each fact and, with `withPackets`, for each timer and packet of the world. */
export const timeLine = ({ entries, packets }: Lived, withPackets: boolean): string => {
  const rows = entries.map(entry => ({ at: entry.at, text: entryText(entry) }));
  if (withPackets) rows.push(...packets.map(({ at, what }) => ({ at, text: row(at, 'network', what) })));
  return rows
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text)
    .join('');
};
