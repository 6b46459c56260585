/** The arguments of a tool: its options, its words, and the arguments of another program after `--`. */
import { parseArgs } from 'node:util';

/** A wrong argument. The message is a sentence for the user. */
export class Mistake extends Error {}

/** One option: how the texts that the command line gives it become its value. */
export interface Option<T> {
  readonly takesText: boolean;
  /** The text of an option that stands without one. */
  readonly alone?: string;
  /** `name` is the option as the user writes it. @throws Mistake */
  readonly read: (texts: readonly string[], name: string) => T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;

/** The arguments that are not options. */
export interface Words<W extends string> {
  /** One of them, as messages call it: `engine`. */
  readonly noun: string;
  /** All that there are; any text, if this is absent. */
  readonly known?: readonly W[];
}

export interface Declaration<O extends Options, W extends string = string> {
  readonly options: O;
  /** Absent: no words are allowed. */
  readonly words?: Words<W>;
  /** Whether arguments of another program may follow `--`. */
  readonly takesRest?: boolean;
}

export interface Given<O extends Options, W extends string = string> {
  readonly options: { readonly [name in keyof O]: ReturnType<O[name]['read']> };
  readonly words: readonly W[];
  /** The arguments after `--`; undefined without `--`. */
  readonly rest: readonly string[] | undefined;
}

/** An option with a value; the last one counts. */
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

/** A text, or `alone` if no text follows the option. */
export const textOr = (alone: string): Option<string | undefined> => ({ ...text, alone });

export const wholeNumber = (least = 0): Option<number | undefined> => numeric(/^\d+$/, least, 'a whole number');

export const number = (least = 0): Option<number | undefined> => numeric(/^\d+(?:\.\d+)?$/, least, 'a number');

export const oneOf = <const T extends string>(known: readonly T[]): Option<T | undefined> =>
  single((given, name) => {
    const value = known.find(each => each === given);
    if (value === undefined) throw new Mistake(`${name} is one of ${known.join(', ')}, not "${given}".`);
    return value;
  });

/** An option that may be repeated. */
export const many = <T>({ read }: Option<T | undefined>): Option<readonly T[]> => ({
  takesText: true,
  read: (texts, name) => texts.flatMap(given => read([given], name) ?? []),
});

/** The texts with the value of each option that stands alone. */
const completed = (given: readonly string[], options: Options): readonly string[] =>
  given.flatMap((word, i) => {
    const alone = word.startsWith('--') ? options[word.slice(2)]?.alone : undefined;
    return alone !== undefined && (given[i + 1]?.startsWith('-') ?? true) ? [`${word}=${alone}`] : [word];
  });

/** The texts of each option. */
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
    // A text that begins with a dash is the next option, unless the two are written as one.
    if (option.takesText && inlineValue !== true && (value === '' || value.startsWith('-')))
      throw new Mistake(`${rawName} needs a value.`);
    texts.set(name, [...(texts.get(name) ?? []), value]);
  }
  return { texts, words: positionals };
};

const wordsOf = <W extends string>(given: readonly string[], words: Words<W> | undefined): readonly W[] =>
  given.map(word => {
    if (words === undefined) throw new Mistake(`"${word}" is one argument too many.`);
    const { noun, known } = words;
    if (known?.includes(word as W) === false) throw new Mistake(`There is no ${noun} "${word}": ${known.join(', ')}.`);
    return word as W;
  });

/** Reads the arguments after the program's name. @throws Mistake */
export const readArguments = <O extends Options, W extends string = string>(
  { options, words, takesRest = false }: Declaration<O, W>,
  given: readonly string[],
): Given<O, W> => {
  const end = given.indexOf('--');
  if (end >= 0 && !takesRest) throw new Mistake('No arguments may follow --.');
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
 * Runs a tool: `main` gets what `read` makes of the arguments of the process, and returns the exit code. After a mistake, thrown by
 * either, the exit code is 2; with `--help`, the usage is printed and the exit code is 0.
 */
export const run = async <T>(
  usage: string,
  read: (given: readonly string[]) => T,
  main: (wish: T) => Promise<number> | number,
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
