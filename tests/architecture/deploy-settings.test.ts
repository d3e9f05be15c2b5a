import { readdirSync } from 'node:fs';
import path from 'node:path';
import { readConfig } from '@alpenglow/infra';
import { describe, expect, it } from 'vitest';
import {
  BACKING_SETTINGS,
  composeVariables,
  cronJobsOf,
  environmentOf,
  imageEnv,
  kustomization,
  mainOf,
  manifests,
  read,
  readBase,
  readCompose,
  root,
  SECRETS,
  TOOLS,
  usedBackingSettings,
  workloadsOf,
  yamlFiles,
  type Container,
  type Manifest,
} from './deploy-files.ts';

/** Compares the deployment files with docs/configuration.md and with each other (decision 0126). */

/** The names of the settings in the tables of docs/configuration.md. */
const documented = [...read('docs/configuration.md').matchAll(/^\| ((?:`[A-Z0-9_]+` ?)+)\|/gmu)].flatMap(
  ([, names = '']) => [...names.matchAll(/[A-Z0-9_]+/gu)].map(([name]) => name),
);
/** Settings with credentials: passwords, keys, tokens, and addresses that may contain a password. */
const CREDENTIAL = new RegExp(
  'PASSWORD|SECRET|TOKEN|PRIVATE_KEY|PUBLIC_KEY|ACCESS_KEY_ID|USERNAME|' +
    '^(?:DATABASE_URL|DATABASE_READ_URLS|EVENTSTORE_URL|REDIS_URL|SMTP_URL)$',
  'u',
);
const credentials = documented.filter(
  (name) => CREDENTIAL.test(name) && !/^(?:TEST|BENCH|FUZZ|KILL|FAULT)_|EXPOSE_/u.test(name),
);
/** Variables of Node, its memory allocator, and of other programs than the product. */
const OF_OTHERS = /^(?:NODE_EXTRA_CA_CERTS|NODE_ENV|MALLOC_\w+|POSTGRES_\w+)$/u;

/** `components` has only parts of manifests. */
const folders = ['base', 'overlays', 'jobs', 'backups'];
const files = folders.flatMap(yamlFiles);
const all = files.flatMap(manifests);

/** Returns all containers in a manifest. */
function containersIn(value: unknown): readonly Container[] {
  if (Array.isArray(value)) return value.flatMap(containersIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'containers' || key === 'initContainers' ? (inner as Container[]) : containersIn(inner),
  );
}

/** The variables of every container in every manifest, with the file. */
const variables = files.flatMap((file) =>
  manifests(file).flatMap((manifest) =>
    containersIn(manifest).flatMap(({ env = [] }) => env.map(({ name }) => [file, name] as const)),
  ),
);
const generators = ['base', 'overlays/example', 'overlays/demo'].map(
  (folder) => [folder, kustomization(folder)] as const,
);
const literals = generators.flatMap(([folder, { configMapGenerator }]) =>
  configMapGenerator.flatMap((map) => map.literals.map((literal) => [folder, literal.split('=', 1)[0] ?? ''] as const)),
);
const secretFiles = readdirSync(path.join(root, 'infra/deploy/k8s/overlays/example')).filter((file) =>
  file.endsWith('.env.example'),
);
const secretNames = secretFiles.flatMap((file) =>
  [...read(`infra/deploy/k8s/overlays/example/${file}`).matchAll(/^([A-Z0-9_]+)=/gmu)].map(([, name = '']) => name),
);

describe('the manifests of Kubernetes', () => {
  it('have only variables that docs/configuration.md lists', () => {
    expect(documented.length).toBeGreaterThan(70);
    expect(variables.length).toBeGreaterThan(5);
    expect(literals.length).toBeGreaterThan(10);
    for (const [file, name] of [...variables, ...literals, ...secretNames.map((each) => ['Secret', each] as const)])
      expect(documented.includes(name) || OF_OTHERS.test(name), `${file}: ${name}`).toBe(true);
  });

  it('have every credential in a Secret, and in nothing else', () => {
    expect(credentials).toEqual(expect.arrayContaining(['KAFKA_PASSWORD', 'EMAIL_PRIVATE_KEY', 'METRICS_TOKEN']));
    expect(secretNames.toSorted()).toEqual(
      [...credentials, 'EVENTSTORE_STREAM_PREFIX'].filter((name) => secretNames.includes(name)).sort(),
    );
    expect(credentials.filter((name) => !secretNames.includes(name))).toEqual([]);
    const inMaps = literals.map(([, name]) => name).filter((name) => credentials.includes(name));
    expect(inMaps).toEqual([]);
    // The practice of a restore names its own server, which has no password.
    const inContainers = variables.filter(([file, name]) => credentials.includes(name) && !file.includes('practice'));
    expect(inContainers).toEqual([]);
  });

  it('use every ConfigMap, Secret and volume that they name, and name every one that exists', () => {
    const names = (kind: 'configMapRef' | 'secretRef') =>
      new Set(
        all.flatMap(containersIn).flatMap(({ envFrom = [] }) => envFrom.flatMap((from) => from[kind]?.name ?? [])),
      );
    const maps = generators.flatMap(([, { configMapGenerator }]) => configMapGenerator.map(({ name }) => name));
    expect([...names('configMapRef')].sort()).toEqual([...new Set(maps)].sort());
    const { secretGenerator = [] } = kustomization('overlays/example');
    expect([...names('secretRef')].sort()).toEqual(secretGenerator.map(({ name }) => name).sort());
    expect(Object.keys(SECRETS).sort()).toEqual(secretGenerator.map(({ name }) => name).sort());
    const claims = new Set([...JSON.stringify(all).matchAll(/"claimName":"([^"]+)"/gu)].map(([, name]) => name));
    const volumes = all.filter(({ kind }) => kind === 'PersistentVolumeClaim').map(({ metadata }) => metadata.name);
    expect([...claims].sort()).toEqual(volumes.sort());
  });

  it('give a login at Kafka to everything that connects to it', () => {
    const users = all
      .flatMap(containersIn)
      .filter(({ envFrom = [] }) => envFrom.some(({ configMapRef }) => configMapRef?.name === 'alpenglow-live'));
    expect(users.map(({ args }) => args[0]).sort()).toEqual(['projectors', 'query-api', 'restore']);
    for (const { envFrom } of users)
      expect(envFrom).toContainEqual({ secretRef: { name: 'alpenglow-live', optional: true } });
  });

  it('permit NodeLocal DNSCache and the DNS of the cluster', () => {
    const policy = readBase().find(({ metadata }) => metadata.name === 'everybody-asks-for-names');
    expect(policy?.spec['egress']).toEqual([
      {
        to: [
          {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
            podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
          },
          { ipBlock: { cidr: '169.254.20.10/32' } },
        ],
        ports: [
          { port: 53, protocol: 'UDP' },
          { port: 53, protocol: 'TCP' },
        ],
      },
    ]);
  });
});

describe('the CronJobs', () => {
  const jobs = new Map(cronJobsOf(all).map((job) => [job.metadata.name, job]));
  const podOf = (name: string) => jobs.get(name)?.spec.template;
  const containerOf = (name: string): Container => {
    const pod = podOf(name);
    if (!pod) throw new Error(`There is no CronJob ${name}`);
    return mainOf(pod.spec);
  };
  const overlays = ['overlays/example'];

  it('back up every night with the secrets and rights of a backup, and no others', () => {
    const main = containerOf('backup');
    expect(main.args).toEqual(['backup', '--in', '/backups']);
    expect(TOOLS).toContain('backup');
    const given = Object.keys(environmentOf(main, overlays)).filter((name) => BACKING_SETTINGS.has(name));
    expect(given.sort()).toEqual([...usedBackingSettings('backup')].sort());
    expect(environmentOf(main, overlays)).toMatchObject({
      BACKUP_KEY_FILE: '/keys/backup-key.txt',
      BACKUP_RETENTION_DAYS: '30',
    });
    expect(podOf('backup')?.metadata.labels['alpenglow/uses-engines']).toBe('yes');
  });

  it('practice the restore without the addresses of the installation and the right to reach them', () => {
    const main = containerOf('restore-practice');
    expect(main.args).toEqual(['restore', '--in', '/backups']);
    const environment = environmentOf(main, overlays);
    expect(environment['DATABASE_URL']).toBe('postgres://alpenglow@127.0.0.1:5432/alpenglow');
    expect(
      Object.keys(environment)
        .filter((name) => BACKING_SETTINGS.has(name))
        .sort(),
    ).toEqual(['DATABASE_URL', 'SECRET_ACCOUNT_IDS', 'SECRET_DATA_KEYS', 'SECRET_VERIFICATION_CODES'].sort());
    expect(podOf('restore-practice')?.metadata.labels['alpenglow/uses-engines']).toBeUndefined();
    const [postgres] = podOf('restore-practice')?.spec.initContainers ?? [];
    expect(postgres?.image).toBe(readCompose().services['postgres']?.image);
    expect(postgres).toMatchObject({
      restartPolicy: 'Always',
      args: expect.arrayContaining(['listen_addresses=127.0.0.1']),
    });
  });

  it.each([...jobs.keys()])('%s has resource limits and minimal permissions', (name = '') => {
    const pod = podOf(name)?.spec;
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    });
    for (const container of [...(pod?.containers ?? []), ...(pod?.initContainers ?? [])]) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.resources.limits['memory']).toMatch(/^\d+[MG]i$/u);
    }
  });
});

const DEMO_SETTINGS = { DEMO: 'on', EXPOSE_VERIFICATION_CODES: 'on', PUBLIC_DEMO: 'on' };

/**
 * Returns the settings of a service with Compose and with Kubernetes, for a site for users and for a demo. `changes`
 * are variables of compose.env, and values that a ConfigMap of the service contains.
 */
function settingsOf(service: string, changes: Readonly<Record<string, string>> = {}) {
  const inCompose = (variables: Readonly<Record<string, string>>) => ({
    ...imageEnv,
    ...readCompose({ ...variables, ...changes }).services[`${service}-1`]?.environment,
  });
  const deployment = workloadsOf(readBase()).find(({ metadata }) => metadata.name === service);
  if (!deployment) throw new Error(`There is no Deployment ${service}`);
  const inKubernetes = (...overlays: string[]): Readonly<Record<string, string>> => {
    const settings = environmentOf(mainOf(deployment.spec.template.spec), overlays);
    const changed = Object.entries(changes).filter(([name]) => name in settings);
    return { ...settings, ...Object.fromEntries(changed) };
  };
  return [
    { profile: 'Compose', site: inCompose({}), demo: inCompose(DEMO_SETTINGS) },
    {
      profile: 'Kubernetes',
      site: inKubernetes('overlays/example'),
      demo: inKubernetes('overlays/example', 'overlays/demo'),
    },
  ];
}

describe('the shell', () => {
  it('shows that a site is a demo, like the services that create its accounts', () => {
    for (const service of ['shell', 'command-api'])
      for (const { profile, site, demo } of settingsOf(service)) {
        const marks = [site, demo].map(readConfig).map((config) => [config.isDemo, config.exposeVerificationCodes]);
        expect(marks, `${service} in ${profile}`).toEqual([
          [false, false],
          [true, true],
        ]);
      }
  });

  it('shows remotes of developers only in a demo that turns them on, and does not start with them elsewhere', () => {
    for (const { profile, site, demo } of settingsOf('shell'))
      for (const settings of [site, demo]) {
        expect(settings, profile).toMatchObject({ LOCAL_REMOTES: 'off' });
        expect(readConfig(settings).localRemotes, profile).toBe(false);
      }
    for (const { profile, site, demo } of settingsOf('shell', { LOCAL_REMOTES: 'on' })) {
      expect(readConfig(demo).localRemotes, profile).toBe(true);
      expect(() => readConfig(site), profile).toThrow(/^LOCAL_REMOTES: can be on only in a site for development/u);
    }
  });

  it('is the only program with the setting for remotes of developers', () => {
    const ofCompose = Object.entries(readCompose().services)
      .filter(([, { environment = {} }]) => 'LOCAL_REMOTES' in environment)
      .map(([name]) => name);
    expect(ofCompose).toEqual(['shell-1', 'shell-2']);
    const ofKubernetes = all
      .flatMap(containersIn)
      .filter((container) => 'LOCAL_REMOTES' in environmentOf(container, ['overlays/example', 'overlays/demo']));
    expect(ofKubernetes.map(({ args }) => args)).toEqual([['shell']]);
  });

  it('has an image that was built with the setting for remotes of developers', () => {
    const builds = (variables: Readonly<Record<string, string>>) =>
      Object.values(readCompose(variables).services).flatMap(({ build }) => (build ? [build.args] : []));
    expect(builds({}).length).toBeGreaterThan(10);
    expect(new Set(builds({}).map((args) => args['LOCAL_REMOTES']))).toEqual(new Set(['off']));
    const forStaging = builds({ LOCAL_REMOTES: 'on' });
    expect(new Set(forStaging.map((args) => args['LOCAL_REMOTES']))).toEqual(new Set(['on']));
    for (const name of Object.keys(builds({})[0] ?? {}))
      expect(read('infra/deploy/Dockerfile')).toMatch(new RegExp(`^ARG ${name}=`, 'mu'));
  });
});

describe('the host of the site', () => {
  it('is the same in all examples', () => {
    const site = generators.flatMap(([, { configMapGenerator }]) =>
      configMapGenerator.flatMap(({ literals: each }) => each.filter((literal) => literal.startsWith('SITE_URL='))),
    );
    expect(site).toEqual(['SITE_URL=https://www.example.org']);
    const [ingress] = manifests('overlays/example/ingress.yaml') as readonly (Manifest & {
      readonly spec: { readonly tls: readonly { hosts: string[] }[]; readonly rules: readonly { host: string }[] };
    })[];
    expect(ingress?.spec.tls.flatMap(({ hosts }) => hosts)).toEqual(['www.example.org']);
    expect(ingress?.spec.rules.map(({ host }) => host)).toEqual(['www.example.org']);
    const nginx = read('infra/gateway/README.md');
    expect([...nginx.matchAll(/server_name (\S+);/gu)].map(([, name]) => name)).toEqual([
      'www.example.org',
      'www.example.org',
    ]);
    for (const file of ['compose.env.example', 'production.env.example'])
      expect(read(`infra/deploy/${file}`)).toMatch(/^(?:# )?SITE_URL=https:\/\/www\.example\.org$/mu);
    expect(read('docs/production.md')).toContain('www.example.org {');
  });
});

describe('the connections to Postgres', () => {
  const readme = read('infra/deploy/k8s/README.md');
  const rows = [...readme.matchAll(/^\| ([a-z-]+)(?: \([^)]*\))? \| (\d+) \| (\d+) \| (\d+) \|$/gmu)].map(
    ([, name = '', each, pods, sum]) => ({ name, each: Number(each), pods: Number(pods), sum: Number(sum) }),
  );

  it('are stated for the maximum of each autoscaler and one more pod during an update', () => {
    const base = readBase();
    const maximum = (name: string) =>
      Number(
        base.find(({ kind, metadata }) => kind === 'HorizontalPodAutoscaler' && metadata.name === name)?.spec[
          'maxReplicas'
        ] ?? workloadsOf(base).find(({ metadata }) => metadata.name === name)?.spec.replicas,
      );
    const services = rows.filter(({ name }) => name !== 'tools');
    expect(services.map(({ name }) => name)).toEqual(['command-api', 'query-api', 'projectors', 'workers']);
    for (const { name, pods } of services) expect(pods, name).toBe(maximum(name) + 1);
    for (const { each, pods, sum } of rows) expect(sum).toBe(each * pods);
  });

  it('have a sum, which max_connections exceeds', () => {
    const sum = rows.reduce((total, row) => total + row.sum, 0);
    expect(Number(/^\| all \| \| \| (\d+) \|$/mu.exec(readme)?.[1])).toBe(sum);
    const limits = [...readme.matchAll(/`max_connections` (?:≥|must be at least) (\d+)/gu)].map(([, limit]) =>
      Number(limit),
    );
    expect(limits).toHaveLength(2);
    for (const limit of limits) expect(limit).toBeGreaterThan(sum + 20);
  });
});

describe('the memory limits', () => {
  const mebibytes = (limit = '') => Number.parseInt(limit, 10) * (/g/iu.test(limit) ? 1_024 : 1);
  const compose = Object.values(readCompose().services);
  const composeLimit = (program: string) =>
    compose.find(({ command, image }) => command?.[0] === program && image.startsWith('alpenglow:'))?.deploy?.resources
      .limits.memory;

  it('are the same in Compose and Kubernetes', () => {
    const containers = [
      ...readBase().flatMap(containersIn),
      ...['overlays/demo/seed.yaml', 'overlays/restore/restore.yaml', 'jobs/front-end.yaml']
        .flatMap(manifests)
        .flatMap(containersIn),
    ];
    const programs = new Set(containers.map(({ args }) => args[0] ?? ''));
    expect(programs.size).toBe(10);
    for (const { args, resources } of containers)
      expect(mebibytes(resources.limits['memory']), args[0]).toBe(mebibytes(composeLimit(args[0] ?? '')));
  });

  it('are those of docs/scaling.md, and at least 1.5 times the measured memory', () => {
    const rows = [...read('docs/scaling.md').matchAll(/^\| ([a-z-]+) \| (\d+) MB \| (\d+) MB \| (\d+) MB \|/gmu)];
    expect(rows.map(([, name]) => name).sort()).toEqual(
      ['command-api', 'decoder', 'gateway', 'projectors', 'query-api', 'shell', 'workers'].sort(),
    );
    for (const [, name = '', , peak, limit] of rows) {
      expect(Number(limit), name).toBe(mebibytes(composeLimit(name)));
      expect(Number(limit), name).toBeGreaterThanOrEqual(1.5 * Number(peak));
    }
  });
});

describe('the arguments of processes', () => {
  it('have no credentials, because every user of the machine can read them', () => {
    const text = read('infra/deploy/compose.yaml');
    const secret = [...composeVariables(text).keys()].filter((name) => CREDENTIAL.test(name));
    expect(secret.length).toBeGreaterThan(5);
    const raw = [...text.matchAll(/^ +(?:command|test|entrypoint): .*$/gmu)].map(([line]) => line).join('\n');
    for (const name of secret) expect(raw).not.toContain(name);
    for (const { command = [], healthcheck } of compose())
      for (const argument of [...command, ...(healthcheck?.test ?? [])]) expect(argument).not.toMatch(/[0-9a-f]{64}/u);
    for (const { args = [] } of all.flatMap(containersIn))
      expect(args.join(' ')).not.toMatch(/\$\(|password|secret=/iu);
  });
  const compose = () => Object.values(readCompose().services);
});
