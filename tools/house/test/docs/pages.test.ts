import { describeSupport } from '@tessera/server';
import { describe, expect, test } from 'vitest';
import { examplesIn } from '../../src/docs/examples.js';
import { missingPaths, pathsIn } from '../../src/docs/paths.js';
import { packages, textOf, writtenFiles } from '../../src/docs/repository.js';
import { supportPage } from '../../src/docs/support.js';
import { withContent } from '../../src/page.js';
import { packageTable } from '../../src/docs/table.js';

const written = writtenFiles();
const all = packages();

describe('the paths that a page names exist', () => {
  test.each(['ARCHITECTURE.md', 'README.md', 'CONTRIBUTING.md'])('%s', page => {
    expect(missingPaths(pathsIn(textOf(page)), written)).toEqual([]);
  });

  test('pathsIn finds paths in backticks outside of examples', () => {
    const page =
      'See `packages/pool/src/` and `a.ts`, not `stack()`, `@tessera/pool`, `node:net`.\n```ts\n`no/such.ts`\n```\n`x/{a,b}.ts`';
    expect(pathsIn(page)).toEqual(['packages/pool/src/', 'a.ts', 'x/{a,b}.ts']);
  });

  test('missingPaths accepts folders, patterns, paths relative to packages/ and file names', () => {
    const files = ['packages/pool/src/pool.ts', 'LICENSE'];
    const there = ['packages/pool/', 'packages/*/src', 'pool/src/pool.ts', 'pool.ts', 'packages/{wire,pool}/src/*.ts'];
    expect(missingPaths([...there, 'pool/test', 'pole.ts', 'src/pool.ts'], files)).toEqual([
      'pool/test',
      'pole.ts',
      'src/pool.ts',
    ]);
  });
});

test('the table of packages in README.md is up to date (`npm run docs`)', () => {
  const page = textOf('README.md');
  const written = /<!-- packages -->\s*([\s\S]*?)\s*<!-- \/packages -->/.exec(page)![1]!;
  const plain = (table: string): string[] => table.split('\n').map(row => row.replace(/[ -]+/g, ' '));
  expect(plain(written)).toEqual(plain(packageTable(all)));
  expect(withContent(page, 'packages', written)).toBe(page);
});

test('packages/server/SUPPORT.md is up to date (`npm run docs`)', () => {
  const plain = (page: string): string[] => page.split('\n').map(line => line.replace(/[ -]+/g, ' '));
  expect(plain(textOf('packages/server/SUPPORT.md'))).toEqual(plain(supportPage(describeSupport())));
});

test('supportPage lists supported features, and others with their status and reason', () => {
  const none = { commands: [], stages: [], expressions: [], accumulators: [], windowFunctions: [], queryOperators: [] };
  const page = supportPage({
    ...none,
    updateOperators: [
      { name: '$a', status: 'supported', note: '' },
      { name: '$b', status: 'refused', note: 'needs more' },
      { name: '$c', status: 'partly', note: 'not all' },
      { name: '$d', status: 'supported', note: '' },
    ],
  });
  expect(page.slice(page.indexOf('## Update'))).toBe(
    [
      '## Update operators',
      '',
      'Supported: `$a`, `$d`.',
      '',
      '| name | status | note |',
      '| --- | --- | --- |',
      '| `$b` | refused | needs more |',
      '| `$c` | partly | not all |',
      '',
    ].join('\n'),
  );
});

describe.each(all)('$name', ({ folder, name, version }) => {
  test('its README.md has exactly one example', () => {
    expect(written).toContain(`packages/${folder}/README.md`);
    expect(examplesIn(textOf(`packages/${folder}/README.md`))).toHaveLength(1);
  });

  test('it has a changeset before its first release, and a change log after it', () => {
    const changesets = written.filter(file => /^\.changeset\/.*\.md$/.test(file)).map(textOf);
    const announced = changesets.some(text => new RegExp(`^['"]${name}['"]: (?:major|minor|patch)$`, 'm').test(text));
    // The unreleased @tessera/mongodb has the version of the official driver.
    const isReleased = version !== '0.0.0' && !(name === '@tessera/mongodb' && announced);
    expect(isReleased ? written.includes(`packages/${folder}/CHANGELOG.md`) : announced).toBe(true);
  });
});

describe('every', () => {
  test('file is free of machine-specific paths and hosts of package registries', () => {
    const machine = /(?<![\w.])(?:\/(?:work|farm|root|home\/\w+|Users\/\w+|tmp\/bash_jobs)\/|[A-Z]:\\Users\\)/;
    const registry = /\bhttps?:\/\/[\w.-]*(?:registr|npmmirror|jfrog)[\w.-]*/;
    const found = written.flatMap(file =>
      textOf(file)
        .split('\n')
        .filter(line => machine.test(line) || registry.test(line))
        .map(line => `${file}: ${line.trim().slice(0, 120)}`),
    );
    expect(found).toEqual([]);
  });
});
