/** A program is data that the child process runs, the parent process shrinks, and people read as JavaScript. */

/** A JavaScript expression, or an object literal whose values are expressions. */
export type Argument = string | Readonly<Record<string, string>>;

export interface Call {
  readonly kind: 'call';
  /** The variable whose method is called, such as `v.coll`. */
  readonly on: string;
  readonly method: string;
  readonly arguments: readonly Argument[];
  /** The variable that stores the result. */
  readonly as: string;
  /**
   * Whether the program awaits the call. `later` continues while the call is pending, and awaits it at the end. `close`
   * is a call that may stay pending until the client is closed.
   */
  readonly wait: 'now' | 'later' | 'close';
  /** Whether the call must succeed, unless the server fails or the client has a time limit. */
  readonly isSound?: true;
}

/** A fail point for the next commands with these names. */
export interface Fault {
  readonly commands: readonly string[];
  readonly times: number;
  readonly data: Readonly<Record<string, boolean | number | string>>;
}

export type Step =
  | Call
  | { readonly kind: 'abort'; readonly signal: number }
  | { readonly kind: 'sleep'; readonly milliseconds: number }
  /** Sets a fault while the program runs. */
  | { readonly kind: 'fault'; readonly fault: Fault }
  /** Checks that the server has no open cursor while the client is open. */
  | { readonly kind: 'no cursors' };

export const transports = ['plain', 'tls', 'socks5'] as const;
export type Transport = (typeof transports)[number];

/** Sends an HTTP response on each connection after `after` chunks of the server, in pieces of `piece` bytes. */
export interface Garbage {
  readonly after: number;
  readonly piece: number;
}

export interface Program {
  readonly transport: Transport;
  readonly options: Readonly<Record<string, string>>;
  readonly fault?: Fault;
  readonly garbage?: Garbage;
  readonly steps: readonly Step[];
}

const textOfArgument = (argument: Argument): string => {
  if (typeof argument === 'string') return argument;
  const pairs = Object.entries(argument).map(([name, value]) => `${name}: ${value}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
};

/** Returns the expression that the child process evaluates. */
export const expressionOf = (argument: Argument): string => `(${textOfArgument(argument)})`;

/** The name of the method that creates an iterator. */
export const iteratorOf = '[Symbol.asyncIterator]';

const memberOf = ({ method }: Call): string => (method === iteratorOf ? method : `.${method}`);

const lineOfCall = (step: Call): string => {
  const call = `v.${step.on}${memberOf(step)}(${step.arguments.map(textOfArgument).join(', ')})`;
  return `v.${step.as} = ${step.wait === 'now' ? 'await ' : ''}${call};`;
};

const lineOf = (step: Step): string => {
  switch (step.kind) {
    case 'abort':
      return `rough.abort(${step.signal});`;
    case 'sleep':
      return `await sleep(${step.milliseconds});`;
    case 'fault':
      return `await rough.fault(${JSON.stringify(step.fault)});`;
    case 'no cursors':
      return 'await rough.noCursors();';
    case 'call':
      return lineOfCall(step);
  }
};

/** Formats the program as a few lines of JavaScript. */
export const textOf = ({ transport, options, fault, garbage, steps }: Program): string => {
  const notes = [fault, garbage].filter(note => note !== undefined).map(note => `; ${JSON.stringify(note)}`);
  return [
    `// ${transport}${notes.join('')}`,
    `v.client = new MongoClient(uri, ${textOfArgument(options)});`,
    ...steps.map(lineOf),
    'await v.client.close();',
  ].join('\n');
};
