import { fail } from '../errors.js';
import type { DateParts } from './calendar.js';
import { dayNumber, msOfParts, msPerDay, partsOfMs } from './calendar.js';
import { spend } from '../work/meter.js';

/** A time zone: its offset ahead of UTC in milliseconds. */
export interface TimeZone {
  readonly kind: 'utc' | 'offset' | 'named';
  offsetAt(ms: number): number;
}

export const utc: TimeZone = { kind: 'utc', offsetAt: () => 0 };

const parseOffset = (text: string): TimeZone | undefined => {
  const match = /^([+-])(\d\d)(?::?(\d\d))?$/.exec(text);
  if (match === null) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  const offset = (match[1] === '-' ? -minutes : minutes) * 60_000;
  return { kind: offset === 0 ? 'utc' : 'offset', offsetAt: () => offset };
};

/** Returns the local time in the zone, as if it were UTC. */
const clockOf = (format: Intl.DateTimeFormat, ms: number): number => {
  const numbers: Record<string, number> = {};
  let beforeChrist = false;
  for (const { type, value } of format.formatToParts(ms)) {
    if (type === 'era') beforeChrist = value.startsWith('B');
    else numbers[type] = Number(value);
  }
  const { year, month, day, hour, minute, second } = numbers;
  const clock = dayNumber(beforeChrist ? 1 - year! : year!, month!, day!) * msPerDay;
  return clock + hour! * 3_600_000 + minute! * 60_000 + second! * 1000;
};

/** Zones change their offset at multiples of a quarter of an hour, so offsets are cached per quarter. */
const quarter = 900_000;
const maxRemembered = 20_000;

const createNamedZone = (name: string): TimeZone | undefined => {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
  // Intl ignores the case of names; MongoDB does not.
  const resolved = format.resolvedOptions().timeZone;
  if (resolved !== name && resolved.toLowerCase() === name.toLowerCase()) return undefined;
  const remembered = new Map<number, number>();
  return {
    kind: 'named',
    offsetAt: ms => {
      const key = Math.floor(ms / quarter);
      let offset = remembered.get(key);
      spend(2);
      if (offset === undefined) {
        spend(40);
        const whole = Math.floor(ms / 1000) * 1000;
        offset = clockOf(format, whole) - whole;
        if (remembered.size >= maxRemembered) remembered.clear();
        remembered.set(key, offset);
      }
      return offset;
    },
  };
};

const zones = new Map<string, TimeZone>([['UTC', utc]]);

/**
 * Returns the zone of an Olson name or an offset (`+hh`, `+hhmm`, `+hh:mm`).
 * @throws CommandError 40485
 */
export const timeZoneOf = (name: string): TimeZone => {
  let zone = zones.get(name);
  if (zone === undefined) {
    // Intl accepts some lower-case names and offset formats that MongoDB does not.
    zone = parseOffset(name) ?? (/^[A-Z]/.test(name) ? createNamedZone(name) : undefined);
    if (zone === undefined) throw fail(40485, `unrecognized time zone identifier: "${name}"`);
    if (zones.size < 1000) zones.set(name, zone);
  }
  return zone;
};

/** Returns the local date and time in the zone. */
export const localParts = (ms: number, zone: TimeZone): DateParts => partsOfMs(ms + zone.offsetAt(ms));

/**
 * Returns the instant of a local time. A repeated local time means the first occurrence; a skipped one means an hour
 * later.
 */
export const instantOf = (local: number, zone: TimeZone): number => {
  if (zone.kind !== 'named') return local - zone.offsetAt(local);
  const before = zone.offsetAt(local - msPerDay);
  const after = zone.offsetAt(local + msPerDay);
  if (zone.offsetAt(local - before) === before) return local - before;
  return zone.offsetAt(local - after) === after ? local - after : local - before;
};

/** Returns the instant of local date parts. All parts carry over. */
export const instantOfParts = (parts: DateParts, zone: TimeZone): number => instantOf(msOfParts(parts), zone);
