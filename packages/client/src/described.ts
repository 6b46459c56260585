const namespaceOf = (described: object): string | undefined =>
  'namespace' in described ? String(described.namespace) : undefined;

/**
 * The base of clients, databases, collections, cursors and sessions. When they are printed, put into a template string
 * or converted to JSON, they show their class and namespace, but no settings, host names or credentials.
 */
export class Described {
  static {
    Object.defineProperty(this.prototype, Symbol.for('nodejs.util.inspect.custom'), {
      value(this: Described): string {
        return this.toString();
      },
    });
  }

  /** Returns the class and the namespace. */
  toString(): string {
    const namespace = namespaceOf(this);
    return `${this.constructor.name} {${namespace === undefined ? '' : ` ${namespace} `}}`;
  }

  /** Returns the namespace, or the name of the class for what has none. */
  toJSON(): string {
    return namespaceOf(this) ?? this.constructor.name;
  }
}
