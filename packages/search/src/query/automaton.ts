/** A pattern that is matched in time proportional to the length of the text. */
export type Pattern =
  | { readonly kind: 'empty' }
  | { readonly kind: 'char'; readonly test: (char: string) => boolean }
  | { readonly kind: 'sequence'; readonly parts: readonly Pattern[] }
  | { readonly kind: 'choice'; readonly options: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly part: Pattern; readonly min: number; readonly max: number };

type Step =
  | { readonly kind: 'char'; readonly test: (char: string) => boolean }
  | { readonly kind: 'split'; readonly to: number[] }
  | { readonly kind: 'match' };

const mostSteps = 10_000;

/** Returns a function that tests whole texts. @throws RangeError if the pattern is too large */
export const matcherOf = (pattern: Pattern): ((text: string) => boolean) => {
  const steps: Step[] = [];
  const add = (step: Step): number => {
    if (steps.length >= mostSteps) throw new RangeError('The pattern is too large.');
    return steps.push(step) - 1;
  };
  const split = (...to: number[]): number[] => {
    add({ kind: 'split', to });
    return to;
  };
  /** Adds the steps of a pattern. They continue with the step that is added next. */
  const compile = (part: Pattern): void => {
    switch (part.kind) {
      case 'empty':
        return;
      case 'char':
        add(part);
        return;
      case 'sequence':
        part.parts.forEach(compile);
        return;
      case 'choice': {
        const starts = split();
        const ends = part.options.map(option => {
          starts.push(steps.length);
          compile(option);
          return split();
        });
        for (const end of ends) end.push(steps.length);
        return;
      }
      case 'repeat': {
        for (let i = 0; i < part.min; i++) compile(part.part);
        if (part.max === Number.POSITIVE_INFINITY) {
          const start = steps.length;
          const enter = split(start + 1);
          compile(part.part);
          split(start);
          enter.push(steps.length);
          return;
        }
        const skips: number[][] = [];
        for (let i = part.min; i < part.max; i++) {
          skips.push(split(steps.length + 1));
          compile(part.part);
        }
        for (const skip of skips) skip.push(steps.length);
      }
    }
  };
  compile(pattern);
  add({ kind: 'match' });

  const reach = (from: readonly number[]): ReadonlySet<number> => {
    const reached = new Set<number>();
    const open = [...from];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (reached.has(at)) continue;
      reached.add(at);
      const step = steps[at]!;
      if (step.kind === 'split') open.push(...step.to);
    }
    return reached;
  };
  const start = reach([0]);
  return text => {
    let states = start;
    for (const char of text) {
      const next: number[] = [];
      for (const at of states) {
        const step = steps[at]!;
        if (step.kind === 'char' && step.test(char)) next.push(at + 1);
      }
      if (next.length === 0) return false;
      states = reach(next);
    }
    return states.has(steps.length - 1);
  };
};
