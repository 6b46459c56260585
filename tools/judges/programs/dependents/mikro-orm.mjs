// Entities of MikroORM, with identity map, unit of work and transactions.
import { createRequire } from 'node:module';
import { EntitySchema, MikroORM } from '@mikro-orm/mongodb';

const { uri, isSet, step, done, thrownBy } = createRequire(import.meta.url)('./report.cjs');

const Author = new EntitySchema({
  name: 'Author',
  properties: {
    _id: { type: 'ObjectId', primary: true },
    id: { type: 'string', serializedPrimaryKey: true },
    name: { type: 'string', unique: true },
    age: { type: 'number', nullable: true },
    books: { kind: '1:m', entity: () => 'Book', mappedBy: 'author' },
  },
});
const Book = new EntitySchema({
  name: 'Book',
  properties: {
    _id: { type: 'ObjectId', primary: true },
    id: { type: 'string', serializedPrimaryKey: true },
    title: { type: 'string' },
    author: { kind: 'm:1', entity: () => 'Author', nullable: true },
  },
});
const orm = await MikroORM.init({
  entities: [Author, Book],
  clientUrl: uri,
  dbName: 'mikro',
  ensureIndexes: true,
  implicitTransactions: isSet,
  allowGlobalContext: true,
});
await orm.schema.refresh?.();
await step('persist and flush', async () => {
  const em = orm.em.fork();
  const author = em.create('Author', { name: 'Ann', age: 30 });
  em.create('Book', { title: 'One', author });
  em.create('Book', { title: 'Two', author });
  await em.flush();
  return [await em.count('Author'), await em.count('Book')];
});
await step('find and populate', async () => {
  const em = orm.em.fork();
  const [author] = await em.find('Author', { age: { $gte: 18 } }, { populate: ['books'] });
  return [
    author.name,
    author.books
      .getItems()
      .map(({ title }) => title)
      .sort(),
    (await em.findOne('Book', { title: 'Two' }, { populate: ['author'] })).author.name,
  ];
});
await step('change and remove', async () => {
  const em = orm.em.fork();
  const author = await em.findOneOrFail('Author', { name: 'Ann' });
  author.age = 31;
  const book = await em.findOneOrFail('Book', { title: 'One' });
  em.remove(book);
  await em.flush();
  return [(await orm.em.fork().findOne('Author', { name: 'Ann' })).age, await em.count('Book')];
});
await step('a duplicate', async () => {
  const em = orm.em.fork();
  em.create('Author', { name: 'Ann' });
  const error = await thrownBy(() => em.flush());
  return [error.name, error.code];
});
await step('native operations', async () => {
  const em = orm.em.fork();
  return [
    await em.nativeUpdate('Author', { name: 'Ann' }, { age: 5 }),
    (await em.aggregate('Author', [{ $project: { _id: 0, age: 1 } }])).length,
    await em.nativeDelete('Book', {}),
    await em
      .getConnection()
      .listCollections()
      .then(names => names.sort?.() ?? names),
    (await em.upsert('Author', { name: 'Ann', age: 6 })).age,
  ];
});
if (isSet)
  await step('transactions', async () => {
    const error = await thrownBy(() =>
      orm.em.fork().transactional(async em => {
        em.create('Author', { name: 'Temp' });
        await em.flush();
        throw new Error('no');
      }),
    );
    return [error, await orm.em.fork().count('Author')];
  });
await step('close', async () => {
  await orm.close(true);
  return orm.isConnected();
});
done();
