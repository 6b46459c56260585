import { boundaries } from '@tessera-tools/house/ladder';
import js from '@eslint/js';
import n from 'eslint-plugin-n';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const root = import.meta.dirname;
const tests = [
  'vitest.config.ts',
  'scripts/test/*.ts',
  'packages/*/test/**/*.ts',
  'tools/*/test/**/*.ts',
  'examples/*/test/**/*.ts',
];

export default defineConfig(
  { ignores: ['**/dist/', '**/node_modules/', '.cache/', '**/.turbo/', 'coverage/', 'packages/*/lib/**/*.d.*'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  n.configs['flat/recommended-module'],
  {
    name: 'node',
    // Available in every supported version of Node.js, although documented as experimental in some.
    rules: {
      'n/no-unsupported-features/node-builtins': [
        'error',
        { ignores: ['import.meta.dirname', 'import.meta.filename', 'fetch', 'fs.cpSync'] },
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
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    // A single program for all packages is a third faster than one program per package.
    languageOptions: { parserOptions: { project: ['tsconfig.lint.json'], tsconfigRootDir: root } },
    rules: {
      'no-duplicate-imports': ['error', { allowSeparateTypeImports: true }],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } }],
      // TypeScript and the rules of `tools/house/src/ladder` check the same more precisely.
      'n/no-missing-import': 'off',
      'n/no-extraneous-import': 'off',
      'n/no-unpublished-import': 'off',
    },
  },
  {
    name: 'style',
    files: ['**/*.ts'],
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // TypeScript keeps a narrowed type across calls that change the value, so the rule reports necessary conditions.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-empty-function': ['error', { allow: ['arrowFunctions', 'methods'] }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // Caught errors and the reasons of signals have the type unknown and are rethrown unchanged.
      '@typescript-eslint/only-throw-error': ['error', { allowThrowingUnknown: true, allowThrowingAny: false }],
      '@typescript-eslint/prefer-promise-reject-errors': [
        'error',
        { allowThrowingUnknown: true, allowThrowingAny: false },
      ],
      // The contracts require rejections; `async` turns thrown errors into rejections.
      '@typescript-eslint/require-await': 'off',
      // `!` marks an index that was checked. A second check on a hot path would be too slow.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Allow redundant types where they help readers and completion.
      '@typescript-eslint/consistent-indexed-object-style': 'off',
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/no-generated-empty-object-type': 'off',
      '@typescript-eslint/no-inferrable-types': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-redundant-type-constituents': 'off',
      // Contracts are interfaces, so code does not depend on the class behind one. Enums are not used.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      '@typescript-eslint/no-this-alias': 'off',
      // Protocols use control characters.
      'no-control-regex': 'off',
      // On hot paths, a getter saves memory in each object, and an index avoids an iterator.
      '@typescript-eslint/class-literal-property-style': 'off',
      '@typescript-eslint/prefer-for-of': 'off',
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
    name: 'tests',
    files: tests,
    // Tests may use unsafe types, because a wrong assumption fails the test. A missing await would go unnoticed.
    rules: {
      ...tseslint.configs.disableTypeChecked.rules,
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unnecessary-type-assertion': 'error',
    },
  },
  {
    name: 'config files',
    files: ['*.config.ts', '*.config.js'],
    rules: { 'no-restricted-exports': 'off' },
  },
);
