'use strict';
const { step, thrownBy } = require('../report.cjs');

module.exports = async mongoose => {
  const { Schema, Types, mongo } = mongoose;
  const schema = new Schema(
    {
      _id: Number,
      map: { type: Map, of: Number },
      maps: { type: Map, of: new Schema({ at: Date, more: { type: Map, of: String } }, { _id: false }) },
      bytes: Buffer,
      price: Schema.Types.Decimal128,
      big: BigInt,
      bigs: [BigInt],
      uuid: Schema.Types.UUID,
      uuids: [Schema.Types.UUID],
      int: Schema.Types.Int32,
      double: Schema.Types.Double,
      id: Schema.Types.ObjectId,
      mixed: Schema.Types.Mixed,
      flag: Boolean,
      day: Date,
      choice:
        Schema.Types.Union === undefined ? Schema.Types.Mixed : { type: Schema.Types.Union, of: [Number, Boolean] },
    },
    { versionKey: false, collection: 'kinds', minimize: false },
  );
  const Kind = mongoose.model('Kind', schema);
  await Kind.init();
  const typesOf = async id => {
    const [{ all }] = await Kind.collection
      .aggregate([
        { $match: { _id: id } },
        {
          $project: {
            all: {
              $arrayToObject: {
                $map: { input: { $objectToArray: '$$ROOT' }, in: { k: '$$this.k', v: { $type: '$$this.v' } } },
              },
            },
          },
        },
      ])
      .toArray();
    return all;
  };
  const u = n => `09190f70-3d30-11e5-8814-0f4df9a59c4${n}`;

  await step('kinds: maps', async () => {
    const doc = await Kind.create({ _id: 1, map: { a: '1' }, maps: { x: { at: '2020-01-01', more: { k: 'v' } } } });
    doc.map.set('b', 2);
    doc.maps.get('x').more.set('l', 'w');
    doc.map.delete('a');
    const paths = doc.modifiedPaths();
    await doc.save();
    const found = await Kind.findById(1);
    await Kind.updateOne({ _id: 1 }, { $set: { 'map.c': '3', 'maps.y.more.z': 'q' }, $unset: { 'map.b': 1 } });
    return [
      paths,
      found.map.constructor.name,
      [...found.map],
      found.maps.get('x').more.get('l'),
      await Kind.findById(1).lean(),
      (await Kind.find({ 'map.c': 3 })).length,
      JSON.stringify(await Kind.findById(1)),
      (await Kind.findById(1)).toObject({ flattenMaps: true }),
      await thrownBy(() => Kind.create({ _id: 2, map: { 'a.b': 1 } })),
      await thrownBy(() => Kind.create({ _id: 2, map: { $x: 1 } })),
    ];
  });
  await step('kinds: buffers', async () => {
    const doc = await Kind.create({ _id: 3, bytes: Buffer.from('abc') });
    doc.bytes.write('x', 1);
    const modified = doc.isModified('bytes');
    await doc.save();
    const found = await Kind.findById(3);
    const lean = await Kind.findById(3).lean();
    found.bytes = new mongo.Binary(Buffer.from('sub'), 5);
    await found.save();
    return [
      modified,
      [found.bytes.constructor.name, found.bytes.toString(), found.bytes._subtype],
      [lean.bytes.constructor.name, lean.bytes.sub_type, lean.bytes.buffer.toString(), lean.bytes.toString('base64')],
      (await Kind.findById(3).lean()).bytes.sub_type,
      (await Kind.find({ bytes: new mongo.Binary(Buffer.from('sub'), 5) })).length,
      (await Kind.find({ bytes: Buffer.from('sub') })).length,
      await thrownBy(() => Kind.create({ _id: 4, bytes: {} })),
      (await Kind.create({ _id: 5, bytes: [1, 2] })).bytes.toString('hex'),
      (await Kind.create({ _id: 6, bytes: 'text' })).bytes.length,
    ];
  });
  await step('kinds: Decimal128', async () => {
    await Kind.create([
      { _id: 10, price: '1.10' },
      { _id: 11, price: 2 },
      { _id: 12, price: Types.Decimal128.fromString('NaN') },
    ]);
    const found = await Kind.find({ _id: { $gte: 10, $lte: 12 } }).sort('_id');
    return [
      found.map(({ price }) => [price.constructor.name, price.toString(), price instanceof Types.Decimal128]),
      (await Kind.find({ price: { $gt: '1.5' } })).length,
      await Kind.aggregate([
        { $match: { _id: { $in: [10, 11] } } },
        { $group: { _id: null, sum: { $sum: '$price' } } },
      ]),
      JSON.stringify(found[0]),
      await Kind.findOneAndUpdate({ _id: 10 }, { $inc: { price: '0.05' } }, { returnDocument: 'after' }).then(
        each => each.price,
      ),
      await thrownBy(() => Kind.create({ _id: 13, price: 'x' })),
    ];
  });
  await step('kinds: BigInt', async () => {
    await Kind.create({ _id: 20, big: 42, bigs: ['1', 2n], mixed: 5n });
    const found = await Kind.findById(20);
    found.big += 2n ** 60n;
    await found.save();
    return [
      [typeof found.big, found.bigs.map(each => typeof each)],
      await typesOf(20),
      (await Kind.findById(20)).big,
      (await Kind.findById(20).lean()).bigs,
      (await Kind.findById(20).lean().setOptions({ useBigInt64: true })).big,
      (await Kind.find({ big: { $gt: 2n ** 59n } })).length,
      (await Kind.find({ big: '1152921504606847018' })).length,
      await thrownBy(() => Kind.create({ _id: 21, big: 2n ** 70n }).then(() => 'created')),
      await thrownBy(() => Kind.create({ _id: 22, big: 1.5 })),
      (await Kind.aggregate([{ $match: { _id: 20 } }, { $project: { big: 1 } }]).option({ useBigInt64: true }))[0].big,
    ].map(each => (typeof each === 'bigint' ? `${each}n` : each));
  });
  await step('kinds: UUID', async () => {
    await Kind.create({ _id: 30, uuid: u(1), uuids: [u(2), new Types.UUID(u(3))] });
    const found = await Kind.findById(30);
    const lean = await Kind.findById(30).lean();
    return [
      [found.uuid.constructor.name, String(found.uuid), found.uuids.map(String)],
      [lean.uuid.constructor.name, lean.uuid.sub_type, lean.uuids[0].constructor.name, lean.uuid.toString()],
      (await Kind.find({ uuid: u(1) })).length,
      (await Kind.find({ uuids: new mongo.UUID(u(3)) })).length,
      (await Kind.find({ uuid: { $in: [u(1), u(9)] } })).length,
      await typesOf(30),
      JSON.stringify(found.toJSON().uuid),
      await thrownBy(() => Kind.create({ _id: 31, uuid: 'x' })),
    ];
  });
  await step('kinds: Int32 and Double', async () => {
    await Kind.create([
      { _id: 40, int: '5', double: '2' },
      { _id: 41, int: -(2 ** 31), double: 1e300 },
    ]);
    const found = await Kind.findById(40);
    return [
      [typeof found.int, found.double.constructor.name, found.double.value],
      await typesOf(40),
      await typesOf(41),
      (await Kind.findById(40).lean()).double,
      (await Kind.find({ double: { $gte: 2 }, int: { $lt: 6 } })).length,
      await thrownBy(() => Kind.create({ _id: 42, int: 2 ** 31 })),
      await thrownBy(() => Kind.create({ _id: 42, double: 'x' })),
      (await Kind.findOneAndUpdate({ _id: 40 }, { $inc: { int: 1, double: 0.5 } }, { returnDocument: 'after' })).double
        .value,
    ];
  });
  await step('kinds: ids, dates, booleans, mixed', async () => {
    const id = '65a1b2c3d4e5f6a7b8c9d0e1';
    await Kind.create({
      _id: 50,
      id,
      flag: 'no',
      day: 0,
      mixed: { a: [new Types.ObjectId(id), /x/i, null], e: {} },
      choice: '5',
    });
    const found = await Kind.findById(50);
    found.mixed = { b: Symbol.iterator in [] };
    await found.save();
    return [
      [found.id.constructor.name, `${found.id}`, found.id.equals(id), found.flag, found.day],
      (await Kind.find({ id: { $in: [id] } })).length,
      (await Kind.find({ day: { $lt: '2000-01-01' } })).length,
      (await Kind.findById(50).lean()).mixed,
      await typesOf(50),
      await thrownBy(() => Kind.find({ id: 'short' })),
      new Types.ObjectId(id) == id,
      mongoose.isValidObjectId(id),
      mongoose.isObjectIdOrHexString('x'),
    ];
  });
  await step('kinds: undefined and null', async () => {
    await Kind.collection.insertOne({ _id: 60, a: undefined, b: null, mixed: { c: undefined } });
    await Kind.create({ _id: 61, mixed: undefined, day: null });
    return [
      await Kind.collection.findOne({ _id: 60 }),
      await Kind.collection.findOne({ _id: 61 }),
      await Kind.collection.insertOne({ _id: 62, a: undefined }, { ignoreUndefined: true }),
      await Kind.collection.findOne({ _id: 62 }),
    ];
  });
  await step('kinds: values inside pipelines', () =>
    Kind.aggregate([
      { $match: { _id: 10 } },
      {
        $project: {
          _id: 0,
          decimal: { $add: ['$price', new mongo.Decimal128('1')] },
          long: { $toLong: mongo.Long.fromNumber(5) },
          date: { $add: [new Date(0), 1000] },
          id: { $toString: new Types.ObjectId('65a1b2c3d4e5f6a7b8c9d0e1') },
          uuid: { $type: new mongo.UUID(u(1)) },
          literal: { $literal: new mongo.Timestamp({ t: 1, i: 2 }) },
          minimum: { $lt: [new mongo.MinKey(), 1] },
        },
      },
    ]),
  );
};
