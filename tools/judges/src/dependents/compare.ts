/** The output of one step of a program. */
export interface Step {
  readonly title: string;
  readonly output: string;
}

/** A line of a stack trace, which contains paths. */
const stackLine = /^ {4}at .*\n?/gm;

/** The title of the step that stands for the rest of a program that did not finish. */
const unfinished = 'the end of the program';

/** Returns the steps of a program's output. Each begins with a line `# TITLE`. The last line is `done`. */
export function stepsOf(log: string): readonly Step[] {
  const [, ...parts] = `\n${log.replaceAll('\r\n', '\n').replaceAll(stackLine, '')}`.split('\n# ');
  const steps = parts.map(part => {
    const [title = '', ...lines] = part.split('\n');
    return { title, output: lines.join('\n').replace(/\n?done\n?$/, '') };
  });
  return /(?:^|\n)done\n*$/.test(log) ? steps : [...steps, { title: unfinished, output: log.slice(-500) }];
}

/** The comparison of two outputs. */
export interface Comparison {
  /** The number of equal steps. */
  readonly equal: number;
  /** The steps that differ with a reason. */
  readonly explained: readonly string[];
  readonly different: readonly { readonly title: string; readonly official: string; readonly tessera: string }[];
}

/** Returns the lines of a text that the other text does not contain. */
const only = (text: string, other: string): string => {
  const known = new Set(other.split('\n'));
  return text
    .split('\n')
    .filter(line => !known.has(line))
    .slice(0, 12)
    .join('\n');
};

/** Compares the steps of a program with both drivers. A program that does not finish counts as a difference. */
export function compareSteps(
  official: readonly Step[],
  tessera: readonly Step[],
  reasons: Readonly<Record<string, string>> = {},
): Comparison {
  const [left, right] = [official, tessera].map(
    steps => new Map(steps.map(({ title, output }) => [title, output])),
  ) as [Map<string, string>, Map<string, string>];
  const titles = [...new Set([...left.keys(), ...right.keys()])];
  const differing = titles.filter(title => title === unfinished || left.get(title) !== right.get(title));
  const isExplained = (title: string): boolean => Object.hasOwn(reasons, title);
  return {
    equal: titles.length - differing.length,
    explained: differing.filter(isExplained),
    different: differing
      .filter(title => !isExplained(title))
      .map(title => {
        const [one = 'missing', other = 'missing'] = [left.get(title), right.get(title)];
        return { title, official: only(one, other), tessera: only(other, one) };
      }),
  };
}
