import type { IForbiddenRuleType } from 'dependency-cruiser';

/**
 * The import rules of the architecture, as patterns: a new remote or a new file falls under them without being named.
 * Paths are relative to the repository.
 */

const WORKSPACES = '^(domain|infra|command-api|query-api|projectors|workers|ui|shell|mf-[^/]+|tests)/';
const SERVERS = '^(infra|command-api|query-api|projectors|workers|shell/server)/';
/** Where browser code lies: what it may reach ends up on a visitor's machine. */
const BROWSER_SOURCES = '^(ui|shell|mf-[^/]+)/src/';
/** Tests of a package may use anything, so only what ships is held to the rules. */
const NOT_SHIPPED = '^tests/|/test/|\\.test\\.tsx?$';

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
];
const packageFolders = (names: readonly string[]): string => `(^|/)node_modules/(${names.join('|')})/`;

/** One row of the table in design/architecture.md: who may import which other workspace. */
interface MayImport {
  readonly who: string;
  readonly from: string;
  readonly allowed: readonly string[];
}

const TABLE: readonly MayImport[] = [
  { who: 'domain', from: '^domain/src/', allowed: ['^domain/src/'] },
  { who: 'infra', from: '^infra/src/', allowed: ['^infra/src/', '^domain/src/'] },
  { who: 'command-api', from: '^command-api/src/', allowed: ['^command-api/src/', '^domain/src/', '^infra/src/'] },
  { who: 'query-api', from: '^query-api/src/', allowed: ['^query-api/src/', '^domain/src/', '^infra/src/'] },
  { who: 'projectors', from: '^projectors/src/', allowed: ['^projectors/src/', '^domain/src/', '^infra/src/'] },
  { who: 'workers', from: '^workers/src/', allowed: ['^workers/src/', '^domain/src/', '^infra/src/'] },
  { who: 'ui', from: '^ui/src/', allowed: ['^ui/src/', '^domain/src/contracts/'] },
  { who: 'shell', from: '^shell/src/', allowed: ['^shell/src/', '^ui/src/', '^domain/src/contracts/'] },
  {
    who: 'shell-server',
    from: '^shell/server/',
    allowed: ['^shell/(server|src)/', '^ui/src/', '^domain/src/contracts/', '^infra/src/'],
  },
  { who: 'mf', from: '^(mf-[^/]+)/src/', allowed: ['^$1/src/', '^ui/src/', '^domain/src/contracts/'] },
  // The launcher composes every service into one process, and tools work on what it runs; they are the one exception.
  {
    who: 'launcher',
    from: '^infra/(embedded|tools)/',
    allowed: ['^infra/', '^(domain|command-api|query-api|projectors|workers)/src/', '^shell/server/'],
  },
];

const mayImport = ({ who, from, allowed }: MayImport): IForbiddenRuleType => ({
  name: `${who}-imports-only-what-it-may`,
  severity: 'error',
  from: { path: from, pathNot: NOT_SHIPPED },
  to: { path: WORKSPACES, pathNot: [...allowed, '(^|/)node_modules/'] },
});

export const RULES: IForbiddenRuleType[] = [
  ...TABLE.map(mayImport),
  {
    name: 'no-circle',
    comment: 'Types may refer to each other; code that runs may not.',
    severity: 'error',
    from: {},
    to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
  },
  {
    name: 'domain-is-pure',
    comment: 'zod only: no I/O, no clock, no library that has either. A port may name a type of Node, a stream say.',
    severity: 'error',
    from: { path: '^domain/src/', pathNot: NOT_SHIPPED },
    to: { pathNot: ['^domain/src/', '(^|/)node_modules/zod/'], dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'drivers-only-in-adapters',
    severity: 'error',
    from: { pathNot: [NOT_SHIPPED, '^infra/src/adapters/', '(^|/)node_modules/'] },
    to: { path: packageFolders(DRIVERS) },
  },
  {
    name: 'sharp-only-in-adapters-and-workers',
    severity: 'error',
    from: { pathNot: [NOT_SHIPPED, '^infra/src/adapters/', '^workers/src/', '(^|/)node_modules/'] },
    to: { path: packageFolders(['sharp']) },
  },
  {
    name: 'ffprobe-only-in-workers',
    severity: 'error',
    from: { pathNot: [NOT_SHIPPED, '^workers/src/', '(^|/)node_modules/'] },
    to: { path: packageFolders(['ffprobe-static']) },
  },
  {
    name: 'browser-never-imports-server',
    severity: 'error',
    from: { path: BROWSER_SOURCES, pathNot: NOT_SHIPPED },
    to: { path: SERVERS },
  },
  {
    name: 'browser-never-imports-node',
    severity: 'error',
    from: { path: BROWSER_SOURCES, pathNot: NOT_SHIPPED },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'packages-meet-at-their-exports',
    comment: 'Another workspace is imported by its name, so that only what it exports can be reached.',
    severity: 'error',
    from: { path: '^([^/]+)/(src|server|embedded|tools)/', pathNot: NOT_SHIPPED },
    to: { path: WORKSPACES, pathNot: ['^$1/', '(^|/)node_modules/'], dependencyTypesNot: ['aliased-workspace'] },
  },
  {
    name: 'nothing-ships-tests',
    severity: 'error',
    from: { pathNot: NOT_SHIPPED },
    to: { path: NOT_SHIPPED },
  },
  {
    name: 'declared-dependencies-only',
    comment: 'What a package imports stands in its own package.json (or the root one).',
    severity: 'error',
    from: { path: WORKSPACES, pathNot: '(^|/)node_modules/' },
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  },
  {
    name: 'every-import-resolves',
    severity: 'error',
    // A remote run alone is linked in by an alias of the build.
    from: { path: WORKSPACES, pathNot: ['(^|/)node_modules/', '^shell/build/dev/'] },
    to: { couldNotResolve: true },
  },
];
