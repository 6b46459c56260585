/** Prints a history: time, actor and action of each fact. */
import { eventText } from './events.js';
import type { Line } from './events.js';
import type { Entry, Fact, Lived } from './record.js';
import { errorText, happeningText, row, wordsOf } from './words.js';

const marksText = (marks: ReadonlyMap<string, number>): string =>
  [...marks]
    .filter(([, count]) => count > 0)
    .map(([mark, count]) => (count === 1 ? mark : `${mark} ${count} times`))
    .join(' ');

const outcome = (error: unknown): string => (error === undefined ? 'succeeds' : `fails as ${errorText(error)}`);

const texts: { readonly [K in Fact['is']]: (fact: Extract<Fact, { is: K }>) => Line } = {
  happening: ({ happening }) => ['world', happeningText(happening)],
  member: ({ address, did }) => [address, did],
  applied: ({ address, key }) => [address, `does the insert of ${key}`],
  began: ({ operation, planned: { number: _, ...rest } }) => ['caller', `${operation} begins ${wordsOf(rest)}`],
  aborted: ({ operation }) => ['caller', `${operation} aborts`],
  ended: ({ operation, error }) => ['caller', `${operation} ${outcome(error)}`],
  event: ({ event }) => eventText(event),
  asked: ({ pool, checkOut }) => ['pool', `${pool} begins check-out ${checkOut}`],
  given: ({ pool, checkOut, connectionId }) => ['pool', `${pool} ends check-out ${checkOut} with #${connectionId}`],
  denied: ({ pool, checkOut, error }) => ['pool', `${pool} fails check-out ${checkOut}: ${errorText(error)}`],
  cleared: ({ address, cause }) => ['topology', `clears the pool of ${address}: ${errorText(cause)}`],
  selected: ({ address }) => ['selection', `${address} is used`],
  reported: ({ error }) => ['topology', `receives the report of ${errorText(error)}`],
  healed: ({ is }) => ['world', is],
  closing: ({ is }) => ['world', is],
  closed: ({ is }) => ['world', is],
  leftover: ({ what }) => ['world', `left open: ${what}`],
  dispatched: ({ request: { number, owner, operation } }) => [
    'layers',
    `request ${number} of ${owner}: ${wordsOf(operation)}`,
  ],
  settled: ({ request, error }) => [
    'layers',
    `request ${request.number} ends${error === undefined ? '' : ` as ${errorText(error)}`}`,
  ],
  attempted: ({ request }) => ['layers', `request ${request.number} is written`],
  heard: ({ request, ok }) => ['session', `receives the reply to request ${request.number}: ${ok ? 'ok' : 'an error'}`],
  decided: ({ request, decision }) => ['retry', `request ${request.number}: ${decision.because}`],
  opened: ({ owner, session }) => ['session', `${owner} begins, ${session}`],
  released: ({ owner }) => ['session', `${owner} ends`],
  answered: () => ['server', 'answers'],
  crashed: () => ['server', 'crashes'],
  summed: ({ operation, sum }) => ['caller', `${operation} reads a sum of ${sum}`],
  looked: ({ operation, value, least, most }) => [
    'caller',
    `${operation} reads ${value}, expected ${least} to ${most}`,
  ],
  found: ({ marks }) => ['server', `has ${marksText(marks)}`],
  unhandled: ({ reason }) => ['world', `unhandled rejection: ${errorText(reason)}`],
  thrown: ({ error }) => ['world', `stops: ${errorText(error)}`],
};

const factText = (fact: Fact): Line => {
  const text = texts[fact.is] as (fact: Fact) => Line;
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
