import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DateValue, TimestampValue } from '../src/value/value.js';
import type { ExpressionCase } from './agg-cases.js';
import { checkExpressions as check, date, evaluate, refused } from './agg-cases.js';
import { double, oid, text } from './shorthand.js';

const moment = date('2017-01-01T11:15:37.908Z');

check('parts of dates', [
  [{ $year: moment }, 2017],
  [{ $month: moment }, 1],
  [{ $dayOfMonth: moment }, 1],
  [{ $hour: moment }, 11],
  [{ $minute: moment }, 15],
  [{ $second: moment }, 37],
  [{ $millisecond: moment }, 908],
  [{ $dayOfYear: moment }, 1],
  [{ $dayOfYear: date('2016-12-31') }, 366],
  [{ $dayOfWeek: moment }, 1],
  [{ $dayOfWeek: date('2016-12-31') }, 7],
  [{ $isoDayOfWeek: moment }, 7],
  [{ $isoDayOfWeek: date('2016-01-04') }, 1],
  [{ $week: moment }, 1],
  [{ $week: date('2016-01-01') }, 0],
  [{ $week: date('2016-12-31') }, 52],
  [{ $isoWeek: moment }, 52],
  [{ $isoWeek: date('2016-01-04') }, 1],
  [{ $isoWeek: date('1998-11-07') }, 45],
  [{ $isoWeekYear: moment }, 2016n],
  [{ $isoWeekYear: date('2015-05-26') }, 2015n],
  [{ $isoWeek: date('2020-12-31') }, 53],
  [{ $year: date('1969-12-31T23:59:59.999Z') }, 1969],
  [{ $millisecond: new DateValue(-1) }, 999],
  [{ $year: new DateValue(-62_135_596_800_000) }, 1],
  [{ $year: oid(0) }, 1970],
  [{ $year: new TimestampValue(1_689_778_594, 1) }, 2023],
  [{ $year: null }, null],
  [{ $year: '$missing' }, null],
  [{ $year: [moment] }, 2017],
  [{ $hour: { date: moment, timezone: '+05:30' } }, 16],
  [{ $minute: { date: moment, timezone: '+0530' } }, 45],
  [{ $hour: { date: moment, timezone: '-03' } }, 8],
  [{ $hour: { date: moment, timezone: 'America/New_York' } }, 6],
  [{ $dayOfMonth: { date: date('2016-12-31T23:30:00Z'), timezone: 'Europe/London' } }, 31],
  [{ $dayOfMonth: { date: date('2016-07-31T23:30:00Z'), timezone: 'Europe/London' } }, 1],
  [{ $hour: { date: '$d', timezone: '$tz' } }, 13, { d: date('1998-11-07T00:00:00Z'), tz: '+13' }],
  [{ $hour: { date: moment, timezone: null } }, null],
  [{ $hour: { date: null, timezone: 'Mars/Olympus' } }, null],
  [
    { $hour: { date: moment, timezone: 'Mars/Olympus' } },
    refused(40485, 'unrecognized time zone identifier: "Mars/Olympus"'),
  ],
  [
    { $hour: { date: moment, timezone: 'america/new_york' } },
    refused(40485, 'unrecognized time zone identifier: "america/new_york"'),
  ],
  [{ $hour: { date: moment, timezone: 5 } }, refused(40517, 'timezone must evaluate to a string, found int')],
  [{ $hour: 5 }, refused(16006, `can't convert from BSON type int to Date`)],
  [{ $hour: '2017-01-01' }, refused(16006, `can't convert from BSON type string to Date`)],
  [
    { $hour: [moment, moment] },
    refused(40536, '$hour accepts exactly one argument if given an array, but was given 2'),
  ],
  [{ $hour: { k: 1 } }, refused(40535, 'unrecognized option to $hour: "k"')],
  [
    { $hour: { timezone: 'UTC' } },
    refused(40539, `missing 'date' argument to $hour, provided: $hour: { timezone: "UTC" }`),
  ],
  [{ $tsSecond: new TimestampValue(7, 3) }, 7n],
  [{ $tsIncrement: new TimestampValue(7, 3) }, 3n],
  [{ $tsSecond: null }, null],
  [{ $tsSecond: 5 }, refused(5687301, ' Argument to $tsSecond must be a timestamp, but is int')],
  [{ $tsIncrement: 5 }, refused(5687302, ' Argument to $tsIncrement must be a timestamp, but is int')],
]);

check('$dateFromParts', [
  [{ $dateFromParts: { year: 2017, month: 2, day: 8, hour: 12 } }, date('2017-02-08T12:00:00Z')],
  [
    {
      $dateFromParts: {
        year: 2016,
        month: 12,
        day: 31,
        hour: 23,
        minute: 46,
        second: 12,
        timezone: 'America/New_York',
      },
    },
    date('2017-01-01T04:46:12Z'),
  ],
  [{ $dateFromParts: { isoWeekYear: 2017, isoWeek: 6, isoDayOfWeek: 3, hour: 12 } }, date('2017-02-08T12:00:00Z')],
  [{ $dateFromParts: { year: 2017, month: 14, day: 1 } }, date('2018-02-01T00:00:00Z')],
  [{ $dateFromParts: { year: 2017, month: 0, day: 1 } }, date('2016-12-01T00:00:00Z')],
  [{ $dateFromParts: { year: 2017, month: 2, day: 29 } }, date('2017-03-01T00:00:00Z')],
  [{ $dateFromParts: { year: 2017, hour: -1, millisecond: 1500 } }, date('2016-12-31T23:00:01.500Z')],
  [{ $dateFromParts: { year: 1970, millisecond: 18014398509481984 } }, refused(159, /^Overflow casting/)],
  [{ $dateFromParts: { year: 1970, second: 9223372036855 } }, refused(159, /^Overflow casting/)],
  [{ $dateFromParts: { isoWeekYear: 1970, second: -9223372036855 } }, refused(159, /^Overflow casting/)],
  [{ $dateFromParts: { year: double(2017) } }, date('2017-01-01T00:00:00Z')],
  [{ $dateFromParts: { year: 2017, month: null } }, null],
  [{ $dateFromParts: { year: 2017, timezone: '$missing' } }, null],
  // A skipped local time is read with the previous offset; a repeated one means the first occurrence.
  [
    { $dateFromParts: { year: 2017, month: 3, day: 12, hour: 2, minute: 30, timezone: 'America/New_York' } },
    date('2017-03-12T07:30:00Z'),
  ],
  [
    { $dateFromParts: { year: 2017, month: 11, day: 5, hour: 1, minute: 30, timezone: 'America/New_York' } },
    date('2017-11-05T05:30:00Z'),
  ],
  [
    { $dateFromParts: { year: 0 } },
    refused(40523, `'year' must evaluate to an integer in the range 1 to 9999, found 0`),
  ],
  [
    { $dateFromParts: { isoWeekYear: 10000 } },
    refused(31095, `'isoWeekYear' must evaluate to an integer in the range 1 to 9999, found 10000`),
  ],
  [
    { $dateFromParts: { year: 2017, month: 1.5 } },
    refused(40515, `'month' must evaluate to an integer, found double with value 1.5`),
  ],
  [
    { $dateFromParts: { year: 'x' } },
    refused(40515, `'year' must evaluate to an integer, found string with value "x"`),
  ],
  [
    { $dateFromParts: { year: 2017, day: 40000 } },
    refused(31034, `'day' must evaluate to a value in the range [-32768, 32767]; value 40000 is not in range`),
  ],
  [
    { $dateFromParts: { month: 1 } },
    refused(40516, `$dateFromParts requires either 'year' or 'isoWeekYear' to be present`),
  ],
  [
    { $dateFromParts: { year: 2017, isoWeek: 1 } },
    refused(40489, '$dateFromParts does not allow mixing natural dates with ISO dates'),
  ],
  [
    { $dateFromParts: { isoWeekYear: 2017, month: 1 } },
    refused(40525, '$dateFromParts does not allow mixing ISO dates with natural dates'),
  ],
  [{ $dateFromParts: 5 }, refused(40519, '$dateFromParts only supports an object as its argument')],
  [{ $dateFromParts: { year: 2017, k: 1 } }, refused(40518, 'Unrecognized argument to $dateFromParts: k')],
]);

check('$dateToParts', [
  [
    { $dateToParts: { date: date('2017-01-01T01:29:09.123Z') } },
    { year: 2017, month: 1, day: 1, hour: 1, minute: 29, second: 9, millisecond: 123 },
  ],
  [
    { $dateToParts: { date: date('2017-01-01T01:29:09.123Z'), iso8601: true } },
    { isoWeekYear: 2016, isoWeek: 52, isoDayOfWeek: 7, hour: 1, minute: 29, second: 9, millisecond: 123 },
  ],
  [
    { $dateToParts: { date: date('2017-01-01T01:29:09.123Z'), timezone: 'America/New_York' } },
    { year: 2016, month: 12, day: 31, hour: 20, minute: 29, second: 9, millisecond: 123 },
  ],
  [{ $dateToParts: { date: null } }, null],
  [{ $dateToParts: { date: moment, iso8601: null } }, null],
  [{ $dateToParts: { date: moment, timezone: null } }, null],
  [{ $dateToParts: { date: moment, iso8601: 1 } }, refused(40521, 'iso8601 must evaluate to a bool, found int')],
  [{ $dateToParts: { timezone: 'UTC' } }, refused(40522, `Missing 'date' parameter to $dateToParts`)],
  [{ $dateToParts: { date: 'x' } }, refused(16006, `can't convert from BSON type string to Date`)],
  [{ $dateToParts: 5 }, refused(40524, '$dateToParts only supports an object as its argument')],
  [{ $dateToParts: { date: moment, k: 1 } }, refused(40520, 'Unrecognized argument to $dateToParts: k')],
]);

const stringed = date('2014-01-01T08:15:39.736Z');

check('$dateToString', [
  [{ $dateToString: { date: stringed } }, '2014-01-01T08:15:39.736Z'],
  [{ $dateToString: { date: stringed, timezone: 'America/New_York' } }, '2014-01-01T03:15:39.736'],
  [{ $dateToString: { format: '%Y-%m-%d', date: stringed } }, '2014-01-01'],
  [{ $dateToString: { format: '%H:%M:%S:%L%z', date: stringed, timezone: 'America/New_York' } }, '03:15:39:736-0500'],
  [{ $dateToString: { format: '%H:%M:%S:%L%z', date: stringed, timezone: '+04:30' } }, '12:45:39:736+0430'],
  [{ $dateToString: { format: 'minutes: %Z %Z', date: stringed, timezone: '+04:45' } }, 'minutes: 285 285'],
  [{ $dateToString: { format: '%Z', date: stringed, timezone: 'America/New_York' } }, '-300'],
  [{ $dateToString: { format: '%j %u %w %U %V %G', date: stringed } }, '001 3 4 00 01 2014'],
  [{ $dateToString: { format: '%b %B %d%%', date: stringed } }, 'Jan January 01%'],
  [{ $dateToString: { format: '', date: stringed } }, ''],
  [{ $dateToString: { date: null, onNull: 'none' } }, 'none'],
  [{ $dateToString: { date: '$missing' } }, null],
  [{ $dateToString: { date: stringed, format: null } }, null],
  [{ $dateToString: { date: stringed, timezone: null } }, null],
  [{ $dateToString: { date: oid(0), format: '%Y' } }, '1970'],
  [{ $dateToString: { date: stringed, format: '%' } }, refused(18535, `Unmatched '%' at end of format string`)],
  [
    { $dateToString: { date: stringed, format: '%n' } },
    refused(18536, `Invalid format character '%n' in format string`),
  ],
  [
    { $dateToString: { date: stringed, format: 5 } },
    refused(18533, `$dateToString requires that 'format' be a string, found: int with value 5`),
  ],
  [
    { $dateToString: { date: new DateValue(253402300800000) } },
    refused(18537, '$dateToString is only defined on year 0-9999'),
  ],
  [{ $dateToString: { format: '%Y' } }, refused(18628, `Missing 'date' parameter to $dateToString`)],
  [{ $dateToString: 5 }, refused(18629, '$dateToString only supports an object as its argument')],
  [{ $dateToString: { date: stringed, k: 1 } }, refused(18534, 'Unrecognized argument to $dateToString: k')],
]);

const parse = (dateString: string, rest: { readonly timezone?: string; readonly format?: string } = {}): never =>
  ({ $dateFromString: { dateString, ...rest } }) as never;

check('$dateFromString', [
  [parse('2017-02-08T12:10:40.787'), date('2017-02-08T12:10:40.787Z')],
  [parse('2017-02-08T12:10:40.787', { timezone: 'America/New_York' }), date('2017-02-08T17:10:40.787Z')],
  [parse('2017-02-08'), date('2017-02-08T00:00:00Z')],
  [parse('06-15-2018', { format: '%m-%d-%Y' }), date('2018-06-15T00:00:00Z')],
  [parse('15-06-2018', { format: '%d-%m-%Y' }), date('2018-06-15T00:00:00Z')],
  [parse('2017-07-04T11:23:00Z'), date('2017-07-04T11:23:00Z')],
  [parse('2017-07-04T11:23:00-0400'), date('2017-07-04T15:23:00Z')],
  [parse('2017-07-04 11:23:00 +02:00'), date('2017-07-04T09:23:00Z')],
  [parse('2017-07-04T11:23:00 EST'), date('2017-07-04T16:23:00Z')],
  [parse('20170704T112300Z'), date('2017-07-04T11:23:00Z')],
  [parse('July 4th, 2017'), date('2017-07-04T00:00:00Z')],
  [parse('4 Jul 2017 11:23pm'), date('2017-07-04T23:23:00Z')],
  [parse('07/04/2017'), date('2017-07-04T00:00:00Z')],
  [parse('2017/07/04 11:23'), date('2017-07-04T11:23:00Z')],
  [parse('2017-W27-2'), date('2017-07-04T00:00:00Z')],
  [parse('Tue, 04 Jul 2017 11:23:00 GMT'), date('2017-07-04T11:23:00Z')],
  [parse('2017-07-04T11:23:00.5Z'), date('2017-07-04T11:23:00.500Z')],
  [parse('1970 Jan 01', { format: '%Y %b %d' }), date('1970-01-01T00:00:00Z')],
  [parse('04 July 2017', { format: '%d %B %Y' }), date('2017-07-04T00:00:00Z')],
  [parse('2017 185', { format: '%Y %j' }), date('2017-07-04T00:00:00Z')],
  [parse('2017 27 2', { format: '%G %V %u' }), date('2017-07-04T00:00:00Z')],
  [parse('2017-07-04 11:23:45.678 +0200', { format: '%Y-%m-%d %H:%M:%S.%L %z' }), date('2017-07-04T09:23:45.678Z')],
  [parse('2017-07-04 +120', { format: '%Y-%m-%d %Z' }), date('2017-07-03T22:00:00Z')],
  [parse('100%2017-01-01', { format: '100%%%Y-%m-%d' }), date('2017-01-01T00:00:00Z')],
  [{ $dateFromString: { dateString: null, onNull: 'none' } }, 'none'],
  [{ $dateFromString: { dateString: '$missing' } }, null],
  [{ $dateFromString: { dateString: '2017-01-01', timezone: null } }, null],
  [{ $dateFromString: { dateString: '2017-01-01', format: null } }, null],
  [{ $dateFromString: { dateString: 'nonsense', onError: 'bad' } }, 'bad'],
  // Only leap years have a 29th of February.
  [{ $dateFromString: { dateString: '2020-02-29', onError: 'bad' } }, date('2020-02-29T00:00:00Z')],
  [{ $dateFromString: { dateString: '2021-02-29T10:00:00Z', onError: 'bad' } }, 'bad'],
  [{ $dateFromString: { dateString: '31/04/2020', format: '%d/%m/%Y', onError: 'bad' } }, 'bad'],
  [{ $dateFromString: { dateString: '2020-02-30' } }, refused(241, /The parsed date was invalid/)],
  [{ $dateFromString: { dateString: 5, onError: 'bad' } }, 'bad'],
  [parse('nonsense'), refused(241, `Error parsing date string 'nonsense'; 0: Unexpected character 'n'`)],
  [parse('2017-13-40'), refused(241, /^Error parsing date string '2017-13-40'/)],
  [
    parse('2017-07-04T11:23:00 Europe/London'),
    refused(241, /passing a time zone identifier as part of the string is not allowed/),
  ],
  [parse('2017-07-04T11:23:00Z', { timezone: 'Europe/London' }), refused(241, /together with a timezone argument$/)],
  [
    parse('2017-07-04T11:23:00+02:00', { timezone: 'Europe/London' }),
    refused(241, 'you cannot pass in a date/time string with GMT offset together with a timezone argument'),
  ],
  [
    parse('2017', { format: '%Y' }),
    refused(241, 'an incomplete date/time string has been found, with elements missing: "2017"'),
  ],
  [parse('2017-1-1', { format: '%Y-%m-%d' }), date('2017-01-01T00:00:00Z')],
  [parse('4/26/1992:+0445', { format: '%m/%d/%Y:%z' }), date('1992-04-25T19:15:00Z')],
  [parse('4/26/1992:+285', { format: '%m/%d/%Y:%Z' }), date('1992-04-25T19:15:00Z')],
  [parse('2017, Week 53', { format: '%G, Week %V' }), date('2018-01-01T00:00:00Z')],
  [parse('1.1.1', { format: '%V.%u.%G' }), date('0001-01-01T00:00:00Z')],
  [parse('2017-07-04T11:56.02'), date('2017-07-04T11:56:02Z')],
  [parse('2017-07-04T11:56.02.813', { timezone: 'Europe/London' }), date('2017-07-04T10:56:02.813Z')],
  [parse('2017-07-04T11:56.02.81', { format: '%Y-%m-%dT%H:%M.%S.%L' }), date('2017-07-04T11:56:02.810Z')],
  [parse('July 4th, 2017 11am'), date('2017-07-04T11:00:00Z')],
  [parse('July 4th, 2017 12pm'), date('2017-07-04T12:00:00Z')],
  [parse('7/4/17'), date('2017-07-04T00:00:00Z')],
  [parse('7/4/70'), date('1970-07-04T00:00:00Z')],
  [parse('2017-Jul-04 noon'), date('2017-07-04T12:00:00Z')],
  [parse('2017-Jul-04 midnight'), date('2017-07-04T00:00:00Z')],
  ...(
    [
      ['GMT', '12:02'],
      ['GMT+02', '10:02'],
      ['GMT+02:00', '10:02'],
      ['UTC', '12:02'],
      ['CEST', '10:02'],
      ['EST', '17:02'],
      ['A', '11:02'],
      ['L', '01:02'],
      ['P', '15:02'],
      ['Z', '12:02'],
    ] as const
  ).flatMap(([zone, time]): ExpressionCase[] => {
    const wanted = date(`2017-07-14T${time}:44.771Z`);
    return [
      [parse(`2017-07-14T12:02:44.771 ${zone}`), wanted],
      [parse(`2017-07-14T12:02:44.771 ${zone}`, { format: '%Y-%m-%dT%H:%M:%S.%L%z' }), wanted],
    ];
  }),
  [parse('2017-07-14T12:02:44.771 J'), refused(241, /Unexpected character/)],
  ...['July 4th', '12:50:53'].map((text): ExpressionCase => [
    parse(text),
    refused(241, `an incomplete date/time string has been found, with elements missing: "${text}"`),
  ]),
  [parse('2017, 12:50:53'), refused(241, /^Error parsing date string '2017, 12:50:53'/)],
  [parse('60.Monday1770/06:59'), refused(241, /^Error parsing date string/)],
  [
    parse('2024-01', { format: '%Y-%m-%d' }),
    refused(241, "Error parsing date string '2024-01'; 7: Not enough data available to satisfy format ''"),
  ],
  [
    parse('abc', { format: '%Y' }),
    refused(
      241,
      "Error parsing date string 'abc'; 0: Unexpected data found. 'a'; 0: A four digit year could not be found 'a'",
    ),
  ],
  [
    parse('1992-26-04', { format: 'Y-d-m' }),
    refused(241, /^Error parsing date string '1992-26-04'; 0: Format literal not found '1'/),
  ],
  [
    parse('2024-01-15 EST', { format: '%Y-%m-%d %Z' }),
    refused(
      241,
      "Error parsing date string '2024-01-15 EST'; 11: Invalid timezone offset in minutes 'E'; 11: Trailing data 'E'",
    ),
  ],
  [
    parse('2024-01-15 Europe/Dublin', { format: '%Y-%m-%d %z' }),
    refused(
      241,
      "Error parsing date string '2024-01-15 Europe/Dublin'; 11: passing a time zone identifier as part of the string is not allowed 'E'",
    ),
  ],
  [
    parse('2024 2024-W01-1', { format: '%Y %G-W%V-%u' }),
    refused(
      241,
      "Error parsing date string '2024 2024-W01-1'; 15: Mixing of ISO dates with natural dates is not allowed ''; 15: Mixing of ISO dates with natural dates is not allowed ''",
    ),
  ],
  [parse('12/31/2018', { format: '%m/%d/%G' }), refused(241, /Mixing of ISO dates with natural dates/)],
  [parse('ISO Day 6', { format: 'ISO Day %u' }), refused(241, /The parsed date was invalid/)],
  [parse('ISO Week 52', { format: 'ISO Week %V' }), refused(241, /The parsed date was invalid/)],
  [parse('2018 54', { format: '%G %V' }), refused(241, /ISO Week must be between 1 and 53/)],
  [parse('2018 9', { format: '%G %u' }), refused(241, /Day of week must be between 1 and 7/)],
  [parse('11:5', { format: '%H:%M' }), refused(241, /3: A two digit minute could not be found '5'/)],
  [parse('Foo 2018', { format: '%b %Y' }), refused(241, /0: A textual month could not be found 'F'/)],
  [parse('12/31\0/2018', { format: '%m/%d/%Y' }), refused(241, /Not enough data available to satisfy format/)],
  [parse('12/31/2018', { format: '%m/%d\0/%Y' }), refused(241, /Trailing data/)],
  [parse('2017-01-01x', { format: '%Y-%m-%d' }), refused(241, /Trailing data/)],
  [parse('2017-01-01', { format: '%U' }), refused(18536, `Invalid format character '%U' in format string`)],
  [
    { $dateFromString: { dateString: 5 } },
    refused(241, `$dateFromString requires that 'dateString' be a string, found: int with value 5`),
  ],
  [
    { $dateFromString: { dateString: 'x', format: 5 } },
    refused(40684, `$dateFromString requires that 'format' be a string, found: int with value 5`),
  ],
  [{ $dateFromString: 5 }, refused(40540, '$dateFromString only supports an object as an argument, found: int')],
  [{ $dateFromString: { k: 1 } }, refused(40541, 'Unrecognized argument to $dateFromString: k')],
  [{ $dateFromString: { format: '%Y' } }, refused(40542, `Missing 'dateString' parameter to $dateFromString`)],
]);

const add = (startDate: string, unit: string, amount: number, timezone?: string): never =>
  ({
    $dateAdd: { startDate: date(startDate), unit, amount, ...(timezone === undefined ? {} : { timezone }) },
  }) as never;

check('$dateAdd, $dateSubtract', [
  [add('2020-10-31T12:10:05Z', 'month', 1), date('2020-11-30T12:10:05Z')],
  [add('2020-01-31T00:00:00Z', 'month', 1), date('2020-02-29T00:00:00Z')],
  [add('2020-02-29T00:00:00Z', 'year', 1), date('2021-02-28T00:00:00Z')],
  [add('2020-11-30T00:00:00Z', 'quarter', 1), date('2021-02-28T00:00:00Z')],
  [add('2020-12-31T00:00:00Z', 'month', -13), date('2019-11-30T00:00:00Z')],
  [add('2020-12-31T00:00:00Z', 'week', 2), date('2021-01-14T00:00:00Z')],
  [add('2020-12-31T12:10:05Z', 'day', 3), date('2021-01-03T12:10:05Z')],
  [add('2020-12-31T12:10:05Z', 'hour', 24), date('2021-01-01T12:10:05Z')],
  [add('2020-12-31T12:10:05Z', 'minute', -11), date('2020-12-31T11:59:05Z')],
  [add('2020-12-31T12:10:05Z', 'second', 55), date('2020-12-31T12:11:00Z')],
  [add('2020-12-31T12:10:05Z', 'millisecond', 1), date('2020-12-31T12:10:05.001Z')],
  // "day or greater: the computation is adjusted for daylight saving; hour and less is not"
  [add('2021-03-27T12:00:00Z', 'day', 1, 'Europe/Paris'), date('2021-03-28T11:00:00Z')],
  [add('2021-03-27T12:00:00Z', 'hour', 24, 'Europe/Paris'), date('2021-03-28T12:00:00Z')],
  [add('2021-10-30T12:00:00Z', 'month', 1, 'America/New_York'), date('2021-11-30T13:00:00Z')],
  [{ $dateAdd: { startDate: null, unit: 'day', amount: 1 } }, null],
  [{ $dateAdd: { startDate: moment, unit: null, amount: 1 } }, null],
  [{ $dateAdd: { startDate: moment, unit: 'day', amount: '$missing' } }, null],
  [{ $dateAdd: { startDate: moment, unit: 'day', amount: double(1) } }, date('2017-01-02T11:15:37.908Z')],
  [
    { $dateSubtract: { startDate: date('2021-01-31T00:00:00Z'), unit: 'month', amount: 2 } },
    date('2020-11-30T00:00:00Z'),
  ],
  [
    { $dateSubtract: { startDate: date('2021-01-31T00:00:00Z'), unit: 'day', amount: 31n } },
    date('2020-12-31T00:00:00Z'),
  ],
  [
    { $dateAdd: { startDate: 'x', unit: 'day', amount: 1 } },
    refused(5166403, '$dateAdd requires startDate to be convertible to a date'),
  ],
  [
    { $dateAdd: { startDate: moment, unit: 'day', amount: 1.5 } },
    refused(5166405, '$dateAdd expects integer amount of time units'),
  ],
  [
    { $dateAdd: { startDate: moment, unit: 5, amount: 1 } },
    refused(5439013, `$dateAdd requires 'unit' to be a string, but got int`),
  ],
  [
    { $dateAdd: { startDate: moment, unit: 'eon', amount: 1 } },
    refused(9, `$dateAdd parameter 'unit' value parsing failed :: caused by :: unknown time unit value: eon`),
  ],
  [
    { $dateAdd: { startDate: moment, unit: 'year', amount: 600000000 } },
    refused(5976500, `invalid dateAdd 'amount' parameter value: 600000000 year`),
  ],
  [
    { $dateSubtract: { startDate: moment, unit: 'day', amount: -9223372036854775808n } },
    refused(6045000, `invalid $dateSubtract 'amount' parameter value: -9223372036854775808`),
  ],
  [{ $dateAdd: 5 }, refused(5166400, '$dateAdd expects an object as its argument')],
  [
    { $dateSubtract: { k: 1 } },
    refused(
      5166401,
      'Unrecognized argument to $dateSubtract: k. Expected arguments are startDate, unit, amount, and optionally timezone.',
    ),
  ],
  [
    { $dateAdd: { startDate: moment, unit: 'day' } },
    refused(5166402, '$dateAdd requires startDate, unit, and amount to be present'),
  ],
]);

const diff = (
  startDate: string,
  endDate: string,
  unit: string,
  rest: { readonly timezone?: string; readonly startOfWeek?: string } = {},
): never => ({ $dateDiff: { startDate: date(startDate), endDate: date(endDate), unit, ...rest } }) as never;

check('$dateDiff: "counts the boundaries of the unit that are crossed"', [
  [diff('2021-01-01', '2021-12-31', 'year'), 0n],
  [diff('2020-12-31', '2021-01-01', 'year'), 1n],
  [diff('2021-03-31', '2021-04-01', 'quarter'), 1n],
  [diff('2021-04-30', '2021-05-01', 'month'), 1n],
  [diff('2021-05-01', '2021-04-30', 'month'), -1n],
  [diff('2021-01-20', '2021-01-25', 'week'), 1n],
  [diff('2021-01-24', '2021-01-25', 'week', { startOfWeek: 'Monday' }), 1n],
  [diff('2021-01-24', '2021-01-25', 'week', { startOfWeek: 'sun' }), 0n],
  [diff('2020-11-01T18:23:00Z', '2020-11-02T00:00:00Z', 'day'), 1n],
  [diff('2020-11-01T18:59:59Z', '2020-11-01T19:00:00Z', 'hour'), 1n],
  [diff('2020-11-01T18:23:59Z', '2020-11-01T18:24:00Z', 'minute'), 1n],
  [diff('2020-11-01T18:23:59.999Z', '2020-11-01T18:24:00Z', 'second'), 1n],
  [diff('2020-11-01T18:23:59.999Z', '2020-11-01T18:24:00Z', 'millisecond'), 1n],
  [diff('2020-11-01T03:00:00Z', '2020-11-01T05:00:00Z', 'day', { timezone: 'America/New_York' }), 1n],
  // 25 hours between two noons when the clocks go back.
  [diff('2020-10-31T16:00:00Z', '2020-11-01T17:00:00Z', 'hour', { timezone: 'America/New_York' }), 25n],
  [diff('2020-10-31T16:00:00Z', '2020-11-01T17:00:00Z', 'day', { timezone: 'America/New_York' }), 1n],
  [{ $dateDiff: { startDate: null, endDate: moment, unit: 'day' } }, null],
  [{ $dateDiff: { startDate: moment, endDate: moment, unit: 'week', startOfWeek: null } }, null],
  [{ $dateDiff: { startDate: moment, endDate: moment, unit: 'day', startOfWeek: null } }, 0n],
  [
    { $dateDiff: { startDate: 'x', endDate: moment, unit: 'day' } },
    refused(5166307, `$dateDiff requires 'startDate' to be a date, but got string`),
  ],
  [
    { $dateDiff: { startDate: moment, endDate: 5, unit: 'day' } },
    refused(5166307, `$dateDiff requires 'endDate' to be a date, but got int`),
  ],
  [
    diff('2021-01-24', '2021-01-25', 'week', { startOfWeek: 'someday' }),
    refused(5439016, `$dateDiff parameter 'startOfWeek' value cannot be recognized as a day of a week: someday`),
  ],
  [
    { $dateDiff: { startDate: moment, endDate: moment, unit: 'week', startOfWeek: 5 } },
    refused(5439015, `$dateDiff requires 'startOfWeek' to be a string, but got int`),
  ],
  [
    diff('2021-01-24', '2021-01-25', 'day', { timezone: 'Nowhere' }),
    refused(
      40485,
      `$dateDiff parameter 'timezone' value parsing failed :: caused by :: unrecognized time zone identifier: "Nowhere"`,
    ),
  ],
  [{ $dateDiff: 5 }, refused(5166301, '$dateDiff only supports an object as its argument')],
  [{ $dateDiff: { k: 1 } }, refused(5166302, 'Unrecognized argument to $dateDiff: k')],
  [{ $dateDiff: { endDate: 1, unit: 'day' } }, refused(5166303, `Missing 'startDate' parameter to $dateDiff`)],
  [{ $dateDiff: { startDate: 1, unit: 'day' } }, refused(5166304, `Missing 'endDate' parameter to $dateDiff`)],
  [{ $dateDiff: { startDate: 1, endDate: 1 } }, refused(5166305, `Missing 'unit' parameter to $dateDiff`)],
]);

const trunc = (
  of: string,
  unit: string,
  rest: { readonly binSize?: number; readonly timezone?: string; readonly startOfWeek?: string } = {},
): never => ({ $dateTrunc: { date: date(of), unit, ...rest } }) as never;

check('$dateTrunc', [
  [trunc('2021-03-20T11:30:05.123Z', 'year'), date('2021-01-01T00:00:00Z')],
  [trunc('2021-03-20T11:30:05.123Z', 'quarter'), date('2021-01-01T00:00:00Z')],
  [trunc('2021-03-20T11:30:05.123Z', 'month'), date('2021-03-01T00:00:00Z')],
  [trunc('2021-03-20T11:30:05Z', 'month', { binSize: 2 }), date('2021-03-01T00:00:00Z')],
  [trunc('2021-03-20T11:30:05Z', 'week'), date('2021-03-14T00:00:00Z')],
  [
    trunc('2021-03-20T11:30:05Z', 'week', { binSize: 2, timezone: 'America/Los_Angeles', startOfWeek: 'Monday' }),
    date('2021-03-15T07:00:00Z'),
  ],
  [trunc('2021-03-20T11:30:05Z', 'day'), date('2021-03-20T00:00:00Z')],
  [trunc('2021-03-20T03:30:05Z', 'day', { timezone: 'America/New_York' }), date('2021-03-19T04:00:00Z')],
  [trunc('2021-03-20T11:30:05Z', 'hour'), date('2021-03-20T11:00:00Z')],
  [trunc('2021-03-20T11:30:05Z', 'hour', { binSize: 6 }), date('2021-03-20T06:00:00Z')],
  [trunc('2021-03-20T11:33:05Z', 'minute', { binSize: 15 }), date('2021-03-20T11:30:00Z')],
  [trunc('2021-03-20T11:33:05.9Z', 'second'), date('2021-03-20T11:33:05Z')],
  [trunc('2021-03-20T11:33:05.987Z', 'millisecond', { binSize: 100 }), date('2021-03-20T11:33:05.900Z')],
  [trunc('1999-12-31T23:00:00Z', 'day', { binSize: 2 }), date('1999-12-30T00:00:00Z')],
  [trunc('1999-12-31T23:00:00Z', 'year', { binSize: 10 }), date('1990-01-01T00:00:00Z')],
  [{ $dateTrunc: { date: null, unit: 'day' } }, null],
  [{ $dateTrunc: { date: moment, unit: '$missing' } }, null],
  [{ $dateTrunc: { date: moment, unit: 'day', binSize: null } }, null],
  [{ $dateTrunc: { date: 5, unit: 'day' } }, refused(5166307, `$dateTrunc requires 'date' to be a date, but got int`)],
  [
    { $dateTrunc: { date: moment, unit: 'day', binSize: 1.5 } },
    refused(5439017, `$dateTrunc requires 'binSize' to be a 64-bit integer, but got value '1.5' of type double`),
  ],
  [
    { $dateTrunc: { date: moment, unit: 'day', binSize: 0 } },
    refused(5439018, `$dateTrunc requires 'binSize' to be greater than 0, but got value 0`),
  ],
  [
    { $dateTrunc: { date: moment, unit: 'day', binSize: 100000000001n } },
    refused(5439006, 'dateTrunc unsupported binSize value'),
  ],
  [
    { $dateTrunc: { date: moment, unit: 'hour', binSize: 9223372036854775807n } },
    refused(5439002, 'dateTrunc overflowed'),
  ],
  [{ $dateTrunc: 5 }, refused(5439007, '$dateTrunc only supports an object as its argument')],
  [
    { $dateTrunc: { k: 1 } },
    refused(
      5439008,
      'Unrecognized argument to $dateTrunc: k. Expected arguments are date, unit, and optionally, binSize, timezone, startOfWeek',
    ),
  ],
  [{ $dateTrunc: { unit: 'day' } }, refused(5439009, `Missing 'date' parameter to $dateTrunc`)],
  [{ $dateTrunc: { date: moment } }, refused(5439010, `Missing 'unit' parameter to $dateTrunc`)],
]);

const anyMoment = fc.integer({ min: Date.parse('1000-01-01'), max: Date.parse('9000-01-01') });
const anyZone = fc.constantFrom(
  'UTC',
  '+05:45',
  '-0930',
  'America/New_York',
  'Europe/Paris',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
);

test('$dateFromParts reverses $dateToParts, except for local times that occur twice', () => {
  fc.assert(
    fc.property(anyMoment, anyZone, fc.boolean(), (ms, timezone, iso8601) => {
      const parts = evaluate({ $dateToParts: { date: new DateValue(ms), timezone, iso8601 } });
      const back = evaluate({ $dateFromParts: partsOf(iso8601, timezone) }, { parts: parts! });
      const difference = ms - (back as DateValue).ms;
      expect([0, 1_800_000, 3_600_000]).toContain(difference);
    }),
  );
});

const partsOf = (iso8601: boolean, timezone: string): { readonly [key: string]: string } => {
  const fields = [
    ...(iso8601 ? ['isoWeekYear', 'isoWeek', 'isoDayOfWeek'] : ['year', 'month', 'day']),
    'hour',
    'minute',
    'second',
    'millisecond',
  ];
  return { ...Object.fromEntries(fields.map(field => [field, `$parts.${field}`])), timezone };
};

test('$dateFromString parses the output of $dateToString to the millisecond', () => {
  fc.assert(
    fc.property(anyMoment, ms => {
      const wanted = text(new DateValue(ms));
      expect(text(evaluate({ $dateFromString: { dateString: { $dateToString: { date: new DateValue(ms) } } } }))).toBe(
        wanted,
      );
      const format = '%Y/%j %H.%M.%S.%L %z';
      const dateString = { $dateToString: { date: new DateValue(ms), format, timezone: '-03:30' } };
      expect(text(evaluate({ $dateFromString: { dateString, format } }))).toBe(wanted);
    }),
  );
});

test("the calendar agrees with ECMAScript's, and each ISO week contains its Thursday", () => {
  fc.assert(
    fc.property(anyMoment, ms => {
      const host = new Date(ms);
      const found = evaluate(
        [{ $year: '$d' }, { $month: '$d' }, { $dayOfMonth: '$d' }, { $dayOfWeek: '$d' }, { $hour: '$d' }],
        { d: new DateValue(ms) },
      );
      expect(found).toEqual([
        host.getUTCFullYear(),
        host.getUTCMonth() + 1,
        host.getUTCDate(),
        host.getUTCDay() + 1,
        host.getUTCHours(),
      ]);
      const thursday = {
        $dateFromParts: { isoWeekYear: { $isoWeekYear: '$d' }, isoWeek: { $isoWeek: '$d' }, isoDayOfWeek: 4 },
      };
      expect(evaluate({ $eq: [{ $year: thursday }, { $isoWeekYear: '$d' }] }, { d: new DateValue(ms) })).toBe(true);
    }),
  );
});

test('$dateDiff returns the amount that $dateAdd added, for whole months from the first of a month', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 28 }),
      fc.integer({ min: -600, max: 600 }),
      anyZone,
      (day, months, timezone) => {
        const startDate = { $dateFromParts: { year: 2000, month: 6, day, hour: 12, timezone } };
        const endDate = { $dateAdd: { startDate, unit: 'month', amount: months, timezone } };
        expect(evaluate({ $dateDiff: { startDate, endDate, unit: 'month', timezone } })).toBe(BigInt(months));
      },
    ),
  );
});

test('$dateTrunc returns a date at most one unit before the given date', () => {
  fc.assert(
    fc.property(anyMoment, fc.constantFrom('month', 'week', 'day', 'hour', 'minute'), anyZone, (ms, unit, timezone) => {
      const start = { $dateTrunc: { date: new DateValue(ms), unit, timezone } };
      const next = { $dateAdd: { startDate: start, unit, amount: 1, timezone } };
      expect(evaluate({ $lte: [start, new DateValue(ms)] })).toBe(true);
      expect(evaluate({ $gt: [next, new DateValue(ms)] })).toBe(true);
    }),
  );
});
