/** The output of the program: progress bars on a terminal, plain lines elsewhere. */
export interface Screen {
  line(text?: string): void;
  /** Starts a progress display. Returns a function that updates the number of completed parts. */
  progress(title: string, total: number): (done: number) => void;
}

const width = 28;

export const number = (value: number): string => Math.round(value).toLocaleString('en-US');

const perSecond = (count: number, milliseconds: number): string =>
  `${number((count * 1000) / Math.max(milliseconds, 1))}/s`;

const bar = (title: string, done: number, total: number, milliseconds: number): string => {
  const filled = Math.round((done / total) * width);
  const percent = String(Math.floor((done / total) * 100)).padStart(3);
  return `  ${title} [${'█'.repeat(filled)}${'·'.repeat(width - filled)}] ${percent} %  ${number(done)}  ${perSecond(done, milliseconds)}`;
};

export const createScreen = (out: NodeJS.WriteStream): Screen => {
  const line = (text = ''): void => {
    out.write(`${text}\n`);
  };
  const moving = (title: string, total: number): ((done: number) => void) => {
    const start = performance.now();
    let drawn = -Infinity;
    return done => {
      const now = performance.now();
      if (done < total && now - drawn < 50) return;
      drawn = now;
      out.write(`\r\u001b[K${bar(title, done, total, now - start)}${done < total ? '' : '\n'}`);
    };
  };
  const still = (title: string, total: number): ((done: number) => void) => {
    const start = performance.now();
    let reported = 0;
    return done => {
      const quarter = Math.floor((done / total) * 4);
      if (quarter === reported) return;
      reported = quarter;
      line(`  ${title}: ${number(done)} of ${number(total)}  ${perSecond(done, performance.now() - start)}`);
    };
  };
  return { line, progress: out.isTTY ? moving : still };
};
