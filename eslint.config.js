import { boundaries } from '@tessera-tools/house/ladder';
import n from 'eslint-plugin-n';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const root = import.meta.dirname;
export default defineConfig(
  { ignores: ['**/dist/', '**/node_modules/', '.cache/', '**/.turbo/', 'coverage/', 'packages/*/lib/**/*.d.*'] },
  // Oxlint checks most rules (.oxlintrc.json), and ESLint the others.
  { name: 'lacking', rules: { 'no-useless-assignment': 'error' } },
  { name: 'javascript', files: ['**/*.{js,mjs,cjs}'], rules: { 'no-undef': 'error' } },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  n.configs['flat/recommended-module'],
  {
    name: 'node',
    // Available in every supported version of Node.js, although documented as experimental in some.
    rules: {
      'n/no-unsupported-features/node-builtins': [
        'error',
        { ignores: ['import.meta.dirname', 'import.meta.filename', 'fetch', 'fs.cpSync', 'process.getBuiltinModule'] },
      ],
    },
  },
  { name: 'programs', files: ['examples/**/*.ts'], rules: { 'n/no-process-exit': 'off' } },
  {
    name: 'programs of dependents',
    files: ['tools/judges/programs/dependents/**'],
    languageOptions: { globals: { module: 'writable', require: 'readonly' } },
    // The programs run in folders in which their packages are installed.
    rules: { 'n/no-missing-import': 'off', 'n/no-missing-require': 'off', 'n/no-process-exit': 'off' },
  },
  { name: 'old node', files: ['scripts/require-node.cjs'], rules: { 'n/no-process-exit': 'off', 'no-var': 'off' } },
  {
    name: 'CommonJS',
    files: ['packages/mongodb/lib/**/*.js', 'tools/publish/test/drop-in/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: { module: 'writable', exports: 'readonly', require: 'readonly' },
    },
  },
  {
    name: 'tests of the drop-in',
    files: ['tools/publish/test/drop-in/*.user.*'],
    languageOptions: { globals: { test: 'readonly', expect: 'readonly' } },
    // The project in which they run has the file uri.json.
    rules: { 'n/no-missing-require': 'off', 'n/no-missing-import': 'off' },
  },
  {
    name: 'deep paths',
    files: ['packages/mongodb/lib/**'],
    // These files are used only in the published package, whose dependencies and dist/package.cjs they import.
    rules: Object.fromEntries(
      ['no-extraneous-import', 'no-extraneous-require', 'no-missing-require', 'no-unpublished-require'].map(rule => [
        `n/${rule}`,
        'off',
      ]),
    ),
  },
  {
    name: 'typescript',
    files: ['**/*.ts'],
    languageOptions: { parser: tseslint.parser },
    rules: {
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } }],
      // TypeScript and the rules of `tools/house/src/ladder` check the same more precisely.
      'n/no-missing-import': 'off',
      'n/no-extraneous-import': 'off',
      'n/no-unpublished-import': 'off',
    },
  },
  {
    name: 'index files',
    files: ['packages/*/src/index.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'Program > :not(ExportAllDeclaration, ExportNamedDeclaration[source])',
          message: 'index.ts must contain only re-exports.',
        },
      ],
    },
  },
  boundaries(root),
  {
    name: 'config files',
    files: ['*.config.ts', '*.config.js'],
    rules: { 'no-restricted-exports': 'off' },
  },
);
