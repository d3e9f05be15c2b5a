import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { readConfig } from '@alpenglow/infra';
import { describe, expect, it, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import {
  BACKING_SETTINGS,
  environmentOf,
  expectedBackingServices,
  imageEnv,
  isUnpinned,
  kustomization,
  mainOf,
  manifests,
  mergeManifests,
  read,
  readBase,
  root,
  SECRETS,
  secretsOf,
  SERVICES,
  startablePrograms,
  STOP_LIMIT_ms,
  TOOLS,
  unknownSettings,
  usedBackingSettings,
  BACKING_SERVICE_USERS,
  workloadsOf,
  yamlFiles,
  type Container,
  type Manifest,
  type Workload,
} from './deploy-files.ts';

const base = readBase();
const ofKind = (kind: string, from: readonly Manifest[] = base) => from.filter((manifest) => manifest.kind === kind);
const deployments = workloadsOf(base);
const named = deployments.map((deployment): [string, Workload] => [deployment.metadata.name ?? '', deployment]);
const jobs = workloadsOf(
  ['jobs/front-end.yaml', 'overlays/demo/seed.yaml', 'overlays/restore/restore.yaml'].flatMap(manifests),
);
const APP = 'app.kubernetes.io/name';

test('the base deploys every service under its own name', () => {
  expect(named.map(([name]) => name).sort()).toEqual(SERVICES.toSorted());
  for (const [name, { spec }] of named) {
    expect(mainOf(spec.template.spec)).toMatchObject({ name: 'main', image: 'alpenglow', args: [name] });
    expect(spec.selector?.matchLabels).toEqual({ [APP]: name });
    expect(spec.template.metadata.labels[APP]).toBe(name);
  }
});

test('the image can start every job and init container', () => {
  for (const {
    args: [command = ''],
  } of [...jobs, ...deployments].flatMap(({ spec }) => [
    ...spec.template.spec.containers,
    ...(spec.template.spec.initContainers ?? []),
  ]))
    expect(startablePrograms).toContain(command);
});

describe.each(named)('%s', (name, { spec }) => {
  const pod = spec.template.spec;
  const main = mainOf(pod);

  it('has liveness and readiness probes at its port', () => {
    expect(main.ports).toEqual([{ name: 'http', containerPort: Number(imageEnv['PORT']) }]);
    expect([main.startupProbe, main.livenessProbe, main.readinessProbe].map((probe) => probe?.httpGet)).toEqual(
      ['/healthz', '/healthz', '/readyz'].map((path) => ({ path, port: 'http' })),
    );
  });

  it('finishes its requests within the termination period of Kubernetes', () => {
    const { drainDelay_ms, finishRequests_ms } = readConfig(environmentOf(main, ['overlays/example']));
    expect(finishRequests_ms).toBeGreaterThan(4_000);
    expect(
      (main.lifecycle?.preStop.sleep.seconds ?? 0) * 1_000 + drainDelay_ms + finishRequests_ms + STOP_LIMIT_ms,
    ).toBeLessThan((pod.terminationGracePeriodSeconds ?? 0) * 1_000);
  });

  it('is replaced one pod at a time, spread over nodes and zones, and survives the loss of a node', () => {
    expect(spec.strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } });
    expect(pod.topologySpreadConstraints?.map(({ topologyKey }) => topologyKey)).toEqual([
      'kubernetes.io/hostname',
      'topology.kubernetes.io/zone',
    ]);
    const budgets = ofKind('PodDisruptionBudget').filter((budget) => budget.metadata.name === name);
    expect(budgets.map((budget) => budget.spec)).toEqual([
      { maxUnavailable: 1, selector: { matchLabels: { [APP]: name } } },
    ]);
  });

  it('has at least two pods, either fixed or scaled by load', () => {
    const scalers = ofKind('HorizontalPodAutoscaler').filter((scaler) => scaler.metadata.name === name);
    if (spec.replicas !== undefined) {
      expect(scalers).toEqual([]);
      expect(spec.replicas).toBeGreaterThanOrEqual(2);
      return;
    }
    expect(scalers.map((scaler) => scaler.spec)).toEqual([
      expect.objectContaining({
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
        minReplicas: 2,
        metrics: expect.arrayContaining([
          expect.objectContaining({ resource: expect.objectContaining({ name: 'cpu' }) }),
        ]),
      }),
    ]);
    expect(Number(scalers[0]?.spec['maxReplicas'])).toBeGreaterThan(2);
  });

  it.each([
    ['the example', ['overlays/example']],
    ['the demo', ['overlays/example', 'overlays/demo']],
  ])('has only settings that it reads, and can start with %s', (_, overlays) => {
    const environment = environmentOf(main, overlays);
    expect(unknownSettings(environment)).toEqual([]);
    const config = readConfig(environment);
    for (const [backingService, isUsed] of Object.entries(expectedBackingServices(name)))
      expect(config[backingService as keyof typeof config] !== null, backingService).toBe(isUsed);
    const usesBackingServices = BACKING_SERVICE_USERS.includes(name);
    expect(spec.template.metadata.labels['alpenglow/uses-engines']).toBe(usesBackingServices ? 'yes' : undefined);
    expect(config.upstreams !== null).toBe(name === 'gateway');
  });
});

test.each(
  [...deployments, ...jobs].map((workload): [string, Workload] => [
    workload.metadata.name ?? workload.metadata.generateName ?? '',
    workload,
  ]),
)('%s has resource limits and minimal permissions', (_, { spec }) => {
  const pod = spec.template.spec;
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    },
  });
  for (const container of [...pod.containers, ...(pod.initContainers ?? [])]) {
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.resources).toEqual({
      requests: { cpu: expect.stringMatching(/^\d+m$/u), memory: expect.stringMatching(/^\d+Mi$/u) },
      limits: { memory: expect.stringMatching(/^\d+[MG]i$/u) },
    });
  }
});

test.each(
  [...deployments, ...jobs].map(({ metadata, spec }): [string, Container] => [
    mainOf(spec.template.spec).args[0] ?? metadata.name ?? '',
    mainOf(spec.template.spec),
  ]),
)('%s gets the secrets that its code uses, and no others', (program, container) => {
  const names = Object.keys(environmentOf(container, ['overlays/example']));
  // Mails are sent by a mail server in the example, and not by the e-mail sending service.
  const used = [...usedBackingSettings(program)].filter((name) => !name.startsWith('EMAIL_'));
  expect(names.filter((name) => BACKING_SETTINGS.has(name)).sort()).toEqual(used.sort());
});

test('the pod that deploys an archive has the rights and the volume of the job, and no private key', () => {
  const pod = (
    JSON.parse(read('infra/deploy/k8s/jobs/front-end-archive.json')) as { spec: Workload['spec']['template']['spec'] }
  ).spec;
  const [job] = workloadsOf(manifests('jobs/front-end.yaml'));
  const ofJob = job?.spec.template.spec as unknown as Record<string, unknown>;
  expect(pod).toMatchObject({
    automountServiceAccountToken: ofJob['automountServiceAccountToken'],
    enableServiceLinks: ofJob['enableServiceLinks'],
    securityContext: ofJob['securityContext'],
    volumes: ofJob['volumes'],
  });
  const { envFrom, securityContext } = mainOf(pod);
  expect(securityContext).toEqual(job && mainOf(job.spec.template.spec).securityContext);
  expect(envFrom).toEqual([{ configMapRef: { name: 'alpenglow-front-end-keys' } }]);
});

describe('the restore', () => {
  const [job] = workloadsOf(manifests('overlays/restore/restore.yaml'));

  it('has every setting that a tool of the image uses', () => {
    const given = job ? environmentOf(mainOf(job.spec.template.spec), ['overlays/example']) : {};
    for (const tool of TOOLS)
      expect(Object.keys(given), tool).toEqual(expect.arrayContaining([...usedBackingSettings(tool)]));
    expect(unknownSettings(given)).toEqual([]);
  });

  it('may reach the backing services, and runs while no service has a pod', () => {
    expect(job?.spec.template.metadata.labels['alpenglow/uses-engines']).toBe('yes');
    const { replicas = [], resources } = kustomization('overlays/restore');
    expect(resources).toEqual(['../example', 'restore.yaml']);
    expect(replicas).toEqual(expect.arrayContaining(SERVICES.map((name) => ({ name, count: 0 }))));
    expect(replicas).toHaveLength(SERVICES.length);
  });
});

test('the upstreams of the gateway are existing Services that resolve to every pod', () => {
  const gateway = deployments.find(({ metadata }) => metadata.name === 'gateway');
  const upstreams = gateway && readConfig(environmentOf(mainOf(gateway.spec.template.spec), [])).upstreams;
  const services = ofKind('Service').map(({ metadata, spec }) => {
    const isBehindGateway = metadata.name !== 'gateway';
    expect(spec).toEqual({
      ...(isBehindGateway && { clusterIP: 'None', publishNotReadyAddresses: true }),
      selector: { [APP]: metadata.name },
      ports: [{ name: 'http', port: 8080, targetPort: 'http' }],
    });
    return metadata.name;
  });
  expect(services.sort()).toEqual(['command-api', 'decoder', 'gateway', 'query-api', 'shell']);
  expect(Object.values(upstreams ?? {}).map((urls: string[]) => urls.map((url) => new URL(url).host))).toEqual([
    ['command-api:8080'],
    ['query-api:8080'],
    ['shell:8080'],
  ]);
});

describe('the network policies', () => {
  interface Policy {
    readonly podSelector: {
      readonly matchLabels?: Readonly<Record<string, string>>;
      readonly matchExpressions?: readonly { readonly values: readonly string[] }[];
    };
    readonly policyTypes: readonly string[];
    readonly ingress?: readonly { readonly from: readonly unknown[] }[];
    readonly egress?: readonly { readonly ports: readonly { readonly port: number }[] }[];
  }
  const policies = ofKind('NetworkPolicy').map(({ spec }) => spec as unknown as Policy);
  const policiesFor = (name: string) =>
    policies.filter(
      ({ podSelector, ingress }) =>
        ingress &&
        (podSelector.matchLabels?.[APP] === name ||
          podSelector.matchExpressions?.some(({ values }) => values.includes(name))),
    );
  const namespaceOf = (role: string) => ({ namespaceSelector: { matchLabels: { 'alpenglow/role': role } } });

  it('deny all traffic by default', () => {
    expect(policies).toContainEqual({
      podSelector: { matchLabels: { 'app.kubernetes.io/part-of': 'alpenglow' } },
      policyTypes: ['Ingress', 'Egress'],
    });
    expect(kustomization('base')).toMatchObject({
      labels: [{ pairs: { 'app.kubernetes.io/part-of': 'alpenglow' }, includeTemplates: true }],
    });
    for (const { spec } of jobs) expect(spec.template.metadata.labels['app.kubernetes.io/part-of']).toBe('alpenglow');
  });

  it('allow only ingress to the gateway, the gateway to its upstreams, the shell to its data, and Prometheus', () => {
    const [fromGateway, fromShell] = ['gateway', 'shell'].map((name) => ({
      podSelector: { matchLabels: { [APP]: name } },
    }));
    const allowed = Object.fromEntries(
      SERVICES.map((name) => [
        name,
        policiesFor(name).flatMap(({ ingress = [] }) => ingress.flatMap(({ from }) => from)),
      ]),
    );
    const [monitoring, entry] = [namespaceOf('monitoring'), namespaceOf('entry')];
    expect(allowed).toEqual({
      gateway: [entry, monitoring],
      'command-api': [fromGateway, monitoring],
      'query-api': [fromGateway, fromShell, monitoring],
      shell: [fromGateway, monitoring],
      projectors: [monitoring],
      workers: [monitoring],
      decoder: [
        {
          podSelector: {
            matchExpressions: [{ key: APP, operator: 'In', values: ['command-api', 'workers'] }],
          },
        },
        monitoring,
      ],
    });
  });

  it('allow the decoder no outgoing connections, not even for names, and give it no secrets of users', () => {
    const outgoing = policies.filter(({ policyTypes, egress }) => policyTypes.includes('Egress') && egress);
    for (const { podSelector } of outgoing) {
      const [expression] = podSelector.matchExpressions ?? [];
      const excludes = (expression as { operator?: string } | undefined)?.operator === 'NotIn';
      if (excludes) expect(expression?.values).toContain('decoder');
      else {
        expect(expression?.values ?? []).not.toContain('decoder');
        expect(Object.values(podSelector.matchLabels ?? {})).not.toContain('decoder');
        expect(podSelector.matchLabels?.['app.kubernetes.io/part-of']).toBeUndefined();
      }
    }
    const decoder = deployments.find(({ metadata }) => metadata.name === 'decoder');
    const names = Object.keys(decoder ? environmentOf(mainOf(decoder.spec.template.spec), ['overlays/example']) : {});
    expect(names.filter((name) => BACKING_SETTINGS.has(name))).toEqual([]);
    for (const client of ['workers', 'command-api']) {
      const deployment = deployments.find(({ metadata }) => metadata.name === client);
      expect(
        deployment &&
          readConfig(environmentOf(mainOf(deployment.spec.template.spec), ['overlays/example'])).decoderUrls,
      ).toEqual(['http://decoder:8080']);
    }
  });

  it('allow the shell to reach the query API at its configured address', () => {
    const out = policies.filter(({ podSelector, egress }) => egress && podSelector.matchLabels?.[APP] === 'shell');
    expect(out.map(({ egress }) => egress)).toEqual([
      [{ to: [{ podSelector: { matchLabels: { [APP]: 'query-api' } } }], ports: [{ port: 8080 }] }],
    ]);
    const shell = deployments.find(({ metadata }) => metadata.name === 'shell');
    expect(shell && readConfig(environmentOf(mainOf(shell.spec.template.spec), ['overlays/example']))).toMatchObject({
      queryApiUrls: ['http://query-api:8080'],
      siteUrl: 'https://www.example.org',
    });
  });

  it('allow the same ports to and from the backing services', () => {
    const [backingServices] = manifests('engines/network-policy.yaml').map(
      ({ spec }) => spec as unknown as { ingress: readonly { ports: unknown }[] },
    );
    const out = policies.find(({ podSelector }) => podSelector.matchLabels?.['alpenglow/uses-engines'] === 'yes');
    expect(out?.egress?.[0]?.ports).toEqual(backingServices?.ingress[0]?.ports);
    expect(out?.egress?.[0]?.ports.map(({ port }) => port)).toEqual(expect.arrayContaining([5432, 2113, 9092, 6379]));
  });
});

describe('the overlays', () => {
  it.each(['overlays/example', 'overlays/demo', 'overlays/restore'])('pin the digest of the image in %s', (overlay) => {
    const images = kustomization(overlay).images ?? [];
    expect(images.map(({ name }) => name)).toEqual(['alpenglow']);
    for (const { newName, digest } of images) expect(isUnpinned(`${newName}@${digest}`)).toBe(false);
  });

  it('list exactly the secrets that the services need, without values', () => {
    const { secretGenerator = [] } = kustomization('overlays/example');
    expect(secretGenerator.map(({ name }) => name).sort()).toEqual(Object.keys(SECRETS).sort());
    for (const { name, envs } of secretGenerator) {
      const text = envs.map((file) => read(`infra/deploy/k8s/overlays/example/${file}`)).join('');
      const lines = [...text.matchAll(/^([A-Z0-9_]+)=(.*)$/gmu)].map(([, variable, value]) => [variable, value]);
      expect(lines, name).toEqual(Object.keys(secretsOf(name)).map((variable) => [variable, '']));
    }
    const files = ['base', 'overlays', 'jobs', 'engines'].flatMap(yamlFiles);
    expect(files.length).toBeGreaterThan(10);
    for (const file of files) for (const { kind } of manifests(file)) expect(kind, file).not.toBe('Secret');
  });

  it('terminate TLS at the ingress, whose timeout is longer than the heartbeat of the live channel', () => {
    const [ingress] = manifests('overlays/example/ingress.yaml') as readonly (Manifest & {
      metadata: { annotations: Record<string, string> };
      spec: { tls: { hosts: string[] }[]; rules: { host: string; http: { paths: unknown[] } }[] };
    })[];
    expect(ingress?.spec.tls.flatMap(({ hosts }) => hosts)).toEqual(ingress?.spec.rules.map(({ host }) => host));
    expect(ingress?.spec.rules.flatMap(({ http }) => http.paths)).toEqual([
      { path: '/', pathType: 'Prefix', backend: { service: { name: 'gateway', port: { name: 'http' } } } },
    ]);
    expect(ingress?.metadata.annotations['haproxy.org/timeout-tunnel']).toBe('1h');
  });

  it('replace the addresses that a visitor sends at the ingress, because the limits of requests count them', () => {
    const [ingress] = manifests('overlays/example/ingress.yaml') as readonly (Manifest & {
      metadata: { annotations: Record<string, string> };
    })[];
    const { annotations = {} } = ingress?.metadata ?? {};
    expect(annotations['haproxy.org/forwarded-for']).toBe('false');
    expect(annotations['haproxy.org/request-set-header']?.split('\n')).toContain('X-Forwarded-For %[src]');
  });
});

test('mergeManifests follows the rules of Kubernetes', () => {
  const one = {
    replicas: 2,
    containers: [{ name: 'main', args: ['a'], volumeMounts: [{ mountPath: '/mf', name: 'mf' }] }],
  };
  const other = {
    containers: [{ name: 'main', image: 'b', volumeMounts: [{ mountPath: '/tmp', name: 'tmp' }] }],
    tolerations: ['c'],
  };
  expect(mergeManifests(one, other)).toEqual({
    replicas: 2,
    containers: [
      {
        name: 'main',
        args: ['a'],
        image: 'b',
        volumeMounts: [
          { mountPath: '/tmp', name: 'tmp' },
          { mountPath: '/mf', name: 'mf' },
        ],
      },
    ],
    tolerations: ['c'],
  });
});

/** kubectl can render manifests without a cluster, so these tests require only an installed kubectl. */
const hasKubectl = spawnSync('kubectl', ['kustomize', '--help'], { stdio: 'ignore' }).status === 0;
if (hasKubectl) {
  describe('kubectl kustomize', () => {
    const render = (folder: string): readonly Manifest[] => {
      const { status, stdout, stderr } = spawnSync(
        'kubectl',
        ['kustomize', path.join(root, 'infra/deploy/k8s', folder)],
        {
          encoding: 'utf8',
        },
      );
      expect(stderr).toBe('');
      expect(status).toBe(0);
      return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
    };

    it('renders the base as the tests above expect', () => {
      const rendered = workloadsOf(render('base'));
      const plain = (value: unknown): unknown =>
        JSON.parse(JSON.stringify(value).replaceAll(/"(alpenglow(?:-[a-z]+)?)-[a-z0-9]{10}"/gu, '"$1"'));
      for (const [name, { spec }] of named) {
        const renderedWorkload = rendered.find(({ metadata }) => metadata.name === name);
        expect(plain(renderedWorkload?.spec)).toEqual(
          mergeManifests(spec, { template: { metadata: { labels: { 'app.kubernetes.io/part-of': 'alpenglow' } } } }),
        );
      }
    });

    it.each(['overlays/example', 'overlays/demo', 'overlays/restore'])(
      'renders %s with one namespace and one pinned image',
      (overlay) => {
        const rendered = render(overlay);
        const workloads = workloadsOf(rendered);
        expect(workloads).toHaveLength(overlay === 'overlays/example' ? SERVICES.length : SERVICES.length + 1);
        const images = workloads.flatMap(({ spec }) =>
          [...spec.template.spec.containers, ...(spec.template.spec.initContainers ?? [])].map(({ image }) => image),
        );
        expect(new Set(images).size).toBe(1);
        expect(images.filter(isUnpinned)).toEqual([]);
        for (const { kind, metadata } of rendered)
          if (kind !== 'Namespace')
            expect((metadata as { namespace?: string }).namespace, `${kind} ${metadata.name ?? ''}`).toBe('alpenglow');
        const references = workloads.flatMap(({ spec }) =>
          spec.template.spec.containers.flatMap(({ envFrom = [] }) =>
            envFrom.map(({ configMapRef, secretRef }) => configMapRef?.name ?? secretRef?.name),
          ),
        );
        const renderedNames = [...ofKind('ConfigMap', rendered), ...ofKind('Secret', rendered)].map(
          ({ metadata }) => metadata.name,
        );
        expect(renderedNames).toEqual(expect.arrayContaining(references));
      },
    );
  });
} else {
  test.skip('kubectl kustomize renders the manifests (skipped: kubectl is not installed)');
}
