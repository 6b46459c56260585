/** A program is data: the child process runs it, the parent shrinks it, and people read it as JavaScript. */

/** An expression of JavaScript, or an object literal whose values are expressions. */
export type Argument = string | Readonly<Record<string, string>>;

export interface Call {
  readonly kind: 'call';
  /** The variable whose method is called: `v.coll`. */
  readonly on: string;
  readonly method: string;
  readonly arguments: readonly Argument[];
  /** The variable that keeps the result. */
  readonly as: string;
  /** `later` goes on while the call is pending; `close` is a later call that only closing the client has to settle. */
  readonly wait: 'now' | 'later' | 'close';
}

export interface Abort {
  readonly kind: 'abort';
  readonly signal: number;
}

export interface Sleep {
  readonly kind: 'sleep';
  readonly milliseconds: number;
}

export type Step = Call | Abort | Sleep;

export const transports = ['plain', 'tls', 'socks5'] as const;
export type Transport = (typeof transports)[number];

/** What the server does to the next commands of these names. */
export interface Fault {
  readonly commands: readonly string[];
  readonly times: number;
  readonly data: Readonly<Record<string, boolean | number | string>>;
}

export interface Program {
  readonly transport: Transport;
  readonly options: Readonly<Record<string, string>>;
  readonly fault?: Fault;
  readonly steps: readonly Step[];
}

const textOfArgument = (argument: Argument): string => {
  if (typeof argument === 'string') return argument;
  const pairs = Object.entries(argument).map(([name, value]) => `${name}: ${value}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
};

/** The expression that the child process evaluates. */
export const expressionOf = (argument: Argument): string => `(${textOfArgument(argument)})`;

const lineOf = (step: Step): string => {
  if (step.kind === 'abort') return `rough.abort(${step.signal});`;
  if (step.kind === 'sleep') return `await sleep(${step.milliseconds});`;
  const call = `v.${step.on}.${step.method}(${step.arguments.map(textOfArgument).join(', ')})`;
  return `v.${step.as} = ${step.wait === 'now' ? 'await ' : ''}${call};`;
};

/** The program as a few lines of JavaScript. */
export const textOf = ({ transport, options, fault, steps }: Program): string =>
  [
    `// ${transport}${fault === undefined ? '' : `; ${JSON.stringify(fault)}`}`,
    `v.client = new MongoClient(uri, ${textOfArgument(options)});`,
    ...steps.map(lineOf),
    'await v.client.close();',
  ].join('\n');
