import { defineConfig } from 'oxlint';
import type { OxlintOverride } from 'oxlint';
import { partOf, parts } from './tests/house/directions.ts';
import { slices } from './tests/house/slice-folders.ts';

/** Folders of the server that another folder may have no business with. */
const serverParts = [...slices, 'mutations', 'http', 'sync', 'replication', 'host', 'mail', 'sms', 'ops'];

/**
 * The editor's view of tests/house/directions.ts: what a folder's relative imports may not name. The house test is
 * the judge (it follows each import to its file); this shows the slip while it is typed.
 */
const directions: OxlintOverride[] = parts
  .filter(({ path }) => path.startsWith('server/src/') && path.endsWith('/'))
  // The last override that matches a file wins: a folder comes before its subfolders.
  .toSorted((a, b) => a.path.length - b.path.length)
  .map(({ path, uses, usesTypes = [], why }) => {
    const strangers = serverParts.filter((name) => {
      const target = `server/src/${name}/`;
      return partOf(path) !== partOf(target) && ![...uses, ...usesTypes].some((prefix) => prefix.startsWith(target));
    });
    const patterns = [{ regex: `^(\\.\\./)+(${strangers.join('|')})/`, message: `${path}: ${why}` }];
    return { files: [`${path}**/*.ts`], rules: { 'no-restricted-imports': ['error', { patterns }] } };
  });

export default defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'promise', 'vitest', 'node', 'oxc'],
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['**/dist', '**/node_modules', 'coverage', '.data'],
  categories: { correctness: 'error', suspicious: 'error', perf: 'error' },
  rules: {
    // Types are the first reviewer: nothing gets past them unsaid.
    'typescript/no-explicit-any': 'error',
    'typescript/no-unsafe-argument': 'error',
    'typescript/no-unsafe-assignment': 'error',
    'typescript/no-unsafe-call': 'error',
    'typescript/no-unsafe-member-access': 'error',
    'typescript/no-unsafe-return': 'error',
    'typescript/no-unsafe-function-type': 'error',
    'typescript/ban-ts-comment': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],

    // Without an await, the error of a promise is lost.
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/return-await': ['error', 'error-handling-correctness-only'],
    'typescript/only-throw-error': 'error',
    'typescript/prefer-promise-reject-errors': 'error',

    'no-console': 'error',
    'no-var': 'error',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    'prefer-const': 'error',
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'import/no-cycle': 'error',
    'import/no-default-export': 'error',
    'import/no-unassigned-import': ['error', { allow: ['**/*.css'] }],
    'vitest/no-focused-tests': 'error',
    'vitest/no-disabled-tests': 'error',
    // A page test sees a text, or fails.
    'vitest/expect-expect': ['error', { assertFunctionNames: ['expect', 'expectTypeOf', '**.sees'] }],

    // Off, with the reason.
    'no-await-in-loop': 'off', // where order matters, one after the other is the meaning
    'no-underscore-dangle': 'off', // zod/mini's `_default`
    'no-control-regex': 'off', // the field rules search for NUL and control characters
    'import/no-named-as-default-member': 'off', // `pg` is CommonJS: its default export is its door
    'unicorn/consistent-function-scoping': 'off', // a small function lives beside its one caller
    'unicorn/no-array-sort': 'off', // sorting a fresh copy in place is safe
    'unicorn/prefer-set-has': 'off', // five names in an array read better
    'unicorn/no-useless-spread': 'off', // a copy permits listeners to unsubscribe during the calls
    'unicorn/prefer-add-event-listener': 'off', // an IndexedDB request has one listener, set where it is made
    'unicorn/require-post-message-target-origin': 'off', // it takes a BroadcastChannel, which is of one origin, for a window
    'promise/valid-params': 'off', // takes zod/mini's `catch` for a promise's; types check the promises
    'promise/no-promise-in-callback': 'off', // takes every function with an `error` parameter for Node's old callbacks
    'oxc/no-map-spread': 'off', // measured speed decides, where it matters
  },
  overrides: [
    ...directions,
    {
      files: ['sync-protocol/**/*.ts', 'client-sdk/**/*.ts'],
      rules: {
        'no-restricted-imports': [
          'error',
          { paths: [{ name: 'zod', message: 'zod/mini: the other door weighs 25–93 kB.' }] },
        ],
      },
    },
    {
      // Programs, benches and the test ground talk to people on a terminal.
      files: [
        'server/src/main.ts',
        'server/bin/**',
        '**/cli.ts',
        'tests/bench/**',
        'tests/soak/**',
        'tests/support/**',
      ],
      rules: { 'no-console': 'off' },
    },
    // Fixtures contain the expectations of several tests.
    { files: ['tests/support/**', 'tests/pages/**'], rules: { 'vitest/no-standalone-expect': 'off' } },
    {
      // Plain JavaScript runs before anything is installed, without types to check it by.
      files: ['**/*.mjs'],
      rules: {
        'no-console': 'off',
        'typescript/no-unsafe-argument': 'off',
        'typescript/no-unsafe-assignment': 'off',
        'typescript/no-unsafe-call': 'off',
        'typescript/no-unsafe-member-access': 'off',
        'typescript/no-unsafe-return': 'off',
      },
    },
    // Tools look for a default export in their configuration and their set-up.
    { files: ['**/*.config.ts', 'tests/support/global-setup.ts'], rules: { 'import/no-default-export': 'off' } },
  ],
});
