/** Prints a history: time, actor and action of each fact. */
import { eventText } from './events.js';
import type { Said } from './events.js';
import type { Entry, Fact, Lived } from './record.js';
import { errorText, happeningText, row, wordsOf } from './words.js';

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
