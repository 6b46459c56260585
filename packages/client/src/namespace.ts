import { MongoRuntimeError } from './errors.js';

/** A database, and perhaps a collection in it. */
export class MongoDBNamespace {
  /** The name of the database. */
  db: string;
  /** The name of the collection. */
  collection?: string | undefined;

  /** Creates a namespace. */
  constructor(db: string, collection?: string) {
    this.db = db;
    this.collection = collection === '' ? undefined : collection;
  }

  /**
   * Returns the namespace that the text describes: the database ends at the first dot.
   * @throws MongoRuntimeError if the text is empty or no string
   */
  static fromString(namespace: string): MongoDBNamespace {
    if (typeof namespace !== 'string' || namespace === '')
      throw new MongoRuntimeError(`A namespace must be text such as "shop.films", but is "${namespace}".`);
    const [db, ...collection] = namespace.split('.');
    return new MongoDBNamespace(db!, collection.join('.'));
  }

  /** Returns `db` or `db.collection`. */
  toString(): string {
    return this.collection === undefined ? this.db : `${this.db}.${this.collection}`;
  }

  /** Returns the namespace of a collection of the database. */
  withCollection(collection: string): MongoDBCollectionNamespace {
    return new MongoDBNamespace(this.db, collection) as MongoDBCollectionNamespace;
  }
}

/** The namespace of a collection. */
export interface MongoDBCollectionNamespace extends MongoDBNamespace {
  /** The name of the collection. */
  collection: string;
}
