/** The classes of read concerns, write concerns and read preferences. */
import { MongoInvalidArgumentError, ReadConcern, ReadPreference, WriteConcern } from '@tessera/client';
import { describe, expect, test } from 'vitest';

describe('Read and Write Concern: a read concern', () => {
  test('is created from options with a read concern or its level, and is undefined without them', () => {
    const own = new ReadConcern('majority');
    expect([
      ReadConcern.fromOptions({ readConcern: 'local' }),
      ReadConcern.fromOptions({ readConcern: { level: 'available' } }),
      ReadConcern.fromOptions({ readConcernLevel: 'snapshot' }),
      ReadConcern.fromOptions({ level: 'linearizable' }),
      ReadConcern.fromOptions({ readConcern: 'local', readConcernLevel: 'snapshot', level: 'majority' }),
      ReadConcern.fromOptions({ readConcernLevel: 'snapshot', level: 'majority' }),
    ]).toEqual(
      ['local', 'available', 'snapshot', 'linearizable', 'local', 'snapshot'].map(level => new ReadConcern(level)),
    );
    expect(ReadConcern.fromOptions({ readConcern: own })).toBe(own);
    expect([
      ReadConcern.fromOptions(),
      ReadConcern.fromOptions({}),
      ReadConcern.fromOptions({ readConcern: {} }),
    ]).toEqual([undefined, undefined, undefined]);
  });

  test('has the form that commands send, and constants for its levels', () => {
    expect(new ReadConcern('majority').toJSON()).toEqual({ level: 'majority' });
    const { MAJORITY, AVAILABLE, LINEARIZABLE, SNAPSHOT } = ReadConcern;
    expect([MAJORITY, AVAILABLE, LINEARIZABLE, SNAPSHOT]).toEqual([
      ...['majority', 'available', 'linearizable', 'snapshot'],
    ]);
  });
});

describe('Read and Write Concern: a write concern', () => {
  test('is created from a number, a name, its fields, deprecated field names, or another write concern', () => {
    const own = new WriteConcern(2);
    expect([
      WriteConcern.fromOptions(1),
      WriteConcern.fromOptions('east'),
      WriteConcern.fromOptions({ w: 'majority', wtimeoutMS: 5, journal: true }),
      WriteConcern.fromOptions({ w: 1, wtimeout: 6, j: false }),
      WriteConcern.fromOptions({ wtimeoutMS: 5, wtimeout: 6, journal: true, j: false }),
      WriteConcern.fromOptions({ wtimeout: 0 }),
      WriteConcern.fromOptions({ j: true }),
      WriteConcern.fromOptions({ w: 1, writeConcern: { w: 3 } }),
      WriteConcern.fromOptions({ writeConcern: 'majority' }),
    ]).toEqual([
      new WriteConcern(1),
      new WriteConcern('east'),
      new WriteConcern('majority', 5, true),
      new WriteConcern(1, 6, false),
      new WriteConcern(undefined, 5, true),
      new WriteConcern(undefined, 0),
      new WriteConcern(undefined, undefined, true),
      new WriteConcern(3),
      new WriteConcern('majority'),
    ]);
    expect([WriteConcern.fromOptions(own), WriteConcern.fromOptions({ writeConcern: own })]).toEqual([own, own]);
    expect(WriteConcern.fromOptions(own)).toBe(own);
    expect([undefined, null, {}].map(options => WriteConcern.fromOptions(options))).toEqual([
      ...[undefined, undefined, undefined],
    ]);
  });

  test('has the form that commands send, without fields that were not set', () => {
    expect([
      new WriteConcern('majority', 5, true).toDocument(),
      new WriteConcern(0, 0, false).toDocument(),
      new WriteConcern(undefined, undefined, true).toDocument(),
      new WriteConcern().toDocument(),
    ]).toStrictEqual([
      { w: 'majority', wtimeout: 5, j: true },
      { w: 0, wtimeout: 0, j: false },
      { j: true },
      undefined,
    ]);
  });

  test('is added to a command, as {} if it has no fields', () => {
    const command = { ping: 1 };
    expect(WriteConcern.apply(command, new WriteConcern(1))).toBe(command);
    expect(command).toEqual({ ping: 1, writeConcern: { w: 1 } });
    expect(WriteConcern.apply({ ping: 1 }, new WriteConcern())).toEqual({ ping: 1, writeConcern: {} });
  });

  test('has only the fields that are set', () => {
    const concerns = [new WriteConcern(1), new WriteConcern(undefined, 5), new WriteConcern('majority', 5, true)];
    expect(concerns.map(each => Object.keys(each))).toEqual([['w'], ['wtimeoutMS'], ['w', 'wtimeoutMS', 'journal']]);
  });

  test('has its fields under deprecated names, too', () => {
    const { w, wtimeoutMS, wtimeout, journal, j } = new WriteConcern(1, 5, true);
    expect([w, wtimeoutMS, wtimeout, journal, j]).toEqual([1, 5, 5, true, true]);
  });

  test.each<readonly [sentence: string, make: () => WriteConcern]>([
    [
      'The write concern { w: 0, j: true } is contradictory. Remove one of the two fields.',
      () => new WriteConcern(0, 1, true),
    ],
    ['"w" must be an integer of at least 0 or a string, but is -1.', () => new WriteConcern(-1)],
    ['"w" must be an integer of at least 0 or a string, but is 1.5.', () => new WriteConcern(1.5)],
    ['"w" must be an integer of at least 0 or a string, but is NaN.', () => new WriteConcern(NaN)],
    ['"wtimeoutMS" must be at least 0, where 0 means no limit, but is -1.', () => new WriteConcern(1, -1)],
    ['"wtimeoutMS" must be at least 0, where 0 means no limit, but is NaN.', () => new WriteConcern(1, NaN)],
  ])('is rejected: %s', (sentence, make) => {
    expect(make).toThrow(new MongoInvalidArgumentError(sentence));
    expect(make).toThrow(MongoInvalidArgumentError);
  });

  test.each<readonly [w: number | string, journal: boolean | undefined]>([
    [0, false],
    [0, undefined],
    [1, true],
    ['majority', true],
  ])('with w %j and journal %j is accepted', (w, journal) => {
    const concern = new WriteConcern(w, undefined, journal);
    expect([concern.w, concern.journal]).toEqual([w, journal]);
  });
});

describe('Server Selection: a read preference', () => {
  const tags = [{ dc: 'east' }, {}];

  test('has its mode, tags, maxStalenessSeconds and hedge, in each form of the constructor', () => {
    const hedge = { enabled: true };
    const options = { maxStalenessSeconds: 120, hedge };
    expect([
      new ReadPreference('secondary', tags, options),
      new ReadPreference('secondary', tags),
      new ReadPreference('secondary', options),
      new ReadPreference('secondary', undefined, options),
      new ReadPreference('secondary'),
    ]).toEqual([
      { mode: 'secondary', tags, ...options },
      { mode: 'secondary', tags, maxStalenessSeconds: undefined, hedge: undefined },
      { mode: 'secondary', tags: undefined, ...options },
      { mode: 'secondary', tags: undefined, ...options },
      { mode: 'secondary', tags: undefined, maxStalenessSeconds: undefined, hedge: undefined },
    ]);
  });

  test('has a constant for each mode, by name and by value', () => {
    const modes = ['primary', 'primaryPreferred', 'secondary', 'secondaryPreferred', 'nearest'] as const;
    const { PRIMARY, PRIMARY_PREFERRED, SECONDARY, SECONDARY_PREFERRED, NEAREST } = ReadPreference;
    expect([PRIMARY, PRIMARY_PREFERRED, SECONDARY, SECONDARY_PREFERRED, NEAREST]).toEqual(modes);
    expect(modes.map(mode => ReadPreference[mode])).toEqual(modes.map(mode => new ReadPreference(mode)));
    expect(modes.map(mode => ReadPreference.fromString(mode))).toEqual(modes.map(mode => new ReadPreference(mode)));
    expect(modes.map(mode => ReadPreference.isValid(mode))).toEqual([true, true, true, true, true]);
    expect(modes.map(mode => new ReadPreference(mode).secondaryOk())).toEqual([false, true, true, true, true]);
  });

  test('returns its mode under a deprecated name, validates modes, and compares with another read preference', () => {
    const { nearest } = ReadPreference;
    expect([nearest.preference, nearest.isValid(), nearest.isValid('primary'), nearest.isValid('first')]).toEqual([
      ...['nearest', true, true, false],
    ]);
    expect([nearest.equals({ mode: 'nearest' }), nearest.equals(ReadPreference.primary)]).toEqual([true, false]);
  });

  test('has a JSON form without fields that were not set', () => {
    expect([
      ReadPreference.primary.toJSON(),
      new ReadPreference('nearest', tags, { maxStalenessSeconds: 120, hedge: { enabled: false } }).toJSON(),
    ]).toStrictEqual([
      { mode: 'primary' },
      { mode: 'nearest', tags, maxStalenessSeconds: 120, hedge: { enabled: false } },
    ]);
  });

  const exclusive =
    'The read preference primary accepts neither "tags" nor "maxStalenessSeconds" nor "hedge", because there is only one primary.';

  test.each<readonly [sentence: string, make: () => ReadPreference]>([
    [
      "Unknown read preference 'first'. Use one of primary, primaryPreferred, secondary, secondaryPreferred, nearest.",
      () => ReadPreference.fromString('first'),
    ],
    [exclusive, () => new ReadPreference('primary', tags)],
    [exclusive, () => new ReadPreference('primary', { maxStalenessSeconds: 120 })],
    [exclusive, () => new ReadPreference('primary', { hedge: { enabled: true } })],
    [
      '"maxStalenessSeconds" must be positive, but is 0.',
      () => new ReadPreference('nearest', { maxStalenessSeconds: 0 }),
    ],
    [
      '"maxStalenessSeconds" must be positive, but is -2.',
      () => new ReadPreference('nearest', { maxStalenessSeconds: -2 }),
    ],
    [
      '"maxStalenessSeconds" must be positive, but is NaN.',
      () => new ReadPreference('nearest', { maxStalenessSeconds: NaN }),
    ],
  ])('is rejected: %s', (sentence, make) => {
    expect(make).toThrow(new MongoInvalidArgumentError(sentence));
    expect(make).toThrow(MongoInvalidArgumentError);
  });

  test('Max Staleness: -1 means no limit, and empty tag sets are accepted with mode primary', () => {
    expect(new ReadPreference('nearest', { maxStalenessSeconds: -1 }).maxStalenessSeconds).toBeUndefined();
    expect(new ReadPreference('primary', { maxStalenessSeconds: -1 }).maxStalenessSeconds).toBeUndefined();
    expect(new ReadPreference('primary', [{}, {}]).tags).toEqual([{}, {}]);
    expect(new ReadPreference('primary', []).tags).toEqual([]);
  });

  test('is created from options: a mode with tags and maxStalenessSeconds, a document, or another read preference', () => {
    const own = new ReadPreference('nearest', tags);
    expect([
      ReadPreference.fromOptions({ readPreference: 'secondary' }),
      ReadPreference.fromOptions({
        ...{ readPreference: 'secondary', readPreferenceTags: tags, maxStalenessSeconds: 120 },
        hedge: { enabled: true },
      }),
      ReadPreference.fromOptions({ readPreference: { mode: 'nearest', tags, maxStalenessSeconds: 90 } }),
      ReadPreference.fromOptions({ readPreference: { mode: 'primary' } }),
    ]).toEqual([
      new ReadPreference('secondary'),
      new ReadPreference('secondary', tags, { maxStalenessSeconds: 120, hedge: { enabled: true } }),
      new ReadPreference('nearest', tags, { maxStalenessSeconds: 90 }),
      new ReadPreference('primary'),
    ]);
    expect(ReadPreference.fromOptions({ readPreference: own })).toBe(own);
    expect([ReadPreference.fromOptions(), ReadPreference.fromOptions({})]).toEqual([undefined, undefined]);
  });

  test('Max Staleness: tags or maxStalenessSeconds without a mode belong to mode primary, which takes none', () => {
    expect(() => ReadPreference.fromOptions({ readPreferenceTags: tags })).toThrow(exclusive);
    expect(() => ReadPreference.fromOptions({ maxStalenessSeconds: 120 })).toThrow(exclusive);
    expect(ReadPreference.fromOptions({ maxStalenessSeconds: -1 })).toEqual(new ReadPreference('primary'));
    expect(ReadPreference.fromOptions({ readPreferenceTags: [{}] })).toEqual(new ReadPreference('primary', [{}]));
  });

  test('replaces its name in options, which remain the same object', () => {
    const options = { readPreference: 'nearest', comment: 'x' } as const;
    const nothing = { comment: 'x' } as object;
    expect(ReadPreference.translate(options)).toBe(options);
    expect(options).toEqual({ readPreference: new ReadPreference('nearest'), comment: 'x' });
    expect(ReadPreference.translate(nothing)).toBe(nothing);
    expect(nothing).toEqual({ comment: 'x' });
  });
});
