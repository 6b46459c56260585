// The scores of the groups and of their files.

/** @typedef {{ fileName: string, status: string }} Mutant */

const noticed = ['Killed', 'Timeout'];
const missed = ['Survived', 'NoCoverage'];

/** How many of the mutants that could be judged were noticed. @param {readonly Mutant[]} mutants */
function scoreOf(mutants) {
  /** @param {readonly string[]} statuses */
  const count = statuses => mutants.filter(({ status }) => statuses.includes(status)).length;
  const [killed, survived] = [count(noticed), count(missed)];
  return { killed, survived, score: killed + survived === 0 ? 100 : (100 * killed) / (killed + survived) };
}

/**
 * One line for each group and, below it, each of its files; and the least score of a group, in percent.
 * @param {readonly { name: string, mutants: readonly Mutant[] }[]} results
 */
export function table(results) {
  const rows = results.flatMap(({ name, mutants }) => [
    { name, ...scoreOf(mutants) },
    ...[...new Set(mutants.map(({ fileName }) => fileName))].sort().map(file => ({
      name: `  ${file.split('/').at(-1)}`,
      ...scoreOf(mutants.filter(({ fileName }) => fileName === file)),
    })),
  ]);
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.map(
    ({ name, killed, survived, score }) =>
      `${name.padEnd(width)}  ${score.toFixed(1).padStart(5)} %  ${String(killed).padStart(4)} noticed  ${String(survived).padStart(3)} not`,
  );
  return { text: lines.join('\n'), least: Math.min(...results.map(({ mutants }) => scoreOf(mutants).score)) };
}
