import { readConfig } from '@alpenglow/infra';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { NODE_VERSIONS } from '../support/node-versions.ts';
import {
  BACKING_SETTINGS,
  composeVariables,
  expectedBackingServices,
  usedBackingSettings,
  imageEnv,
  isUnpinned,
  read,
  readCompose,
  SERVICES,
  startablePrograms,
  STOP_LIMIT_ms,
  TOOLS,
  unknownSettings,
  BACKING_SERVICE_USERS,
  type ComposeService,
} from './deploy-files.ts';

test.each([
  ['redis', true],
  ['redis:latest', true],
  ['redis:8', true],
  ['registry.example.org:5000/redis', true],
  ['node:lts-slim', true],
  ['redis:8.10.1-trixie', true],
  ['registry.example.org:5000/redis:8.10', true],
  ['alpenglow:latest', true],
  ['alpenglow:0.1.0', false],
  [`redis:8.10.1@sha256:${'0'.repeat(64)}`, false],
])('isUnpinned returns whether the image %s is not pinned: %s', (image, expected) => {
  expect(isUnpinned(image)).toBe(expected);
});

test('unknownSettings returns settings that no code reads', () => {
  expect(unknownSettings({ PORT: '', NODE_ENV: '', DATABASE_ULR: '' })).toEqual(['DATABASE_ULR']);
});

test('the build includes every service', () => {
  expect(startablePrograms).toEqual(expect.arrayContaining([...SERVICES, 'seed']));
});

describe('Dockerfile', () => {
  const dockerfile = read('infra/deploy/Dockerfile');
  const lines = (instruction: string) =>
    [...dockerfile.matchAll(new RegExp(`^\\s*${instruction} (.+)$`, 'gmu'))].map(([, rest = '']) => rest);

  it('uses one base image with an exact version of Node that the smoke test runs, but not the oldest one', () => {
    const [image = ''] = lines('ARG').map((argument) => argument.replace(/^NODE_IMAGE=/u, ''));
    expect(isUnpinned(image)).toBe(false);
    expect(NODE_VERSIONS.slice(1)).toContain(/^node:([\d.]+)-/u.exec(image)?.[1]);
    expect(lines('FROM').map((from) => from.split(' ')[0])).toEqual(['${NODE_IMAGE}', '${NODE_IMAGE}']);
  });

  it('copies the manifest of every workspace before the installation', () => {
    const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] };
    const before = dockerfile.slice(0, dockerfile.indexOf('RUN npm ci'));
    expect([...before.matchAll(/^COPY (\S+)\/package\.json \1\/$/gmu)].map(([, folder]) => folder).sort()).toEqual(
      workspaces.toSorted(),
    );
  });

  it('runs as an unprivileged user, has a health check and starts Node without a shell', () => {
    const last = dockerfile.slice(dockerfile.lastIndexOf('FROM '));
    expect(
      /^USER (\d+):(\d+)$/mu
        .exec(last)
        ?.slice(1)
        .map(Number)
        .every((id) => id > 0),
    ).toBe(true);
    expect(/^HEALTHCHECK .*\\\n\s+CMD \["node", "\/app\/(.+)"\]$/mu.exec(last)?.[1]).toBe(
      'infra/deploy/image/healthcheck.mjs',
    );
    expect(lines('ENTRYPOINT')).toEqual(['["node", "/app/infra/deploy/image/run.mjs"]']);
    expect(last).not.toMatch(/^CMD/mu);
  });

  it('has only known settings and exposes the configured port', () => {
    expect(imageEnv).toEqual({
      NODE_ENV: 'production',
      HOST: '0.0.0.0',
      PORT: '8080',
      MF_DIR: '/mf',
      MALLOC_ARENA_MAX: '1',
      MALLOC_TRIM_THRESHOLD_: '131072',
    });
    expect(unknownSettings(imageEnv)).toEqual([]);
    expect(lines('EXPOSE')).toEqual([imageEnv['PORT']]);
  });

  it('excludes secrets, the Git history and build output', () => {
    const ignored = read('.dockerignore').split('\n');
    expect(ignored).toEqual(
      expect.arrayContaining([
        ...['**/*.env', '**/.git', '**/node_modules', '**/dist', '.data*'],
        ...['!tests/package.json', '!bench/package.json', '!prove/package.json'],
      ]),
    );
    expect(read('.gitignore').split('\n')).toContain('*.env');
  });
});

describe('compose.yaml', () => {
  const compose = readCompose();
  const services = Object.entries(compose.services);
  const isProductImage = ({ image }: ComposeService) => image.startsWith('alpenglow:');
  const ours = services.filter(([, service]) => isProductImage(service));
  const backingServices = services.filter(([, service]) => !isProductImage(service));
  const environmentOf = (name: string) => ({ ...imageEnv, ...compose.services[name]?.environment });
  const isOneShot = (service: ComposeService) => service.restart === 'no';

  it('has every service, two of each behind the gateway, and every backing service', () => {
    const names = ours.filter(([, service]) => !isOneShot(service)).map(([name]) => name);
    expect(names.sort()).toEqual(
      SERVICES.flatMap((service) => (service === 'gateway' ? service : [`${service}-1`, `${service}-2`])).sort(),
    );
    expect(backingServices.map(([name]) => name).sort()).toEqual(['eventstore', 'kafka', 'postgres', 'redis', 's3']);
  });

  it.each(services.map(([name, service]) => [name, service.image]))('%s uses the pinned image %s', (_, image) => {
    expect(isUnpinned(image)).toBe(false);
  });

  it.each(services)('%s has resource limits, bounded logs and a health check', (_, service) => {
    expect(service.deploy?.resources.limits).toMatchObject({
      cpus: expect.stringMatching(/^\d/u),
      memory: expect.stringMatching(/^\d+[mg]$/u),
    });
    expect(Object.keys(service.logging?.options ?? {})).toEqual(['max-size', 'max-file']);
    if (isOneShot(service)) expect(service.healthcheck).toEqual({ disable: true });
    else
      expect([service.restart, service.healthcheck?.test?.[0]]).toEqual([
        'unless-stopped',
        expect.stringMatching(/^CMD/u),
      ]);
  });

  it.each(ours)('%s has minimal permissions and enough time to stop', (name, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(service.deploy?.resources.limits.pids).toBeGreaterThan(0);
    const grace_s = Number(/^(\d+)s$/u.exec(service.stop_grace_period ?? '')?.[1]);
    expect(grace_s).toBeGreaterThanOrEqual(15);
    const { drainDelay_ms, finishRequests_ms } = readConfig(environmentOf(name));
    expect(grace_s * 1_000).toBeGreaterThan(drainDelay_ms + finishRequests_ms + STOP_LIMIT_ms);
  });

  it.each(ours)('%s has only settings that it reads, and can start with them', (name, service) => {
    expect(service.command).toHaveLength(1);
    const [command = ''] = service.command ?? [];
    expect(startablePrograms).toContain(command);
    expect(unknownSettings(environmentOf(name))).toEqual([]);
    const config = readConfig(environmentOf(name));
    for (const [backingService, isUsed] of Object.entries(expectedBackingServices(command)))
      expect(config[backingService as keyof typeof config] !== null, backingService).toBe(isUsed);
    expect(config.upstreams !== null).toBe(command === 'gateway');
    expect(config.exposeVerificationCodes).toBe(false);
  });

  it.each(ours)('%s gets the secrets that its code uses, and no others', (_, service) => {
    const { command: [command = ''] = [], environment = {} } = service;
    const given = Object.keys(environment).filter((name) => BACKING_SETTINGS.has(name));
    expect(given.sort()).toEqual([...usedBackingSettings(command)].sort());
  });

  it('gives the service "tools" every setting that a tool of the image uses', () => {
    const given = Object.keys(compose.services['tools']?.environment ?? {});
    expect(TOOLS).toContain('restore');
    for (const tool of TOOLS) expect(given, tool).toEqual(expect.arrayContaining([...usedBackingSettings(tool)]));
  });

  it('gives the projectors no secret with which accounts and codes can be forged', () => {
    const names = Object.keys(environmentOf('projectors-1'));
    expect(names).toContain('SECRET_DATA_KEYS');
    for (const secret of ['SECRET_ACCOUNT_IDS', 'SECRET_VERIFICATION_CODES', 'S3_SECRET_ACCESS_KEY', 'SMTP_URL'])
      expect(names).not.toContain(secret);
  });

  it('gives the services the names and ports of the backing services', () => {
    const config = readConfig(environmentOf('query-api-1'));
    const addresses = [
      config.databaseUrl,
      config.eventStoreUrl,
      config.redisUrl,
      config.s3?.endpoint,
      ...(config.kafka?.brokers.map((broker) => `kafka://${broker}`) ?? []),
    ].map((url) => new URL(url ?? ''));
    expect(addresses.map(({ hostname, port }) => `${hostname}:${port}`).sort()).toEqual([
      'eventstore:2113',
      'kafka:9092',
      'postgres:5432',
      'redis:6379',
      's3:8333',
    ]);
    expect(addresses.map(({ hostname }) => hostname).sort()).toEqual(backingServices.map(([name]) => name).sort());
    expect(compose.services['s3']?.environment).toMatchObject({
      AWS_ACCESS_KEY_ID: config.s3?.accessKeyId,
      AWS_SECRET_ACCESS_KEY: config.s3?.secretAccessKey,
    });
  });

  it('gives every service the token of the metrics, and prometheus.yaml requests the metrics of every service', () => {
    const running = ours.filter(([, service]) => !isOneShot(service));
    for (const [name] of running) expect(Object.keys(environmentOf(name)), name).toContain('METRICS_TOKEN');
    const { scrape_configs: jobs, rule_files: rules } = parse(read('infra/deploy/prometheus.yaml')) as {
      readonly scrape_configs: readonly {
        readonly static_configs: readonly { readonly targets: readonly string[] }[];
      }[];
      readonly rule_files: readonly string[];
    };
    const targets = jobs.flatMap(({ static_configs }) => static_configs.flatMap(({ targets: named }) => named));
    expect(targets.toSorted()).toEqual(running.map(([name]) => `${name}:${imageEnv['PORT'] ?? ''}`).sort());
    for (const file of rules) expect(read(`infra/deploy/${file}`)).toContain('groups:');
  });

  it('gives the gateway the address of every process, with the port of the image and a shared network', () => {
    const { commandApi = [], queryApi = [], shell = [] } = readConfig(environmentOf('gateway')).upstreams ?? {};
    const named = [...commandApi, ...queryApi, ...shell].map((url) => new URL(url));
    expect(named.map(({ hostname }) => hostname).sort()).toEqual(
      ['command-api', 'query-api', 'shell'].flatMap((name) => [`${name}-1`, `${name}-2`]),
    );
    for (const { hostname, port } of named) {
      expect(port).toBe(imageEnv['PORT']);
      expect(compose.services[hostname]?.networks).toContain('services');
    }
    expect(compose.services['gateway']?.networks).toContain('services');
  });

  it('gives the decoder no secrets and no connection except to the workers and the command API', () => {
    const clients = services.filter(([, { networks = [] }]) => networks.includes('decoders')).map(([name]) => name);
    expect(clients.sort()).toEqual(
      ['command-api', 'decoder', 'workers'].flatMap((name) => [`${name}-1`, `${name}-2`]).sort(),
    );
    expect(compose.networks['decoders']).toEqual({ internal: true });
    for (const name of ['decoder-1', 'decoder-2']) {
      expect(compose.services[name]?.networks).toEqual(['decoders']);
      expect(Object.keys(compose.services[name]?.environment ?? {}).sort()).toEqual(['LOG_LEVEL', 'METRICS_TOKEN']);
    }
    for (const name of ['workers-1', 'workers-2', 'command-api-1', 'command-api-2'])
      expect(readConfig(environmentOf(name)).decoderUrls).toEqual([
        `http://decoder-1:${imageEnv['PORT'] ?? ''}`,
        `http://decoder-2:${imageEnv['PORT'] ?? ''}`,
      ]);
  });

  it('gives the shell the addresses of the query API, with the port of the image and a shared network', () => {
    const named = (readConfig(environmentOf('shell-1')).queryApiUrls ?? []).map((url) => new URL(url));
    expect(named.map(({ hostname, port }) => `${hostname}:${port}`)).toEqual(
      ['query-api-1', 'query-api-2'].map((name) => `${name}:${imageEnv['PORT'] ?? ''}`),
    );
    expect(compose.services['shell-1']?.networks).toEqual(['services']);
  });

  it('publishes only the gateway and allows outgoing connections only for mail', () => {
    const published = services.filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name, { ports }]) => [name, ports])).toEqual([
      ['gateway', [`127.0.0.1:8080:${imageEnv['PORT'] ?? ''}`]],
    ]);
    const open = Object.keys(compose.networks).filter((network) => compose.networks[network]?.internal !== true);
    expect(
      services
        .filter(
          ([, { networks = [], network_mode }]) =>
            (networks.length === 0 && network_mode !== 'none') || networks.some((network) => open.includes(network)),
        )
        .map(([name]) => name),
    ).toEqual(['gateway', 'workers-1', 'workers-2']);
    expect(ours.filter(([, { networks = [] }]) => networks.includes('mail')).map(([name]) => name)).toEqual([
      'workers-1',
      'workers-2',
    ]);
    for (const [, { networks = [] }] of services)
      expect(Object.keys(compose.networks)).toEqual(expect.arrayContaining([...networks]));
  });

  it('starts a service after its dependencies are healthy or complete', () => {
    for (const [name, { depends_on = {} }] of services) {
      for (const [needed, { condition }] of Object.entries(depends_on)) {
        const service = compose.services[needed];
        expect(service, `${name} needs ${needed}`).toBeDefined();
        expect(condition, `${name} needs ${needed}`).toBe(
          service && isOneShot(service) ? 'service_completed_successfully' : 'service_healthy',
        );
      }
    }
    for (const [name, { command: [command = ''] = [], depends_on = {} }] of ours) {
      if (BACKING_SERVICE_USERS.includes(command))
        expect(Object.keys(depends_on).sort(), name).toEqual(
          backingServices.map(([backingService]) => backingService).sort(),
        );
    }
  });

  it('stores the data of backing services and the front ends in volumes', () => {
    const volumes = services.flatMap(([, service]) =>
      (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? ''),
    );
    expect([...new Set(volumes)].sort()).toEqual(Object.keys(compose.volumes).sort());
    for (const [name, { volumes: own = [] }] of backingServices)
      expect(
        own.some((volume) => volume.startsWith(`${name}:/`)),
        name,
      ).toBe(true);
    expect(compose.services['query-api-1']?.volumes).toEqual([`front-ends:${imageEnv['MF_DIR'] ?? ''}:ro`]);
    expect(compose.services['shell-1']?.volumes).toEqual([`front-ends:${imageEnv['MF_DIR'] ?? ''}`]);
    expect(compose.services['front-ends']?.volumes).toEqual([`front-ends:${imageEnv['MF_DIR'] ?? ''}`]);
  });

  it('lists every variable in the example, with its default unless it is a secret', () => {
    const example = read('infra/deploy/compose.env.example');
    const variables = [...composeVariables(read('infra/deploy/compose.yaml'))];
    const required = [...example.matchAll(/^([A-Z0-9_]+)=(.*)$/gmu)].map(([, name, value]) => [name, value]);
    expect(required.sort()).toEqual(
      variables
        .filter(([, { isRequired }]) => isRequired)
        .map(([name]) => [name, ''])
        .sort(),
    );
    const optional = new Map(
      [...example.matchAll(/^# ([A-Z0-9_]+)=(.*)$/gmu)].map(([, name = '', value = '']) => [name, value]),
    );
    const expected = variables.filter(([, { isRequired }]) => !isRequired);
    expect([...optional.keys()].sort()).toEqual(expected.map(([name]) => name).sort());
    for (const [name, { otherwise }] of expected)
      if (otherwise !== '') expect(optional.get(name), name).toBe(otherwise);
  });

  it('runs the version of the product from package.json', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(composeVariables(read('infra/deploy/compose.yaml')).get('ALPENGLOW_VERSION')?.otherwise).toBe(version);
  });
});

describe('the files for one machine', () => {
  const unit = read('infra/deploy/alpenglow.service');
  const environment = Object.fromEntries(
    [...read('infra/deploy/production.env.example').matchAll(/^([A-Z_]+)=(.+)$/gmu)].map(
      ([, name = '', value = '']) => [name, value.replace(/^"(.*)"$/u, '$1')],
    ),
  );

  it('have valid settings for a public site behind a proxy on the same machine', () => {
    expect(readConfig(environment)).toMatchObject({
      host: '127.0.0.1',
      trustedProxies: 1,
      isDemo: false,
      exposeVerificationCodes: false,
      staffTwoStep: true,
      mail: { kind: 'smtp' },
    });
    expect(readConfig(environment).siteUrl).toMatch(/^https:/u);
  });

  it('give the product enough time to stop, and let it stop Postgres itself', () => {
    const stop_s = Number(/^TimeoutStopSec=(\d+)$/mu.exec(unit)?.[1]);
    expect(stop_s * 1_000).toBeGreaterThan(readConfig(environment).finishRequests_ms + 6_000);
    expect(unit).toMatch(/^KillMode=mixed$/mu);
  });

  it('agree with the paths in docs/production.md', () => {
    const [, file = ''] = /^EnvironmentFile=(.+)$/mu.exec(unit) ?? [];
    const [, folder = ''] = /^WorkingDirectory=(.+)\/app$/mu.exec(unit) ?? [];
    const document = read('docs/production.md');
    expect(document).toContain(`infra/deploy/production.env.example ${file}`);
    expect(document).toContain(`--home-dir ${folder} `);
    expect(document).toContain(`DATA_DIR=${environment['DATA_DIR'] ?? ''} `);
  });
});

describe('alerts.yaml', () => {
  const { groups } = parse(read('infra/deploy/alerts.yaml')) as {
    readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules.map(({ alert, expr }) => [alert, expr] as const));

  it.each(rules)('%s uses a metric that the code registers and docs/operations.md explains', (_, expr) => {
    const [metric = ''] = /[a-z_]+_total/u.exec(expr) ?? [];
    const code = [
      'infra/src/http/limit-recorder.ts',
      'infra/src/service/front-end-metrics.ts',
      'infra/src/service/mail-metrics.ts',
      'shell/server/releases/watch.ts',
      'shell/server/status/csp-reports.ts',
    ]
      .map(read)
      .join('');
    expect(code).toContain(`'${metric}'`);
    expect(read('docs/operations.md')).toContain(`\`${metric}`);
  });
});
