import type { Package } from './repository.js';

/** One line a package: its name, and its description in package.json. */
export function packageTable(packages: readonly Package[]): string {
  const rows = packages.map(
    ({ folder, name, description }) => `| [\`${name}\`](packages/${folder}) | ${description} |`,
  );
  return ['| package | what it is |', '| --- | --- |', ...rows].join('\n');
}
