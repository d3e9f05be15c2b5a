import type { IForbiddenRuleType } from 'dependency-cruiser';

/**
 * The import rules of the architecture. They are path patterns, so new remotes and new files need no new rule. Paths
 * are relative to the repository.
 */

const WORKSPACES =
  '^(domain|infra|launcher|command-api|query-api|projectors|workers|ui|shell|mf-[^/]+|tests|bench|prove)/';
const SERVERS = '^(infra|launcher|command-api|query-api|projectors|workers|shell/server)/';
/** Sources of browser code. Browsers load everything that this code imports. */
const BROWSER_SOURCES = '^(ui|shell|mf-[^/]+)/src/';
/** Code that is not part of the product. It may import anything. */
const NOT_SHIPPED = '^(tests|bench|prove)/|/test/|\\.test\\.tsx?$';

const DRIVERS = [
  'pg',
  'pg-[^/]+',
  'node-pg-migrate',
  'bullmq',
  'ioredis',
  'kafkajs',
  'rate-limiter-flexible',
  '@eventstore/[^/]+',
  '@kurrent/[^/]+',
  '@aws-sdk/[^/]+',
  '@node-rs/argon2',
  'nodemailer',
  '@opentelemetry/[^/]+',
];
const packageFolders = (names: readonly string[]): string => `(^|/)node_modules/(${names.join('|')})/`;

/** One row of the import rules: the workspaces that one workspace may import. */
interface AllowedImports {
  readonly workspace: string;
  readonly from: string;
  readonly allowed: readonly string[];
}

const ALLOWED_IMPORTS: readonly AllowedImports[] = [
  { workspace: 'domain', from: '^domain/src/', allowed: ['^domain/src/'] },
  { workspace: 'infra', from: '^infra/', allowed: ['^infra/', '^domain/src/'] },
  {
    workspace: 'command-api',
    from: '^command-api/src/',
    allowed: ['^command-api/src/', '^domain/src/', '^infra/src/'],
  },
  { workspace: 'query-api', from: '^query-api/src/', allowed: ['^query-api/src/', '^domain/src/', '^infra/src/'] },
  { workspace: 'projectors', from: '^projectors/src/', allowed: ['^projectors/src/', '^domain/src/', '^infra/src/'] },
  { workspace: 'workers', from: '^workers/src/', allowed: ['^workers/src/', '^domain/src/', '^infra/src/'] },
  { workspace: 'ui', from: '^ui/src/', allowed: ['^ui/src/', '^domain/src/contracts/'] },
  { workspace: 'shell', from: '^shell/src/', allowed: ['^shell/src/', '^ui/src/', '^domain/src/contracts/'] },
  {
    workspace: 'shell-server',
    from: '^shell/server/',
    // Deployments and the server use the same rules for builds, and the server also rolls builds back.
    allowed: [
      '^shell/(server|src)/',
      '^shell/build/(digests|registry|registry-entry|shell-compatibility|shell-files|signing|local-remote-token)[.]mjs$',
      '^ui/src/',
      '^domain/src/contracts/',
      '^infra/src/',
    ],
  },
  { workspace: 'mf', from: '^(mf-[^/]+)/src/', allowed: ['^$1/src/', '^ui/src/', '^domain/src/contracts/'] },
  // The launcher combines all services in one process, and its tools use the data of all services. It may therefore
  // import all of them.
  {
    workspace: 'launcher',
    from: '^launcher/',
    allowed: [
      '^launcher/',
      '^(domain|infra|command-api|query-api|projectors|workers)/src/',
      '^shell/server/',
      // The builds of servers and of front ends use the same function to detect changed inputs.
      '^shell/build/hash-files[.]mjs$',
      '^infra/(deploy|gateway)/',
    ],
  },
];

const toRule = ({ workspace, from, allowed }: AllowedImports): IForbiddenRuleType => ({
  name: `${workspace}-imports-only-allowed-workspaces`,
  severity: 'error',
  from: { path: from, pathNot: NOT_SHIPPED },
  to: { path: WORKSPACES, pathNot: [...allowed, '(^|/)node_modules/'] },
});

export const RULES: IForbiddenRuleType[] = [
  ...ALLOWED_IMPORTS.map(toRule),
  {
    name: 'no-circular-imports',
    comment: 'Type imports count as well, because two files that depend on each other cannot be understood separately.',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'domain-is-pure',
    comment:
      'Only zod and libphonenumber-js are allowed: no I/O, no clock, no library that uses them. A port may use types ' +
      'of Node, e.g. streams.',
    severity: 'error',
    from: { path: '^domain/src/', pathNot: NOT_SHIPPED },
    to: { pathNot: ['^domain/src/', '(^|/)node_modules/(zod|libphonenumber-js)/'], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'deciders-only-in-command-handling',
    comment: 'Only the domain and the services that handle commands decide. Infra runs the processes of the domain.',
    severity: 'error',
    from: { pathNot: [NOT_SHIPPED, '^(domain|command-api|workers|launcher)/', '(^|/)node_modules/'] },
    to: { path: '^domain/src/(deciders|.*/decide)\\.ts$' },
  },
  {
    name: 'drivers-only-in-adapters',
    severity: 'error',
    from: { pathNot: [NOT_SHIPPED, '^infra/src/adapters/', '(^|/)node_modules/'] },
    to: { path: packageFolders(DRIVERS) },
  },
  {
    name: 'media-libraries-only-in-the-decoder',
    comment: 'Files of unknown origin are read only in a process of its own (decision 0058).',
    severity: 'error',
    from: { pathNot: [NOT_SHIPPED, '^infra/decoder/', '(^|/)node_modules/'] },
    to: { path: packageFolders(['sharp', 'mediabunny', 'ffprobe-static']) },
  },
  {
    name: 'browser-never-imports-server',
    severity: 'error',
    from: { path: BROWSER_SOURCES, pathNot: NOT_SHIPPED },
    to: { path: SERVERS },
  },
  {
    name: 'telephone-numbers-only-on-servers',
    comment: 'The list of all telephone numbers of libphonenumber-js is larger than a front end.',
    severity: 'error',
    from: { path: '^domain/src/contracts/', pathNot: NOT_SHIPPED },
    to: { path: '^domain/src/contact-details/', reachable: true },
  },
  {
    name: 'browser-never-imports-node',
    severity: 'error',
    from: { path: BROWSER_SOURCES, pathNot: NOT_SHIPPED },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'cross-package-imports-use-exports',
    comment: 'Another workspace is imported by its name, so that only its exports are accessible.',
    severity: 'error',
    from: { path: '^([^/]+)/(src|server|embedded|postgres|seed|tools)/', pathNot: NOT_SHIPPED },
    to: { path: WORKSPACES, pathNot: ['^$1/', '(^|/)node_modules/'], dependencyTypesNot: ['aliased-workspace'] },
  },
  {
    name: 'no-test-imports-in-shipped-code',
    severity: 'error',
    from: { pathNot: NOT_SHIPPED },
    to: { path: NOT_SHIPPED },
  },
  {
    name: 'shared-test-code-in-tests-support',
    comment: 'What benchmarks and the checker share with each other or with tests is in tests/support.',
    severity: 'error',
    from: { path: '^(tests|bench|prove)/' },
    to: { path: '^(bench|prove)/', pathNot: ['^$1/', '(^|/)node_modules/'] },
  },
  {
    name: 'declared-dependencies-only',
    comment: 'A workspace declares what it imports. `checkImports` also rejects what only the root declares.',
    severity: 'error',
    from: { path: WORKSPACES, pathNot: '(^|/)node_modules/' },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  },
  {
    name: 'every-import-resolves',
    severity: 'error',
    // Files in shell/build/dev and shell/build/types import a name that only the build can resolve. The dependencies of
    // bench/peers are installed only when its benchmark runs.
    from: { path: WORKSPACES, pathNot: ['(^|/)node_modules/', '^shell/build/(dev|types)/', '^bench/peers/'] },
    to: { couldNotResolve: true },
  },
];
