import type { TimestampValue } from '@tessera/mql/engine';
import type { EventSource, LogEvents, TokenVersion, StreamEvent } from '@tessera/server/parts';
import { before, isLater, textOf, tokenDoc } from '@tessera/server/parts';

const earliest = (times: readonly TimestampValue[]): TimestampValue =>
  times.reduce((least, one) => (isLater(least, one) ? one : least));

const latest = (times: readonly TimestampValue[]): TimestampValue =>
  times.reduce((most, one) => (isLater(one, most) ? one : most));

/** Merges the events of several logs. An event is returned once no log can produce an earlier one. */
export class MergedEvents implements EventSource {
  readonly #logs: readonly LogEvents[];
  readonly #version: TokenVersion;
  /** The next event of each log. */
  readonly #heads: (StreamEvent | undefined)[];

  constructor(logs: readonly LogEvents[], version: TokenVersion) {
    this.#logs = logs;
    this.#version = version;
    this.#heads = logs.map(() => undefined);
  }

  next(): StreamEvent | undefined {
    for (const [i, log] of this.#logs.entries()) this.#heads[i] ??= log.next();
    const first = this.#first();
    if (first === undefined) return undefined;
    const { ts } = this.#heads[first]!.event.token;
    if (!this.#logs.every((log, i) => this.#heads[i] !== undefined || log.reaches(ts))) return undefined;
    const event = this.#heads[first];
    this.#heads[first] = undefined;
    return event;
  }

  /** Returns the index of the log with the earliest event. */
  #first(): number | undefined {
    const texts = this.#heads.map(head => head && textOf(tokenDoc(head.event.token, this.#version)));
    return texts.reduce<number | undefined>(
      (least, text, i) => (text !== undefined && (least === undefined || text < texts[least]!) ? i : least),
      undefined,
    );
  }

  seen(): TimestampValue {
    const waiting = this.#heads.flatMap(head => (head === undefined ? [] : [before(head.event.token.ts)]));
    const idle = this.#logs.filter((_, i) => this.#heads[i] === undefined);
    if (waiting.length > 0) return earliest([...waiting, ...idle.map(log => log.seen())]);
    const most = latest(idle.map(log => log.seen()));
    return idle.every(log => log.reaches(most)) ? most : earliest(idle.map(log => log.seen()));
  }
}
