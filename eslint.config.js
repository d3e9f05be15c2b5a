import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';
import * as routerApi from './shell/build/router-api.mjs';

const browserPackages = ['ui', 'shell', 'mf-*'].map((name) => `${name}/src/**/*.{ts,tsx}`);
const servers = ['infra', 'command-api', 'query-api', 'projectors', 'workers'].map((name) => `${name}/src/**/*.ts`).concat('shell/server/**/*.ts', 'domain/src/**/*.ts');

export default tseslint.config(
  { ignores: ['**/node_modules/', '**/dist/', '.build/', '.data/', 'coverage/', 'screenshots/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{ts,tsx,mjs,js}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: ['./tsconfig.json', './tsconfig.scripts.json'], tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports', disallowTypeAnnotations: false }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Ports are asynchronous; an adapter that has nothing to wait for still implements them.
      '@typescript-eslint/require-await': 'off',
      // `== null` asks for null and undefined at once.
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      // Interfaces here are made of closures, which have no `this` to lose.
      '@typescript-eslint/unbound-method': 'off',
      'no-restricted-syntax': ['error', { selector: 'TSEnumDeclaration', message: 'Use a union of literals.' }],
    },
  },
  {
    files: servers,
    rules: { 'no-console': 'error' },
  },
  {
    files: browserPackages,
    extends: [reactHooks.configs.flat['recommended-latest']],
    rules: {
      'no-console': 'error',
      // The shell shares only this part of the router (shell/build/router-api.mjs): anything else would be undefined in a remote.
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { paths: [{ name: 'react-router-dom', allowImportNames: Object.keys(routerApi), allowTypeImports: true }, { name: 'react-router', message: 'Use react-router-dom.' }] },
      ],
    },
  },
  {
    files: ['domain/src/**/*.ts'],
    rules: {
      // Pure: what depends on the time or on chance is handed in (design/architecture.md).
      'no-restricted-globals': ['error', 'process', 'fetch', 'setTimeout', 'setInterval', 'crypto', 'performance', 'Buffer'],
      'no-restricted-properties': ['error', { object: 'Date', property: 'now' }, { object: 'Math', property: 'random' }],
      'no-restricted-syntax': [
        'error',
        { selector: 'TSEnumDeclaration', message: 'Use a union of literals.' },
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'The domain is pure: take the time as an argument.' },
      ],
    },
  },
  {
    files: ['projectors/src/projections/**/*.ts'],
    rules: {
      // A rebuild must give identical rows.
      'no-restricted-properties': ['error', { object: 'Date', property: 'now' }, { object: 'Math', property: 'random' }],
      'no-restricted-syntax': [
        'error',
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: "A projection never reads the clock: use the event's own time." },
      ],
    },
  },
  {
    files: ['tests/**/*.ts', '*/test/**/*.{ts,tsx}'],
    // `expect.any()` and its like are typed `any`.
    rules: { '@typescript-eslint/no-unsafe-assignment': 'off' },
  },
  {
    files: ['**/*.mjs', '**/*.js'],
    // Untyped packages are imported here and there; JSDoc carries the rest.
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
    },
  },
);
