import type * as official from 'mongodb';

/** The deployments that programs connect to, by their connection strings. */
export interface Deployments {
  /** A standalone. */
  readonly standalone: string;
  /** A replica set named `rs0` of one member. */
  readonly replicaSet: string;
  /** A standalone that requires users to log in. */
  readonly secured: string;
  /** An address where no server listens. */
  readonly nothing: string;
  /** A web server. */
  readonly web: string;
  /** A standalone of MongoDB 4.0 or older. */
  readonly old: string;
}

/** The tools of a program: the module of a driver, and a client of the standalone that is closed after the program. */
export interface Desk extends Deployments {
  readonly module: typeof official;
  readonly client: official.MongoClient;
  readonly films: official.Collection<Film>;
  /** Calls `use` with a client, and closes the client. */
  readonly withClient: (
    uri: string,
    options: official.MongoClientOptions,
    use: (client: official.MongoClient) => Promise<unknown>,
  ) => Promise<unknown>;
}

export interface Film {
  _id?: number;
  title?: unknown;
  year?: unknown;
  [name: string]: unknown;
}

/** An error that users meet, with the program that provokes it. The program is written with the types of npm `mongodb`. */
export interface Mistake {
  readonly mistake: string;
  readonly cause: string;
  readonly remedy: string;
  readonly run: (desk: Desk) => Promise<unknown>;
}

/** A value of a wrong type, as JavaScript programs pass it. */
export const wrong = (value: unknown): never => value as never;
