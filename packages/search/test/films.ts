import type { Document } from '@tessera/contracts';
import type { SearchIndex, SearchResult } from '@tessera/search';
import { createSearchIndex } from '@tessera/search';

/** Films in the form of those of MongoDB's sample data, with texts of our own. */
export const films: readonly Document[] = [
  {
    _id: 1,
    title: 'The Silver Surfer',
    plot: 'A rider of waves crosses the stars. He saves New York from a hungry giant.',
    genres: ['Action', 'Adventure'],
    year: 1998,
    released: new Date('1998-05-01'),
    imdb: { rating: 7.1, votes: 300 },
    cast: [
      { name: 'Ann Blake', role: 'surfer' },
      { name: 'Bob Cole', role: 'giant' },
    ],
  },
  {
    _id: 2,
    title: 'Surfer Girl',
    plot: 'A girl learns to surf, and learns to lose.',
    genres: ['Drama'],
    year: 2004,
    released: new Date('2004-09-13'),
    imdb: { rating: 6.4, votes: 80 },
    cast: [{ name: 'Cid Cole', role: 'surfer' }],
  },
  {
    _id: 3,
    title: 'New York Stories',
    plot: 'Three stories of the city of New York, told at night.',
    genres: ['Comedy', 'Drama'],
    year: 1989,
    released: new Date('1989-03-10'),
    imdb: { rating: 6.4 },
    cast: [],
  },
  {
    _id: 4,
    title: 'Men with Brooms',
    plot: 'Four curling players return to the ice.',
    genres: ['Comedy'],
    year: 2002,
    released: new Date('2002-03-08'),
    imdb: { rating: 6, votes: null },
  },
  { _id: 5, title: 'Without Men', plot: 'A village of women, york hams and one new rule.', year: 2011 },
];

export const indexed = (definition: Document, documents: readonly Document[] = films): SearchIndex => {
  const index = createSearchIndex(definition);
  for (const document of documents) index.set(String(document['_id']), document);
  return index;
};

/** Returns the ids of the results in their order. */
export const idsOf = ({ hits }: SearchResult): readonly number[] => hits.map(({ key }) => Number(key));
