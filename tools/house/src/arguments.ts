/** The arguments of a tool: its options, its words, and the arguments of another program after `--`. */
import { parseArgs } from 'node:util';

/** An invalid argument. The message is shown to the user. */
export class Mistake extends Error {}

/** An option: how its texts on the command line become its value. */
export interface Option<T> {
  /** Whether the option takes a value. */
  readonly takesText: boolean;
  /** The value if the option is given without one. */
  readonly alone?: string;
  /** Parses the texts. `name` is the option as the user writes it. @throws Mistake if a text is invalid */
  readonly read: (texts: readonly string[], name: string) => T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;

/** The positional arguments. */
export interface Words<W extends string> {
  /** The noun for messages, such as `engine`. */
  readonly noun: string;
  /** The allowed values. Absent: any text. */
  readonly known?: readonly W[];
}

export interface Declaration<O extends Options, W extends string = string> {
  readonly options: O;
  /** Absent: positional arguments are not allowed. */
  readonly words?: Words<W>;
  /** Whether arguments for another program may follow `--`. */
  readonly takesRest?: boolean;
}

export interface Given<O extends Options, W extends string = string> {
  readonly options: { readonly [name in keyof O]: ReturnType<O[name]['read']> };
  readonly words: readonly W[];
  /** The arguments after `--`; undefined without `--`. */
  readonly rest: readonly string[] | undefined;
}

/** An option with a value. If it is repeated, the last value counts. */
const single = <T>(parse: (text: string, name: string) => T): Option<T | undefined> => ({
  takesText: true,
  read: (texts, name) => texts.map(given => parse(given, name)).at(-1),
});

const numeric = (shape: RegExp, least: number, noun: string): Option<number | undefined> =>
  single((given, name) => {
    const value = Number(given);
    if (shape.test(given) && value >= least && value <= Number.MAX_SAFE_INTEGER) return value;
    throw new Mistake(`${name} takes ${noun}${least > 0 ? ` from ${least}` : ''}, not "${given}".`);
  });

/** An option without a value. */
export const flag: Option<boolean> = { takesText: false, read: texts => texts.length > 0 };

export const text: Option<string | undefined> = single(given => given);

/** An option with a text, or `alone` if no text follows it. */
export const textOr = (alone: string): Option<string | undefined> => ({ ...text, alone });

export const wholeNumber = (least = 0): Option<number | undefined> => numeric(/^\d+$/, least, 'a whole number');

export const number = (least = 0): Option<number | undefined> => numeric(/^\d+(?:\.\d+)?$/, least, 'a number');

export const oneOf = <const T extends string>(known: readonly T[]): Option<T | undefined> =>
  single((given, name) => {
    const value = known.find(each => each === given);
    if (value === undefined) throw new Mistake(`${name} must be one of ${known.join(', ')}, not "${given}".`);
    return value;
  });

/** An option that may be repeated. */
export const many = <T>({ read }: Option<T | undefined>): Option<readonly T[]> => ({
  takesText: true,
  read: (texts, name) => texts.flatMap(given => read([given], name) ?? []),
});

/** Adds the value to each option that is given without one. */
const completed = (given: readonly string[], options: Options): readonly string[] =>
  given.flatMap((word, i) => {
    const alone = word.startsWith('--') ? options[word.slice(2)]?.alone : undefined;
    return alone !== undefined && (given[i + 1]?.startsWith('-') ?? true) ? [`${word}=${alone}`] : [word];
  });

/** Returns the texts of each option and the positional arguments. */
const textsOf = (given: readonly string[], options: Options) => {
  const { tokens, positionals } = parseArgs({
    args: [...completed(given, options)],
    options: Object.fromEntries(
      Object.entries(options).map(([name, { takesText }]) => [name, { type: takesText ? 'string' : 'boolean' }]),
    ),
    strict: false,
    tokens: true,
  });
  const texts = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value = '', inlineValue } = token;
    const option = Object.hasOwn(options, name) && rawName === `--${name}` ? options[name] : undefined;
    if (option === undefined) throw new Mistake(`There is no option ${rawName}.`);
    if (!option.takesText && value !== '') throw new Mistake(`${rawName} takes no value.`);
    // A text that begins with a dash is the next option, unless it follows an equals sign.
    if (option.takesText && inlineValue !== true && (value === '' || value.startsWith('-')))
      throw new Mistake(`${rawName} needs a value.`);
    texts.set(name, [...(texts.get(name) ?? []), value]);
  }
  return { texts, words: positionals };
};

const wordsOf = <W extends string>(given: readonly string[], words: Words<W> | undefined): readonly W[] =>
  given.map(word => {
    if (words === undefined) throw new Mistake(`Unexpected argument: "${word}".`);
    const { noun, known } = words;
    if (known?.includes(word as W) === false)
      throw new Mistake(`There is no ${noun} "${word}". Choose from: ${known.join(', ')}.`);
    return word as W;
  });

/** Parses the arguments after the program's name. @throws Mistake if an argument is invalid */
export const readArguments = <O extends Options, W extends string = string>(
  { options, words, takesRest = false }: Declaration<O, W>,
  given: readonly string[],
): Given<O, W> => {
  const end = given.indexOf('--');
  if (end >= 0 && !takesRest) throw new Mistake('Arguments after "--" are not allowed.');
  const { texts, words: found } = textsOf(end < 0 ? given : given.slice(0, end), options);
  return {
    options: Object.fromEntries(
      Object.entries(options).map(([name, { read }]) => [name, read(texts.get(name) ?? [], `--${name}`)]),
    ) as Given<O, W>['options'],
    words: wordsOf(found, words),
    rest: end < 0 ? undefined : given.slice(end + 1),
  };
};

/**
 * Runs a tool. `read` parses the arguments of the process, and `main` gets the result and returns the exit code. If
 * either throws a
 * {@link Mistake}, the message and the usage are printed and the exit code is 2. With `--help`, the usage is printed
 * and the exit
 * code is 0.
 */
export const run = async <T>(
  usage: string,
  read: (given: readonly string[]) => T,
  main: (parsed: T) => Promise<number> | number,
  given: readonly string[] = process.argv.slice(2),
): Promise<void> => {
  const end = given.indexOf('--');
  if ((end < 0 ? given : given.slice(0, end)).includes('--help')) {
    process.stdout.write(usage);
    return;
  }
  try {
    process.exitCode = await main(read(given));
  } catch (error) {
    if (!(error instanceof Mistake)) throw error;
    process.stderr.write(`${error.message}\n\n${usage}`);
    process.exitCode = 2;
  }
};
