/** A history for people: when, who, what. */
import type { DriverEvent, EventMap, TopologyDescription } from '@tessera/contracts';
import { errorText } from './error-text.js';
import { happeningText, row, wordsOf } from './plan.js';
import type { Plan } from './plan.js';
import type { Circumstances, Entry, Fact, Lived } from './record.js';

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

const eventText = (event: DriverEvent): readonly [string, string] => {
  switch (event.name) {
    case 'topologyDescriptionChanged':
      return ['topology', serversText(event.newDescription)];
    case 'serverDescriptionChanged': {
      const { address, newDescription } = event;
      const { type, error } = newDescription;
      return [address, `is ${type} now${error === undefined ? '' : `: ${errorText(error)}`}`];
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
      return ['selection', `starts for ${event.operationId}, ${wordsOf({ ...event.selector })}`];
    case 'commandStarted':
      return ['command', commandText(event)];
    case 'commandSucceeded':
      return ['command', `${event.commandName} ${event.address}#${event.connectionId} succeeds`];
    case 'commandFailed':
      return [
        'command',
        `${event.commandName} ${event.address}#${event.connectionId} fails: ${errorText(event.failure)}`,
      ];
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

const factText = (fact: Fact): readonly [string, string] => {
  switch (fact.is) {
    case 'happening':
      return ['world', happeningText(fact.happening)];
    case 'member':
      return [fact.address, fact.did];
    case 'applied':
      return [fact.address, `does the insert of ${fact.key}`];
    case 'began':
      return ['caller', `${fact.operation} begins ${wordsOf({ ...fact.planned })}`];
    case 'aborted':
      return ['caller', `${fact.operation} aborts`];
    case 'ended':
      return [
        'caller',
        `${fact.operation} ${fact.error === undefined ? 'succeeds' : `fails as ${errorText(fact.error)}`}`,
      ];
    case 'event':
      return eventText(fact.event);
    case 'asked':
      return ['pool', `${fact.pool} is asked by ${fact.asker}`];
    case 'given':
      return ['pool', `${fact.pool} gives ${fact.asker} #${fact.connectionId}`];
    case 'denied':
      return ['pool', `${fact.pool} denies ${fact.asker}: ${errorText(fact.error)}`];
    case 'cleared':
      return ['topology', `clears the pool of ${fact.address}: ${errorText(fact.cause)}`];
    case 'selected':
      return ['selection', `${fact.address} is used`];
    case 'reported':
      return ['topology', `is told: ${errorText(fact.error)}`];
    case 'healed':
    case 'closing':
    case 'closed':
      return ['world', fact.is];
    case 'leftover':
      return ['world', `still there: ${fact.what}`];
    case 'dispatched':
      return ['layers', `request ${fact.request} of ${fact.owner}: ${wordsOf({ ...fact.operation })}`];
    case 'settled':
      return [
        'layers',
        `request ${fact.request} ends${fact.error === undefined ? '' : ` as ${errorText(fact.error)}`}`,
      ];
    case 'attempted':
      return ['layers', `request ${fact.request} is written`];
    case 'heard':
      return ['session', `of request ${fact.request} hears ${fact.ok ? 'ok' : 'a refusal'}`];
    case 'decided':
      return ['retry', `request ${fact.request}: ${fact.decision.because}`];
    case 'opened':
      return ['session', `${fact.owner} begins, ${fact.session}`];
    case 'released':
      return ['session', `${fact.owner} ends`];
    case 'answered':
      return ['server', 'answers'];
    case 'crashed':
      return ['server', 'crashes'];
    case 'summed':
      return ['caller', `${fact.operation} finds ${fact.sum} on all accounts`];
    case 'looked':
      return ['caller', `${fact.operation} sees ${fact.value}, of ${fact.least} to ${fact.most}`];
    case 'found':
      return [
        'server',
        `has ${[...fact.marks]
          .filter(([, count]) => count > 0)
          .map(([mark, count]) => (count === 1 ? mark : `${mark} ${count} times`))
          .join(' ')}`,
      ];
    case 'unhandled':
      return ['world', `a rejection is not handled: ${errorText(fact.reason)}`];
    case 'thrown':
      return ['world', `stops: ${errorText(fact.error)}`];
  }
};

const entryText = ({ at, fact }: Entry): string => row(at, ...factText(fact));

/** What was planned: the deployment, the client, and what was to happen when. */
export const planText = ({ seed, kind, members, seeds, direct, settings, events, healAt }: Plan): string =>
  [
    `seed ${seed}: ${kind} of ${members
      .map(
        ({ address, part, tags, distance }) =>
          `${address} (${part}${tags['dc'] === undefined ? '' : ` ${tags['dc']}`}, ${distance} ms)`,
      )
      .join(', ')}; seeds ${seeds.join(', ')}${direct ? ' (directConnection)' : ''}`,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${String(value)}`)
      .join(' '),
    ...events.map(event => row(event.at, 'plan', happeningText(event)).trimEnd()),
    row(healAt, 'plan', 'every fault ends').trimEnd(),
    '',
  ].join('\n');

/** Everything that was heard; with `packets` everything that the world did, too. */
export const timeLine = (history: Lived<Circumstances>, packets: boolean): string => {
  if (!packets) return history.entries.map(entryText).join('');
  const rows = [
    ...history.entries.map(entry => ({ at: entry.at, text: entryText(entry) })),
    ...history.packets.map(({ at, what }) => ({ at, text: row(at, 'network', what) })),
  ];
  return rows
    .sort((a, b) => a.at - b.at)
    .map(({ text }) => text)
    .join('');
};
