// @ts-check
import { defineConfig } from 'oxlint';
import * as queryApi from './shell/build/query-api.mjs';
import * as routerApi from './shell/build/router-api.mjs';

const browserPackages = ['ui', 'shell', 'mf-*'].map((name) => `${name}/src/**/*.{ts,tsx}`);
const servers = ['infra', 'command-api', 'query-api', 'projectors', 'workers']
  .map((name) => `${name}/src/**/*.ts`)
  .concat('shell/server/**/*.ts', 'domain/src/**/*.ts');

/** Functions that are forbidden in pure code, because their results depend on the time or on chance. */
const CLOCK_AND_CHANCE = [
  { object: 'Date', property: 'now' },
  { object: 'Math', property: 'random' },
];

export default defineConfig({
  plugins: ['typescript', 'react'],
  jsPlugins: ['./tests/architecture/lint-plugin.mjs'],
  // Only the rules in this file are active, so an upgrade of the linter adds no rule.
  categories: { correctness: 'off' },
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['docs/examples/', '**/node_modules/', '**/dist/', '.build/', '.data/', 'coverage/', 'screenshots/'],
  rules: {
    // These are the rules of `recommendedTypeChecked` of typescript-eslint, with two exceptions. `require-await` is
    // off, because some adapters implement an asynchronous port without waiting. `unbound-method` is off, because
    // interfaces here consist of closures, which do not use `this`.
    // Dialogs of the browser look foreign, stop the page, and can be suppressed. `MessageDialog` replaces them.
    'no-alert': 'error',
    // A longer function has too many variables that any of its lines can change. Its parts become modules that each
    // state what they own.
    'max-lines-per-function': ['error', { max: 150, IIFEs: true }],
    'no-array-constructor': 'error',
    'no-unused-expressions': 'error',
    'no-unused-vars': [
      'error',
      { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true, reportVarsOnlyUsedAsTypes: true },
    ],
    'no-var': 'error',
    'prefer-const': 'error',
    'prefer-rest-params': 'error',
    'prefer-spread': 'error',
    'typescript/await-thenable': 'error',
    'typescript/ban-ts-comment': 'error',
    'typescript/no-array-delete': 'error',
    'typescript/no-base-to-string': 'error',
    'typescript/no-duplicate-enum-values': 'error',
    'typescript/no-duplicate-type-constituents': 'error',
    'typescript/no-empty-object-type': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-extra-non-null-assertion': 'error',
    'typescript/no-floating-promises': ['error', { ignoreVoid: true }],
    'typescript/no-for-in-array': 'error',
    'typescript/no-implied-eval': 'error',
    'typescript/no-misused-new': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/no-namespace': 'error',
    'typescript/no-non-null-asserted-optional-chain': 'error',
    'typescript/no-redundant-type-constituents': 'error',
    'typescript/no-require-imports': 'error',
    'typescript/no-this-alias': 'error',
    'typescript/no-unnecessary-type-assertion': 'error',
    'typescript/no-unnecessary-type-constraint': 'error',
    'typescript/no-unsafe-argument': 'error',
    'typescript/no-unsafe-assignment': 'error',
    'typescript/no-unsafe-call': 'error',
    'typescript/no-unsafe-declaration-merging': 'error',
    'typescript/no-unsafe-enum-comparison': 'error',
    'typescript/no-unsafe-function-type': 'error',
    'typescript/no-unsafe-member-access': 'error',
    'typescript/no-unsafe-return': 'error',
    'typescript/no-unsafe-unary-minus': 'error',
    'typescript/no-wrapper-object-types': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/prefer-as-const': 'error',
    'typescript/prefer-namespace-keyword': 'error',
    'typescript/prefer-promise-reject-errors': 'error',
    'typescript/restrict-plus-operands': 'error',
    'typescript/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
    'typescript/triple-slash-reference': 'error',

    'typescript/consistent-type-imports': [
      'error',
      { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false },
    ],
    'typescript/no-non-null-assertion': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    // `== null` is allowed because it checks for null and undefined at once.
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'alpenglow/no-enum': 'error',
  },
  overrides: [
    {
      files: servers,
      rules: { 'no-console': 'error' },
    },
    {
      files: browserPackages,
      rules: {
        'no-console': 'error',
        // Remotes may import only the parts of the router and of TanStack Query that the shell shares
        // (shell/build/router-api.mjs, query-api.mjs). Other imports are undefined in a remote.
        'no-restricted-imports': [
          'error',
          {
            paths: [
              { name: 'react-router-dom', allowImportNames: Object.keys(routerApi), allowTypeImports: true },
              { name: '@tanstack/react-query', allowImportNames: Object.keys(queryApi), allowTypeImports: true },
              { name: 'react-router', message: 'Use react-router-dom.' },
            ],
          },
        ],
        'react/rules-of-hooks': 'error',
        'react/exhaustive-deps': 'warn',
        // Problems that the React compiler reports.
        'react/error-boundaries': 'error',
        'react/globals': 'error',
        'react/immutability': 'error',
        'react/incompatible-library': 'warn',
        'react/preserve-manual-memoization': 'error',
        'react/purity': 'error',
        'react/refs': 'error',
        'react/set-state-in-effect': 'error',
        'react/set-state-in-render': 'error',
        'react/static-components': 'error',
        'react/unsupported-syntax': 'warn',
        'react/use-memo': 'error',
        'react/void-use-memo': 'error',
      },
    },
    {
      // The scripts of `shell/public` and `shell/server/inline` become parts of pages.
      files: [...browserPackages, 'domain/src/contracts/**/*.ts', 'shell/{public,server/inline}/*.{js,ts}'],
      rules: { 'alpenglow/supported-browsers': 'error' },
    },
    {
      files: ['domain/src/**/*.ts'],
      rules: {
        // Domain code is pure. Values that depend on the time or on chance are parameters.
        'no-restricted-globals': [
          'error',
          'process',
          'fetch',
          'setTimeout',
          'setInterval',
          'crypto',
          'performance',
          'Buffer',
        ],
        'no-restricted-properties': ['error', ...CLOCK_AND_CHANCE],
        'alpenglow/no-clock': ['error', 'The domain is pure: take the time as an argument.'],
      },
    },
    {
      files: ['projectors/src/projections/**/*.ts'],
      rules: {
        // A rebuild must produce identical rows, so projections must not use the clock or random values.
        'no-restricted-properties': ['error', ...CLOCK_AND_CHANCE],
        'alpenglow/no-clock': ['error', "A projection never reads the clock: use the event's own time."],
      },
    },
    {
      files: ['{tests,bench,prove}/**/*.{ts,mjs}', '*/test/**/*.{ts,tsx}'],
      // A group of tests is one function, whose tests share little. `expect.any()` and similar matchers have the type
      // `any`.
      rules: { 'max-lines-per-function': 'off', 'typescript/no-unsafe-assignment': 'off' },
    },
    {
      files: ['**/*.mjs', '**/*.js'],
      // The rules about the type `any` are off, because some packages that scripts import have no types.
      rules: {
        'alpenglow/no-this-alias': 'error',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-return': 'off',
        'typescript/no-unsafe-call': 'off',
      },
    },
  ],
});
