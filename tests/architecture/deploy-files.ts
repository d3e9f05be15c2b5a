/** Reads the deployment files, which are the Dockerfile, the compose file and the Kubernetes manifests. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { SERVICES as BEHIND_GATEWAY } from '../../launcher/cluster/supervisor.mjs';

export const root = path.resolve(import.meta.dirname, '../..');
export const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

export const SERVICES: readonly string[] = [...BEHIND_GATEWAY, 'gateway'];
/** The services that connect to backing services. */
export const BACKING_SERVICE_USERS = ['command-api', 'query-api', 'projectors', 'workers'];

/** The programs that build-servers.mjs bundles: their names and their source files. */
const bundledPrograms = [
  ...block(read('launcher/build/build-servers.mjs'), 'const entry = {').matchAll(/^ {2}'?([a-z-]+)'?: '\.\/(.+)'/gmu),
].map(([, name = '', file = '']) => ({ name, file }));
/** Names of the programs that the image can start, from build-servers.mjs and run.mjs. */
export const startablePrograms = [
  ...bundledPrograms.map(({ name }) => name).filter((name) => name !== 'embedded'),
  'front-ends',
];
/** Names of the tools of the image. A tool ends when its work is done. */
export const TOOLS = bundledPrograms.filter(({ file }) => file.startsWith('launcher/tools/')).map(({ name }) => name);

const EVENTS = ['DATABASE_URL', 'EVENTSTORE_URL', 'SECRET_DATA_KEYS'] as const;
const ACCOUNTS = [...EVENTS, 'SECRET_ACCOUNT_IDS'] as const;
/**
 * The settings with which the functions of infra/src/service/backing-services.ts reach backing services and read
 * secrets.
 */
const SETTINGS_OF_FUNCTIONS = {
  openEvents: EVENTS,
  openAccounts: ACCOUNTS,
  openCore: [...ACCOUNTS, 'SECRET_VERIFICATION_CODES'],
  openReadPool: ['DATABASE_READ_URLS'],
  openJobs: ['REDIS_URL'],
  openRequestStorage: ['REDIS_URL'],
  openBlobStore: ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  openLiveFeed: ['KAFKA_BROKERS', 'KAFKA_USERNAME', 'KAFKA_PASSWORD'],
  openLivePublisher: ['KAFKA_BROKERS', 'KAFKA_USERNAME', 'KAFKA_PASSWORD'],
  openMail: ['SMTP_URL', 'EMAIL_SERVICE_URL', 'EMAIL_PUBLIC_KEY', 'EMAIL_PRIVATE_KEY'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
/** All secrets, and the addresses of backing services, which may contain passwords. */
export const BACKING_SETTINGS: ReadonlySet<string> = new Set(Object.values(SETTINGS_OF_FUNCTIONS).flat());

/**
 * Returns the secrets and the addresses of backing services that the code of a program uses: those of the functions
 * that it calls. A tool also reads properties of the configuration itself.
 */
export function usedBackingSettings(program: string): ReadonlySet<string> {
  const code = sourceFilesOf(program).map(read).join('\n');
  const calls = [...code.matchAll(/\b(open\w+)\(/gu)].map(([, name = '']) => name);
  const ofCalls = Object.entries(SETTINGS_OF_FUNCTIONS).flatMap(([name, variables]) =>
    calls.includes(name) ? variables : [],
  );
  const ofProperties = TOOLS.includes(program)
    ? [...code.matchAll(/\bconfig\.(\w+)/gu)].flatMap(([, property = '']) => settingsOfProperty.get(property) ?? [])
    : [];
  const ofSecrets = [...code.matchAll(/\bselectSecrets\([\w.]*\bconfig\.secrets, ([^)]*)\)/gu)].flatMap(
    ([, names = '']) =>
      secretVariables.flatMap(([name, variable]) =>
        names === 'ALL_SECRETS' || names.includes(`'${name}'`) ? [variable] : [],
      ),
  );
  return new Set([...ofCalls, ...ofProperties, ...ofSecrets].filter((name) => BACKING_SETTINGS.has(name)));
}

/** The environment variables of the secrets, by the name of the secret. */
const secretVariables = [
  ...read('infra/src/service/config.ts').matchAll(/\bsecrets\.(\w+) = settings\.(SECRET_\w+);/gu),
].map(([, name = '', variable = '']) => [name, variable] as const);

/** The settings from which `readConfig` derives each property of the configuration, by the name of the property. */
const settingsOfProperty: ReadonlyMap<string, readonly string[]> = new Map(
  block(read('infra/src/service/config.ts'), '  return {\n    port:')
    .split(/^ {4}(?=\w+[:,])/mu)
    .map((property) => [
      /^\w+/u.exec(property)?.[0] ?? '',
      [...property.matchAll(/\b[A-Z]\w*_\w+\b/gu)].map(([name]) => name),
    ]),
);

function sourceFilesOf(program: string): readonly string[] {
  if (TOOLS.includes(program)) return importedTools(`launcher/tools/${program}.ts`);
  if (!BACKING_SERVICE_USERS.includes(program)) return [];
  const folder = `${program}/src`;
  return (readdirSync(path.join(root, folder), { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.join(folder, file));
}

/** Returns the file of a tool, and the files of `launcher/tools` that it imports directly or indirectly. */
function importedTools(file: string, found = new Set<string>()): readonly string[] {
  if (!found.has(file) && file.startsWith('launcher/tools/')) {
    found.add(file);
    for (const [, imported = ''] of read(file).matchAll(/ from '(\.{1,2}\/[^']+)'/gu))
      importedTools(path.join(path.dirname(file), imported), found);
  }
  return [...found];
}

/** Returns the parts of a configuration that use backing services or secrets, with whether a program uses them. */
export function expectedBackingServices(program: string): Readonly<Record<string, boolean>> {
  const used = usedBackingSettings(program);
  return {
    databaseUrl: used.has('DATABASE_URL'),
    eventStoreUrl: used.has('EVENTSTORE_URL'),
    kafka: used.has('KAFKA_BROKERS'),
    redisUrl: used.has('REDIS_URL'),
    s3: used.has('S3_ACCESS_KEY_ID'),
    secrets: used.has('SECRET_DATA_KEYS'),
  };
}

/** Names of the settings that infra/src/service/config.ts reads. */
const settings = [...read('infra/src/service/config.ts').matchAll(/^ {2}([A-Z0-9_]+):/gmu)].map(
  ([, name = '']) => name,
);
/** Environment variables of Node, its memory allocator, and the program `front-ends`. */
const RUNTIME_SETTINGS = [
  ...['NODE_ENV', 'MALLOC_ARENA_MAX', 'MALLOC_TRIM_THRESHOLD_', 'NODE_EXTRA_CA_CERTS', 'FRONT_END_PRIVATE_KEY'],
];
export const unknownSettings = (env: object): readonly string[] =>
  Object.keys(env).filter((name) => !settings.includes(name) && !RUNTIME_SETTINGS.includes(name));

/** Maximum duration of the shutdown of a service, from infra/src/service/service.ts. */
export const STOP_LIMIT_ms = constant('STOP_LIMIT_ms');

function constant(name: string): number {
  const value = new RegExp(`const ${name} = ([\\d_]+);`, 'u').exec(read('infra/src/service/service.ts'))?.[1];
  if (value === undefined) throw new Error(`infra/src/service/service.ts has no ${name}`);
  return Number(value.replaceAll('_', ''));
}

function block(text: string, start: string): string {
  const from = text.indexOf(start);
  if (from === -1) throw new Error(`"${start}" was not found`);
  return text.slice(from, text.indexOf('\n}', from));
}

/**
 * Checks whether an image name has no digest, so that it may refer to a different image later. Images of this product
 * have no digest before they are pushed. They need an exact version.
 */
export function isUnpinned(image: string): boolean {
  return !/@sha256:[0-9a-f]{64}$/u.test(image) && !/^alpenglow:\d+\.\d+/u.test(image);
}

/** The environment variables of the image, from the Dockerfile. */
export const imageEnv: Readonly<Record<string, string>> = Object.fromEntries(
  /^ENV ((?:.*\\\n)*.*)$/mu
    .exec(read('infra/deploy/Dockerfile'))?.[1]
    ?.replaceAll('\\\n', ' ')
    .split(/\s+/u)
    .map((pair) => pair.split('=') as [string, string]) ?? [],
);

/** Example of a secret that an operator sets. Secrets have 64 hex digits. */
const EXAMPLE_SECRET = '0123456789abcdef'.repeat(4);

export interface ComposeService {
  readonly image: string;
  readonly build?: { readonly args: Readonly<Record<string, string>> };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly networks?: readonly string[];
  readonly network_mode?: string;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly restart?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
  readonly logging?: { readonly options: Readonly<Record<string, string>> };
  readonly deploy?: {
    readonly resources: { readonly limits: { readonly cpus: string; readonly memory: string; readonly pids?: number } };
  };
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const VARIABLE = /\$\{([A-Z0-9_]+)(?::([-?])([^}]*))?\}/gu;

/** Returns the variables of a compose file by name. `otherwise` is the default value, or null if there is none. */
export function composeVariables(
  text: string,
): ReadonlyMap<string, { readonly isRequired: boolean; readonly otherwise: string | null }> {
  return new Map(
    [...text.matchAll(VARIABLE)].map(([, name = '', kind, rest = '']) => [
      name,
      { isRequired: kind === '?', otherwise: kind === '-' ? rest : null },
    ]),
  );
}

/**
 * Reads the compose file with the variables of compose.env. Applies the default values of other variables, and uses
 * `EXAMPLE_SECRET` for every required secret.
 */
export function readCompose(variables: Readonly<Record<string, string>> = {}): Compose {
  const resolveVariables = (_name: unknown, value: unknown) =>
    typeof value === 'string'
      ? value.replace(
          VARIABLE,
          (_, variable: string, kind: string, rest: string) =>
            variables[variable] ?? (kind === '-' ? rest : EXAMPLE_SECRET),
        )
      : value;
  return parse(read('infra/deploy/compose.yaml'), resolveVariables, { merge: true }) as Compose;
}

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name?: string;
    readonly generateName?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom?: readonly {
    readonly configMapRef?: { readonly name: string };
    readonly secretRef?: { readonly name: string };
  }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources: {
    readonly requests: Readonly<Record<string, string>>;
    readonly limits: Readonly<Record<string, string>>;
  };
  readonly securityContext: unknown;
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

export interface PodTemplate {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly securityContext: Readonly<Record<string, unknown>>;
    readonly automountServiceAccountToken: boolean;
    readonly enableServiceLinks: boolean;
    readonly terminationGracePeriodSeconds?: number;
    readonly topologySpreadConstraints?: readonly { readonly topologyKey: string }[];
  };
}

/** A Kubernetes CronJob. */
export interface CronJob extends Manifest {
  readonly spec: {
    readonly schedule: string;
    readonly jobTemplate: { readonly metadata?: Manifest['metadata']; readonly spec: Workload['spec'] };
  };
}

/** A Kubernetes Deployment or Job. */
export interface Workload extends Manifest {
  readonly spec: {
    readonly replicas?: number;
    readonly strategy?: unknown;
    readonly selector?: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly template: PodTemplate;
  };
}

const K8S = 'infra/deploy/k8s';
export const manifests = (file: string): readonly Manifest[] =>
  parseAllDocuments(read(`${K8S}/${file}`)).map((document) => document.toJS() as Manifest);
export const yamlFiles = (folder: string): readonly string[] =>
  (readdirSync(path.join(root, K8S, folder), { recursive: true }) as string[])
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => path.join(folder, file))
    .sort();

export interface Kustomization {
  readonly resources: readonly string[];
  readonly replicas?: readonly { readonly name: string; readonly count: number }[];
  readonly images?: readonly { readonly name: string; readonly newName: string; readonly digest: string }[];
  readonly configMapGenerator: readonly { readonly name: string; readonly literals: readonly string[] }[];
  readonly secretGenerator?: readonly { readonly name: string; readonly envs: readonly string[] }[];
}
export const kustomization = (folder: string): Kustomization =>
  parse(read(`${K8S}/${folder}/kustomization.yaml`)) as Kustomization;

/**
 * Reads the Kubernetes manifests of the folder `base`. Merges the common parts in `every-deployment.yaml` into each
 * Deployment.
 */
export function readBase(): readonly Manifest[] {
  const [every] = manifests('base/every-deployment.yaml');
  return kustomization('base')
    .resources.flatMap((file) => manifests(`base/${file}`))
    .map((manifest) =>
      manifest.kind === 'Deployment' && every ? (mergeManifests(manifest, { spec: every.spec }) as Manifest) : manifest,
    );
}

/** Merges two manifests with the rules of Kubernetes. List members with the same `mountPath` or `name` are merged. */
export function mergeManifests(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) return mergeLists(one, other);
  if (!isObject(one) || !isObject(other)) return other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      name in one && name in other ? mergeManifests(one[name], other[name]) : (other[name] ?? one[name]),
    ]),
  );
}

function mergeLists(one: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  const key = ['mountPath', 'name'].find((name) =>
    [...one, ...other].every((member) => isObject(member) && name in member),
  );
  if (key === undefined) return other;
  const valueOf = (member: unknown) => (member as Record<string, unknown>)[key];
  const added = one.filter((member) => !other.some((candidate) => valueOf(candidate) === valueOf(member)));
  return [
    ...other.map((member) =>
      mergeManifests(one.find((candidate) => valueOf(candidate) === valueOf(member)) ?? {}, member),
    ),
    ...added,
  ];
}

/** Returns the Deployments and Jobs of a list of manifests. */
export const workloadsOf = (from: readonly Manifest[]): readonly Workload[] =>
  from.filter(({ kind }) => kind === 'Deployment' || kind === 'Job') as readonly unknown[] as readonly Workload[];

/** Returns the CronJobs of a list of manifests as the Jobs that they start. */
export const cronJobsOf = (from: readonly Manifest[]): readonly Workload[] =>
  from
    .filter(({ kind }) => kind === 'CronJob')
    .map((manifest) => ({ ...manifest, spec: (manifest as unknown as CronJob).spec.jobTemplate.spec }));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the only container of a pod. */
export const mainOf = ({ containers }: PodTemplate['spec']): Container => {
  const [main, ...others] = containers;
  if (!main || others.length > 0) throw new Error('A pod has one container');
  return main;
};

/** The Secrets that an operator adds to the Kubernetes overlay, by name. */
export const SECRETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'alpenglow-events': {
    DATABASE_URL: 'postgres://alpenglow@postgres.engines.svc/alpenglow?sslmode=verify-full',
    EVENTSTORE_URL: 'esdb+discover://eventstore.engines.svc:2113',
    SECRET_DATA_KEYS: EXAMPLE_SECRET,
  },
  'alpenglow-replicas': {
    DATABASE_READ_URLS: 'postgres://alpenglow@postgres-ro.engines.svc/alpenglow?sslmode=verify-full',
  },
  'alpenglow-accounts': { SECRET_ACCOUNT_IDS: EXAMPLE_SECRET },
  'alpenglow-codes': { SECRET_VERIFICATION_CODES: EXAMPLE_SECRET },
  'alpenglow-jobs': { REDIS_URL: 'rediss://redis.engines.svc:6379' },
  'alpenglow-blobs': { S3_ACCESS_KEY_ID: 'alpenglow', S3_SECRET_ACCESS_KEY: EXAMPLE_SECRET },
  'alpenglow-live': { KAFKA_USERNAME: 'alpenglow', KAFKA_PASSWORD: EXAMPLE_SECRET },
  // The e-mail sending service is the alternative to a mail server, so its keys are empty.
  'alpenglow-mail': {
    SMTP_URL: 'smtp://alpenglow:password@mail.example.org:587',
    EMAIL_PUBLIC_KEY: '',
    EMAIL_PRIVATE_KEY: '',
  },
  'alpenglow-front-ends': { FRONT_END_PRIVATE_KEY: EXAMPLE_SECRET },
  'alpenglow-metrics': { METRICS_TOKEN: EXAMPLE_SECRET },
};

export function secretsOf(name: string): Readonly<Record<string, string>> {
  const secrets = SECRETS[name];
  if (!secrets) throw new Error(`The Secret ${name} is not known`);
  return secrets;
}

function mapOf(name: string, folders: readonly string[]): Record<string, string> {
  const literals = folders
    .flatMap((folder) => kustomization(folder).configMapGenerator)
    .filter((map) => map.name === name);
  return Object.fromEntries(
    literals.flatMap((map) => map.literals.map((literal) => literal.split(/=(.*)/su, 2) as [string, string])),
  );
}

/**
 * Returns the environment variables of a container of the Kubernetes manifests, with the settings of overlays. Secrets
 * have example values.
 */
export function environmentOf(container: Container, overlays: readonly string[]): Record<string, string> {
  const from = (container.envFrom ?? []).map(({ configMapRef, secretRef }) =>
    configMapRef ? mapOf(configMapRef.name, ['base', ...overlays]) : secretRef ? secretsOf(secretRef.name) : {},
  );
  const all: Record<string, string> = {
    ...imageEnv,
    ...(Object.assign({}, ...from) as Record<string, string>),
    ...Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value])),
  };
  // An empty variable counts as unset.
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/**
 * Returns the arguments and the environment variables of the container of a Kubernetes Job or CronJob in a file of
 * `k8s`.
 */
export function jobIn(file: string, overlays: readonly string[]) {
  const all = manifests(file);
  const [job] = [...workloadsOf(all), ...cronJobsOf(all)];
  if (!job) throw new Error(`${file} has no Job`);
  const main = mainOf(job.spec.template.spec);
  return { args: main.args, environment: environmentOf(main, overlays) };
}
