import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** A film of the npm package vega-datasets, with field names without spaces. */
export interface Film {
  readonly title: string | null;
  readonly released: Date | null;
  readonly director: string | null;
  readonly genre: string | null;
  readonly distributor: string | null;
  readonly rating: { readonly mpaa: string | null; readonly imdb: number | null; readonly tomatoes: number | null };
  readonly votes: number | null;
  readonly gross: { readonly us: number | null; readonly world: number | null };
  readonly budget: number | null;
  readonly minutes: number | null;
}

/** A flight: the delay in minutes, the distance in miles, the departure time in hours. */
export interface Flight {
  readonly delay: number;
  readonly distance: number;
  readonly time: number;
}

const require = createRequire(import.meta.url);

const read = async (name: string): Promise<unknown> =>
  JSON.parse(await readFile(require.resolve(`vega-datasets/data/${name}`), 'utf8'));

type Row = Readonly<Record<string, string | number | null | undefined>>;

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Parses a date such as `Jun 12 1998`, in UTC. */
const toDate = (text: unknown): Date | null => {
  const [month = '', day, year] = String(text).split(' ');
  const index = months.indexOf(month);
  return index < 0 ? null : new Date(Date.UTC(Number(year), index, Number(day)));
};

const word = (value: Row[string]): string | null => (value === null || value === undefined ? null : String(value));
const amount = (value: Row[string]): number | null => (typeof value === 'number' ? value : null);

const toFilm = (row: Row): Film => ({
  title: word(row['Title']),
  released: toDate(row['Release Date']),
  director: word(row['Director']),
  genre: word(row['Major Genre']),
  distributor: word(row['Distributor']),
  rating: {
    mpaa: word(row['MPAA Rating']),
    imdb: amount(row['IMDB Rating']),
    tomatoes: amount(row['Rotten Tomatoes Rating']),
  },
  votes: amount(row['IMDB Votes']),
  gross: { us: amount(row['US Gross']), world: amount(row['Worldwide Gross']) },
  budget: amount(row['Production Budget']),
  minutes: amount(row['Running Time min']),
});

/** Reads all 3,201 films. */
export const readFilms = async (): Promise<readonly Film[]> =>
  ((await read('movies.json')) as readonly Row[]).map(toFilm);

/** Reads all 231,083 flights. */
export const readFlights = async (): Promise<readonly Flight[]> =>
  (await read('flights-200k.json')) as readonly Flight[];
