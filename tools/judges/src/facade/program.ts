/** A program is data that both drivers run, the tool shrinks, and people read as JavaScript. */

/** A JavaScript expression, or an object literal whose values are expressions. */
export type Argument = string | Readonly<Record<string, string>>;

export interface Step {
  /** The variable that the step uses, such as `coll`. */
  readonly on: string;
  /** The kind of the variable, and the member that the step reads or calls, such as `coll.insertOne`. */
  readonly name: string;
  /** The expression before the arguments, such as `v.coll.insertOne`. */
  readonly target: string;
  /** Absent: the step reads a property. */
  readonly args?: readonly Argument[];
  /** The variable that stores the result. */
  readonly as: string;
}

export interface Program {
  readonly topology: 'standalone' | 'replica set';
  /** The options of the program's own client. Absent: the program uses the shared client of the driver. */
  readonly options?: Argument;
  readonly steps: readonly Step[];
}

export const textOfArgument = (argument: Argument): string => {
  if (typeof argument === 'string') return argument;
  const pairs = Object.entries(argument).map(([name, value]) => `${name}: ${value}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
};

/** Returns the expression that the step evaluates. */
export const expressionOf = ({ target, args }: Step): string =>
  args === undefined ? target : `${target}(${args.map(textOfArgument).join(', ')})`;

/** The functions that programs use as `h`. */
export const helpers = {
  /** Iterates over a cursor, and returns at most the first five values. */
  all: async (cursor: AsyncIterable<unknown>): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const value of cursor) if (found.push(value) === 5) break;
    return found;
  },
  /** Reads a stream to its end. */
  read: (stream: NodeJS.ReadableStream): Promise<unknown[]> =>
    new Promise((resolve, reject) => {
      const found: unknown[] = [];
      stream.on('data', (value: unknown) => found.push(value));
      stream.on('end', () => resolve(found)).on('error', reject);
      stream.on('close', () => resolve(found));
    }),
  /** Writes texts to a stream, and ends it. */
  write: (stream: NodeJS.WritableStream, ...texts: string[]): Promise<void> =>
    new Promise((resolve, reject) => {
      stream.on('finish', () => resolve()).on('error', reject);
      stream.on('close', () => resolve());
      for (const text of texts) stream.write(text);
      stream.end();
    }),
  /** A value with a method toBSON. */
  stored: (value: unknown): object => ({ toBSON: () => value }),
  circle: (): object => {
    const value: { self?: object } = {};
    value.self = value;
    return value;
  },
};

/** Formats the program as JavaScript that runs with either driver. */
export const textOf = ({ topology, options, steps }: Program): string => {
  const body = steps.map(step => `v.${step.as} = await ${expressionOf(step)};`);
  const used = Object.entries(helpers).filter(([name]) => body.some(line => line.includes(`h.${name}`)));
  return [
    `// The server is a ${topology}.`,
    `const client = new MongoClient(uri${options === undefined ? '' : `, ${textOfArgument(options)}`});`,
    ...(options === undefined ? ['await client.connect();'] : []),
    `const v = { client, db: client.db('p') };`,
    `v.coll = v.db.collection('c');`,
    ...used.map(([name, helper]) => `h.${name} = ${helper.toString()};`),
    ...body,
  ].join('\n');
};
