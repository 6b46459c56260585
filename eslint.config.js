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
  { ignores: ['**/dist/', '**/node_modules/', '.cache/', '**/.turbo/', 'coverage/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  n.configs['flat/recommended-module'],
  {
    name: 'node',
    // They are in every supported version of Node.js, whose documentation calls them experimental in some of them.
    rules: {
      'n/no-unsupported-features/node-builtins': [
        'error',
        { ignores: ['import.meta.dirname', 'import.meta.filename', 'fetch', 'fs.cpSync'] },
      ],
    },
  },
  { name: 'programs', files: ['examples/**/*.ts'], rules: { 'n/no-process-exit': 'off' } },
  { name: 'old node', files: ['scripts/require-node.cjs'], rules: { 'n/no-process-exit': 'off', 'no-var': 'off' } },
  {
    name: 'typescript',
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    // One program for everything: with one for each package it takes a third longer.
    languageOptions: { parserOptions: { project: ['tsconfig.lint.json'], tsconfigRootDir: root } },
    rules: {
      'no-duplicate-imports': ['error', { allowSeparateTypeImports: true }],
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } }],
      // TypeScript and the ladder say the same, better.
      'n/no-missing-import': 'off',
      'n/no-extraneous-import': 'off',
      'n/no-unpublished-import': 'off',
    },
  },
  {
    name: 'taste',
    files: ['**/*.ts'],
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // Narrowing outlives the call that changes what was narrowed, so it takes living state for constant.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-empty-function': ['error', { allow: ['arrowFunctions', 'methods'] }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // What was caught, or is a signal's reason, is unknown, and is passed on as it is.
      '@typescript-eslint/only-throw-error': ['error', { allowThrowingUnknown: true, allowThrowingAny: false }],
      '@typescript-eslint/prefer-promise-reject-errors': [
        'error',
        { allowThrowingUnknown: true, allowThrowingAny: false },
      ],
      // `async` alone turns what is thrown into a rejection, which the contracts ask for.
      '@typescript-eslint/require-await': 'off',
      // `!` says that the index was checked; on a hot path a second check costs more than it finds.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Types that say more than they must, for whoever reads or completes them.
      '@typescript-eslint/consistent-indexed-object-style': 'off',
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/no-generated-empty-object-type': 'off',
      '@typescript-eslint/no-inferrable-types': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/no-redundant-type-constituents': 'off',
      // The contracts are interfaces; a class behind one is not asked for by name. Enums cannot be written at all.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      '@typescript-eslint/no-this-alias': 'off',
      // Protocols are full of them.
      'no-control-regex': 'off',
      // Hot objects and hot loops: a getter costs no room in each object, an index no iterator.
      '@typescript-eslint/class-literal-property-style': 'off',
      '@typescript-eslint/prefer-for-of': 'off',
    },
  },
  {
    name: 'doors',
    files: ['packages/*/src/index.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'Program > :not(ExportAllDeclaration, ExportNamedDeclaration[source])',
          message: 'The door is a list: index.ts only re-exports.',
        },
      ],
    },
  },
  boundaries(root),
  {
    name: 'tests',
    files: tests,
    // A test states what it knows, and the runner finds out when it is wrong; but nobody finds out what was not awaited.
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
