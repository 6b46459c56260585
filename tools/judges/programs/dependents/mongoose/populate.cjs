'use strict';
const { step, thrownBy } = require('../report.cjs');

module.exports = async mongoose => {
  const { Schema } = mongoose;
  const id = n => new mongoose.Types.ObjectId(String(n).padStart(24, '0'));
  const author = new Schema({ name: String, friends: [{ type: Schema.Types.ObjectId, ref: 'Author' }] });
  author.virtual('books', { ref: 'Book', localField: '_id', foreignField: 'author', options: { sort: { title: 1 } } });
  author.virtual('bookCount', { ref: 'Book', localField: '_id', foreignField: 'author', count: true });
  const Author = mongoose.model('Author', author);
  const book = new Schema({
    title: String,
    author: { type: Schema.Types.ObjectId, ref: 'Author' },
    reviews: [
      {
        by: { type: Schema.Types.ObjectId, refPath: 'reviews.kind' },
        kind: { type: String, enum: ['Author', 'Critic'] },
        text: String,
      },
    ],
    editors: { type: Map, of: { type: Schema.Types.ObjectId, ref: 'Author' } },
  });
  const Book = mongoose.model('Book', book);
  const Critic = mongoose.model('Critic', new Schema({ paper: String }));
  await Author.create([
    { _id: id(1), name: 'Ada', friends: [id(2), id(9)] },
    { _id: id(2), name: 'Bob', friends: [id(1)] },
  ]);
  await Critic.create({ _id: id(3), paper: 'Times' });
  await Book.create([
    {
      _id: id(11),
      title: 'First',
      author: id(1),
      reviews: [
        { _id: id(21), by: id(3), kind: 'Critic', text: 'good' },
        { _id: id(22), by: id(2), kind: 'Author', text: 'fine' },
      ],
      editors: { main: id(2) },
    },
    { _id: id(12), title: 'Second', author: id(1) },
    { _id: id(13), title: 'Orphan', author: id(8) },
  ]);

  await step('a path', async () =>
    (await Book.find().sort('_id').populate('author', 'name')).map(each => each.toObject()),
  );
  await step('nested and dynamic', async () =>
    (
      await Book.findById(id(11))
        .populate({ path: 'author', populate: { path: 'friends', select: 'name' } })
        .populate('reviews.by')
        .populate('editors.$*')
    ).toObject({ flattenMaps: true }),
  );
  await step('virtuals', async () =>
    (await Author.find().sort('_id').populate('books').populate('bookCount').lean()).map(
      ({ name, books, bookCount }) => [name, books.map(({ title }) => title), bookCount],
    ),
  );
  await step('match, options, perDocumentLimit', async () => [
    (
      await Book.find()
        .sort('_id')
        .populate({ path: 'author', match: { name: 'Bob' } })
    ).map(each => each.author),
    (await Author.findById(id(1)).populate({ path: 'books', perDocumentLimit: 1 })).books.length,
  ]);
  await step('documents', async () => {
    const found = await Book.findById(id(11));
    await found.populate('author');
    const populated = [found.populated('author'), found.author.name];
    found.depopulate('author');
    return [
      populated,
      found.author,
      (await Author.populate([{ friends: [id(1)] }], 'friends')).map(({ friends }) => friends.map(({ name }) => name)),
    ];
  });
  await step('orFail and strictPopulate', async () => [
    await thrownBy(() => Book.find().populate('nope')),
    await thrownBy(() =>
      Book.findById(id(12))
        .populate({ path: 'author', match: { name: 'x' }, options: { strictPopulate: true } })
        .orFail(),
    ),
  ]);
  await step('lean with cursor', async () => {
    const seen = [];
    for await (const each of Book.find().sort('_id').populate('author').lean().cursor()) seen.push(each.author?.name);
    return seen;
  });
};
