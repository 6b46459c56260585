import { expect, test } from 'vitest';
import { longSteps, moduleFolder, steps, stepsFor } from '../steps.mjs';
import { installDigest } from '../workspace.mjs';

test.each(Object.entries({ steps, longSteps: { ...steps, ...longSteps } }))(
  'a step of %s starts after steps that precede it',
  (_, all) => {
    const names = Object.keys(all);
    const late = Object.entries(all).flatMap(([name, { after = [] }]) =>
      after.filter(other => !names.slice(0, names.indexOf(name)).includes(other)),
    );
    expect(late).toEqual([]);
  },
);

test('every step that installs packed packages starts after the step that packs them', () => {
  const waiting = Object.entries(steps).filter(([, { after = [] }]) => after.includes('load-check'));
  expect(waiting.map(([name]) => name)).toEqual(['host', 'bench', 'dependents']);
});

test('a changed package runs its unit tests, its fixtures and its host tests if it has some, and a changed page none', () => {
  const packages = ['packages/pool'];
  const code = stepsFor({ files: ['packages/pool/src/pool.ts'], packages, importers: ['packages/client'] });
  expect(Object.keys(code)).toEqual(['unit', 'format', 'types', 'api', 'lint', 'conformance']);
  const host = stepsFor({ files: ['packages/node/src/files.ts'], packages: ['packages/node'], importers: [] });
  expect(Object.keys(host)).toEqual(['unit', 'format', 'types', 'api', 'lint', 'host']);
  const page = stepsFor({ files: ['docs/compose.md'], packages: [], importers: [] });
  expect(Object.keys(page)).toEqual(['unit', 'format', 'types']);
});

test('compiled modules are used only with the same installed packages and settings of TypeScript', () => {
  const [now, otherPackages] = [moduleFolder(), moduleFolder('other packages')];
  expect(moduleFolder(installDigest())).toBe(now);
  const folders = [now, otherPackages, moduleFolder(undefined, Buffer.from('{}'))];
  expect(new Set(folders).size).toBe(folders.length);
});
