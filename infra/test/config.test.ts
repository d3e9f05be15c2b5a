import { describe, expect, test } from 'vitest';
import { ConfigurationError, readConfig } from '../src/service/config.ts';
import { selectSecrets } from '../src/security/select-secrets.ts';

const LOCAL_DATABASE = 'postgres://u:p@localhost/a';

describe('the configuration', () => {
  test('has defaults for a demo on one machine', () => {
    expect(readConfig({})).toEqual({
      port: 8080,
      host: '127.0.0.1',
      siteUrl: null,
      dataDir: '.data',
      isDemo: true,
      databaseUrl: null,
      databaseReadUrls: [],
      eventStoreUrl: null,
      eventStoreStreamPrefix: '',
      kafka: null,
      redisUrl: null,
      s3: null,
      mail: { kind: 'inbox' },
      secrets: null,
      adminEmail: 'admin@demo.alpenglow.example',
      backupRetention_days: 30,
      staffTwoStep: false,
      hiddenAdIds: ['6'],
      imageHashList: null,
      imageHashListAction: 'reject',
      takenDownAction: 'hold',
      exposeVerificationCodes: true,
      localRemotes: false,
      metricsToken: null,
      rateLimits: true,
      trustedProxies: 0,
      mfDir: '.build/mf',
      frontEndTrust: { keys: null, revoked: [] },
      upstreams: null,
      queryApiUrls: null,
      decoderUrls: null,
      projectionShards: new Map(),
      waitPosition_ms: 2_000,
      waitUnknownId_ms: 1_000,
      uploadWait_ms: 10_000,
      drainDelay_ms: 2_000,
      finishRequests_ms: 4_000,
      tracing: null,
      logLevel: 'warn',
    });
  });
  test('shows no demo, no demo admin and no codes in production', () => {
    expect(readConfig({ NODE_ENV: 'production' })).toMatchObject({
      isDemo: false,
      staffTwoStep: true,
      adminEmail: null,
      exposeVerificationCodes: false,
    });
  });
  test('shows no codes with an external database', () => {
    expect(readConfig({ DATABASE_URL: 'postgres://localhost/a' })).toMatchObject({
      exposeVerificationCodes: false,
      databaseUrl: 'postgres://localhost/a',
    });
  });
  test('treats an empty variable as unset', () => {
    expect(readConfig({ PORT: '', DEMO: '' })).toMatchObject({ port: 8080, isDemo: true });
  });
  test('reads a list of ads to hide', () => {
    expect(readConfig({ HIDDEN_AD_IDS: '6, ad-7' })).toMatchObject({ hiddenAdIds: ['6', 'ad-7'] });
    expect(() => readConfig({ HIDDEN_AD_IDS: '6,,7' })).toThrow('HIDDEN_AD_IDS: must be ids of ads');
  });
  test('reads the keys with which front ends are signed, and revoked builds', () => {
    const [one, two] = ['ab'.repeat(32), 'cd'.repeat(32)];
    expect(readConfig({ FRONT_END_KEYS: `${one}, ${two}`, FRONT_END_REVOKED: 'f'.repeat(16) })).toMatchObject({
      frontEndTrust: { keys: [one, two], revoked: ['f'.repeat(16)] },
    });
    const forSome = `${two}:mf-events+mf-calendar`;
    expect(readConfig({ FRONT_END_KEYS: `${one},${forSome}` })).toMatchObject({
      frontEndTrust: { keys: [one, forSome] },
    });
    for (const wrong of [`${one}:`, `${one}:events`, `${one}:mf-events,mf-calendar`, `mf-events:${one}`])
      expect(() => readConfig({ FRONT_END_KEYS: wrong })).toThrow('FRONT_END_KEYS: must be public keys');
    expect(() => readConfig({ FRONT_END_KEYS: 'ab' })).toThrow('FRONT_END_KEYS: must be public keys of 64 hex digits');
    expect(() => readConfig({ FRONT_END_REVOKED: 'x' })).toThrow('FRONT_END_REVOKED: must be hashes of builds');
  });
  test('allows local remotes only with the demo or with shown codes', () => {
    const env = { LOCAL_REMOTES: 'on', DEMO: 'off', EXPOSE_VERIFICATION_CODES: 'off' };
    const rule = /^LOCAL_REMOTES: can be on only in a site for development or staging/u;
    for (const NODE_ENV of ['production', undefined]) {
      expect(() => readConfig({ ...env, NODE_ENV })).toThrow(rule);
      expect(readConfig({ ...env, NODE_ENV, LOCAL_REMOTES: 'off' }).localRemotes).toBe(false);
      for (const mark of ['DEMO', 'EXPOSE_VERIFICATION_CODES'])
        expect(readConfig({ ...env, NODE_ENV, PUBLIC_DEMO: 'on', [mark]: 'on' }).localRemotes, mark).toBe(true);
    }
    expect(() => readConfig({ LOCAL_REMOTES: 'on', NODE_ENV: 'production' })).toThrow(rule);
    expect(readConfig({ LOCAL_REMOTES: 'on' }).localRemotes).toBe(true);
  });
  test('requires limits and two-step sign-in in production', () => {
    expect(readConfig({ RATE_LIMITS: 'off' })).toMatchObject({ rateLimits: false });
    expect(() => readConfig({ RATE_LIMITS: 'off', NODE_ENV: 'production' })).toThrow(
      'RATE_LIMITS: cannot be off with NODE_ENV=production',
    );
    expect(() => readConfig({ STAFF_TWO_STEP: 'off', NODE_ENV: 'production' })).toThrow(
      'STAFF_TWO_STEP: cannot be off with NODE_ENV=production',
    );
    expect(readConfig({ RATE_LIMITS: 'on', NODE_ENV: 'production', TRUST_PROXY: '2' })).toMatchObject({
      rateLimits: true,
      trustedProxies: 2,
    });
  });
  test('does not start with a demo that other people can reach, and names each reason (R-9.19)', () => {
    const production = { NODE_ENV: 'production', DEMO: 'on', EXPOSE_VERIFICATION_CODES: 'on' };
    expect(() => readConfig(production)).toThrow(
      /^DEMO: cannot be on with NODE_ENV=production.*\nEXPOSE_VERIFICATION_C/u,
    );
    expect(() => readConfig({ ...production, DEMO: 'off' })).toThrow(/^EXPOSE_VERIFICATION_CODES: cannot be on/u);
    for (const HOST of ['0.0.0.0', '::', '192.168.1.2', 'www.example.org', '127.example.org'])
      expect(() => readConfig({ HOST }), HOST).toThrow(/^DEMO: .*\nEXPOSE_VERIFICATION_CODES: /u);
    for (const HOST of ['127.0.0.1', '127.0.1.1', 'localhost', '::1'])
      expect(readConfig({ HOST }), HOST).toMatchObject({ isDemo: true, exposeVerificationCodes: true });
    expect(readConfig({ HOST: '0.0.0.0', DEMO: 'off', EXPOSE_VERIFICATION_CODES: 'off' }).isDemo).toBe(false);
    expect(readConfig({ ...production, HOST: '0.0.0.0', PUBLIC_DEMO: 'on' }).isDemo).toBe(true);
  });
  test('treats a proxy and a public address of the site as signs of a public demo (R-9.19)', () => {
    for (const [env, sign] of [
      [{ TRUST_PROXY: '1' }, /^DEMO: cannot be on with TRUST_PROXY=1/u],
      [{ SITE_URL: 'https://www.example.org' }, /^DEMO: cannot be on with SITE_URL=https:\/\/www.example.org/u],
      [{ SITE_URL: 'http://192.168.1.2:8080' }, /^DEMO: cannot be on with SITE_URL/u],
    ] as const) {
      expect(() => readConfig(env)).toThrow(sign);
      expect(readConfig({ ...env, PUBLIC_DEMO: 'on' }).isDemo).toBe(true);
      expect(readConfig({ ...env, DEMO: 'off', EXPOSE_VERIFICATION_CODES: 'off' }).isDemo).toBe(false);
    }
    for (const SITE_URL of ['http://localhost:8080', 'https://127.0.0.1', 'http://[::1]:8080'])
      expect(readConfig({ SITE_URL }).isDemo, SITE_URL).toBe(true);
  });
  test('reads a list of read replicas', () => {
    const env = { DATABASE_URL: LOCAL_DATABASE };
    expect(readConfig({ ...env, DATABASE_READ_URLS: 'postgres://b/a, postgresql://c/a' }).databaseReadUrls).toEqual([
      'postgres://b/a',
      'postgresql://c/a',
    ]);
    expect(() => readConfig({ DATABASE_READ_URLS: 'postgres://b/a' })).toThrow(
      'DATABASE_URL: is needed beside DATABASE_READ_URLS',
    );
    expect(() => readConfig({ ...env, DATABASE_READ_URLS: 'postgres://b/a,mysql://c' })).toThrow(
      'DATABASE_READ_URLS: must be postgres://',
    );
    const tooMany = Array.from({ length: 17 }, (_, n) => `postgres://b${n}/a`).join();
    for (const wrong of [tooMany, 'postgres://b/a,postgres://b/a'])
      expect(() => readConfig({ ...env, DATABASE_READ_URLS: wrong })).toThrow(
        'DATABASE_READ_URLS: must be at most 16 different addresses',
      );
  });
  test('names everything that makes a demo public (R-9.19)', () => {
    const env = { NODE_ENV: 'production', HOST: '0.0.0.0', TRUST_PROXY: '1', DEMO: 'on' };
    expect(() => readConfig({ ...env, SITE_URL: 'https://www.example.org' })).toThrow(
      /^DEMO: cannot be on with NODE_ENV=production, HOST=0\.0\.0\.0 .*, SITE_URL=https:.*, TRUST_PROXY=1 /u,
    );
  });
  test('requires TLS to each backing service in production, unless it is allowed by name (R-9.30)', () => {
    const s3 = { S3_BUCKET: 'alpenglow', S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'key' };
    const email = { EMAIL_SERVICE_ID: 'a', EMAIL_TEMPLATE_ID: 'b', EMAIL_PUBLIC_KEY: 'c' };
    type Env = Readonly<Record<string, string>>;
    const cases: readonly (readonly [name: string, plain: Env, others: readonly Env[]])[] = [
      [
        'postgres',
        { DATABASE_URL: 'postgres://u:p@db/a' },
        [
          { DATABASE_URL: 'postgres://u:p@db/a?sslmode=verify-full' },
          { DATABASE_URL: 'postgres://u:p@db/a?sslmode=require' },
          { DATABASE_URL: 'postgres://u:p@127.0.0.1:5432/a' },
        ],
      ],
      ['postgres', { DATABASE_URL: 'postgres://u:p@db/a?sslmode=disable' }, []],
      ['postgres', { DATABASE_URL: 'postgres://u:p@db/a?sslmode=prefer' }, []],
      ['postgres', { DATABASE_URL: 'postgres://u:p@db/a?sslmode=no-verify' }, []],
      // The driver prefers the host of the query, and of several values the last one.
      [
        'postgres',
        { DATABASE_URL: 'postgres://u:p@localhost/a?host=db.example.org' },
        [
          { DATABASE_URL: 'postgres://u:p@localhost/a?host=db.example.org&sslmode=verify-full' },
          { DATABASE_URL: 'postgres://u:p@localhost/a?host=/var/run/postgresql' },
          { DATABASE_URL: 'postgres://u:p@db/a?host=127.0.0.1' },
        ],
      ],
      [
        'postgres',
        { DATABASE_READ_URLS: 'postgres://u:p@localhost/a,postgres://u:p@replica/a', DATABASE_URL: LOCAL_DATABASE },
        [
          {
            DATABASE_READ_URLS: 'postgres://u:p@localhost/a, postgres://u:p@replica/a?sslmode=verify-full',
            DATABASE_URL: LOCAL_DATABASE,
          },
        ],
      ],
      ['postgres', { DATABASE_URL: 'postgres://u:p@localhost/a?host=localhost&host=db.example.org' }, []],
      [
        'postgres',
        { DATABASE_URL: 'postgres://u:p@db/a?sslmode=verify-full&sslmode=disable' },
        [{ DATABASE_URL: 'postgres://u:p@db/a?sslmode=disable&sslmode=verify-full' }],
      ],
      // As in libpq, 'require' then checks no certificate.
      [
        'postgres',
        { DATABASE_URL: 'postgres://u:p@db/a?sslmode=require&uselibpqcompat=true' },
        [{ DATABASE_URL: 'postgres://u:p@db/a?sslmode=verify-full&uselibpqcompat=true' }],
      ],
      [
        'eventstore',
        { EVENTSTORE_URL: 'esdb://u:p@a:2113,b:2113?tls=false' },
        [{ EVENTSTORE_URL: 'esdb://a:2113' }, { EVENTSTORE_URL: 'esdb://u:p@127.0.0.1:2113?tls=false' }],
      ],
      ['eventstore', { EVENTSTORE_URL: 'esdb://127.0.0.1:2113,b:2113?keepAlive=1&TLS=False' }, []],
      [
        'eventstore',
        { EVENTSTORE_URL: 'esdb://b:2113?tls=true&tlsVerifyCert=false' },
        [{ EVENTSTORE_URL: 'esdb://b:2113?tlsVerifyCert=true' }],
      ],
      [
        'kafka',
        { KAFKA_BROKERS: 'a:9092' },
        [{ KAFKA_BROKERS: 'a:9092', KAFKA_TLS: 'on' }, { KAFKA_BROKERS: 'localhost:9092' }],
      ],
      ['kafka', { KAFKA_BROKERS: 'localhost:9092,b:9092' }, []],
      [
        'redis',
        { REDIS_URL: 'redis://:p@r:6379' },
        [{ REDIS_URL: 'rediss://:p@r:6379' }, { REDIS_URL: 'redis://localhost:6379' }],
      ],
      [
        's3',
        { ...s3, S3_ENDPOINT: 'http://s:9000' },
        [
          { ...s3, S3_ENDPOINT: 'https://s' },
          { ...s3, S3_ENDPOINT: 'http://[::1]:9000' },
        ],
      ],
      [
        'email-service',
        { ...email, EMAIL_SERVICE_URL: 'http://mail.example.org' },
        [{ ...email, EMAIL_SERVICE_URL: 'https://mail.example.org' }],
      ],
      [
        'collector',
        { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318' },
        [
          { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example.org' },
          { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' },
        ],
      ],
    ];
    const production = { NODE_ENV: 'production' };
    for (const [name, plain, others] of cases) {
      const [variable] = Object.keys(plain).filter((setting) => /URL|BROKERS|ENDPOINT/u.test(setting));
      expect(() => readConfig({ ...production, ...plain }), JSON.stringify(plain)).toThrow(
        new RegExp(`^${variable ?? ''}: requires TLS with NODE_ENV=production.*ALLOW_PLAINTEXT=${name}$`, 'u'),
      );
      expect(() => readConfig({ ...production, ...plain, ALLOW_PLAINTEXT: `x,${name}` })).toThrow(
        'ALLOW_PLAINTEXT: must',
      );
      for (const accepted of [{ ...plain, ALLOW_PLAINTEXT: name }, ...others])
        expect(() => readConfig({ ...production, ...accepted }), JSON.stringify(accepted)).not.toThrow();
      expect(() => readConfig(plain)).not.toThrow();
    }
    expect(() =>
      readConfig({ ...production, DATABASE_URL: 'postgres://u:p@db/a', REDIS_URL: 'redis://:secret@r:6379' }),
    ).toThrow(/^DATABASE_URL: requires TLS.*\nREDIS_URL: requires TLS((?!secret).)*$/u);
  });
  test('reads the address of the site as an origin', () => {
    expect(readConfig({ SITE_URL: 'https://WWW.example.org/', PUBLIC_DEMO: 'on' }).siteUrl).toBe(
      'https://www.example.org',
    );
    for (const wrong of ['www.example.org', 'ftp://a', 'https://a/b', 'https://a?x', 'https://u:p@a'])
      expect(() => readConfig({ SITE_URL: wrong }), wrong).toThrow('SITE_URL: must be http[s]://host[:port]');
  });
  test('accepts QUERY_API_URLS alone, and the addresses of a gateway only together', () => {
    expect(readConfig({ QUERY_API_URLS: 'http://a:1, http://b:2' })).toMatchObject({
      queryApiUrls: ['http://a:1', 'http://b:2'],
      upstreams: null,
    });
    expect(() => readConfig({ QUERY_API_URLS: 'http://a:1', SHELL_URLS: 'http://b:1' })).toThrow(
      'COMMAND_API_URLS: is needed beside QUERY_API_URLS, SHELL_URLS',
    );
  });
  test('reads the numbers of shards of projections that can be split', () => {
    const shardsOf = (text: string) => readConfig({ PROJECTION_SHARDS: text }).projectionShards;
    expect(shardsOf('ad_cards:4, accounts:1')).toEqual(
      new Map([
        ['ad_cards', 4],
        ['accounts', 1],
      ]),
    );
    for (const wrong of ['ad_cards', 'ad_cards:0', 'ad_cards:65', 'daily_counts:2', 'other:2', 'ad_cards:2,ad_cards:3'])
      expect(() => shardsOf(wrong), wrong).toThrow('PROJECTION_SHARDS');
  });

  test('lists all errors at once', () => {
    const error = (() => {
      try {
        return readConfig({
          PORT: 'x',
          DEMO: 'maybe',
          ADMIN_EMAIL: 'nobody',
          LOG_LEVEL: 'loud',
          DATABASE_URL: 'mysql://x',
        });
      } catch (error) {
        return error;
      }
    })();
    expect(error).toBeInstanceOf(ConfigurationError);
    for (const name of ['PORT', 'DEMO', 'ADMIN_EMAIL', 'LOG_LEVEL', 'DATABASE_URL'])
      expect((error as Error).message).toContain(`${name}:`);
  });
  test('reads the backing services of a cluster', () => {
    const config = readConfig({
      EVENTSTORE_URL: 'esdb://u:p@a:2113,b:2113?tls=false',
      KAFKA_BROKERS: 'a:9092, b:9092',
      REDIS_URL: 'redis://r:6379',
      S3_ENDPOINT: 'http://s:9000',
      S3_BUCKET: 'alpenglow',
      S3_ACCESS_KEY_ID: 'id',
      S3_SECRET_ACCESS_KEY: 'key',
    });
    expect(config).toMatchObject({
      eventStoreUrl: 'esdb://u:p@a:2113,b:2113?tls=false',
      kafka: { brokers: ['a:9092', 'b:9092'], partitions: 6 },
      redisUrl: 'redis://r:6379',
      s3: { bucket: 'alpenglow' },
    });
  });
  test('accepts SMTP or the e-mail service, not both', () => {
    expect(
      readConfig({ SMTP_URL: 'smtp://u:p%40ss@mail.example:587', MAIL_FROM: 'Alpenglow <no-reply@example.org>' }).mail,
    ).toEqual({ kind: 'smtp', url: 'smtp://u:p%40ss@mail.example:587', from: 'Alpenglow <no-reply@example.org>' });
    const service = {
      EMAIL_SERVICE_URL: 'https://mail.example',
      EMAIL_SERVICE_ID: 's',
      EMAIL_TEMPLATE_ID: 't',
      EMAIL_PUBLIC_KEY: 'p',
    };
    expect(readConfig(service).mail).toEqual({
      kind: 'service',
      url: 'https://mail.example',
      serviceId: 's',
      templateId: 't',
      publicKey: 'p',
      privateKey: null,
    });
    expect(readConfig({ ...service, EMAIL_PRIVATE_KEY: 'k' }).mail).toMatchObject({ privateKey: 'k' });
    expect(() => readConfig({ ...service, SMTP_URL: 'smtp://a', MAIL_FROM: 'a@example.org' })).toThrow(
      'EMAIL_SERVICE_URL: mails leave one way; SMTP_URL is another',
    );
    expect(() => readConfig({ EMAIL_PRIVATE_KEY: 'k' })).toThrow(
      'EMAIL_SERVICE_URL: is needed beside EMAIL_PRIVATE_KEY',
    );
    expect(() => readConfig({ EMAIL_SERVICE_URL: 'https://mail.example', SMTP_URL: 'smtp://a' })).toThrow(
      /MAIL_FROM: .*\nEMAIL_SERVICE_ID: .*\nEMAIL_TEMPLATE_ID: .*\nEMAIL_PUBLIC_KEY: /u,
    );
  });
  test.each([
    'mail.example:587',
    'http://mail.example',
    'smtp://mail.example?tls=maybe',
    'smtp://mail.example?pool=true',
    'smtp://u:hunter2 @mail.example',
    'smtp://[mail',
  ])('rejects %j as a mail server, without repeating it', (url) => {
    const read = () => readConfig({ SMTP_URL: url, MAIL_FROM: 'a@example.org' });
    expect(read).toThrow('SMTP_URL: must be smtp[s]://');
    expect(read).not.toThrow(url);
  });
  test.each(['nobody', 'A <b>', 'a@b.example, c@d.example', 'A\r\nBcc: x@y.example <a@b.example>'])(
    'rejects %j as a sender',
    (from) => {
      expect(() => readConfig({ SMTP_URL: 'smtp://a', MAIL_FROM: from })).toThrow(
        'MAIL_FROM: must be address or Name <address>',
      );
    },
  );
  test('reports missing settings of a group by name, without any value', () => {
    const secret = 'f'.repeat(64);
    expect(() => readConfig({ S3_ENDPOINT: 'http://s:9000', SECRET_DATA_KEYS: secret })).toThrow(
      new RegExp(['S3_BUCKET: .*', 'S3_ACCESS_KEY_ID: .*', 'S3_SECRET_ACCESS_KEY: '].join('\\n'), 'u'),
    );
    const error = (() => {
      try {
        return readConfig({ SECRET_DATA_KEYS: `${secret}0` });
      } catch (error) {
        return error;
      }
    })();
    expect(error).toBeInstanceOf(ConfigurationError);
    expect((error as Error).message).not.toContain(secret);
  });
  test('reads up to five secrets for data keys, and repeats none in an error', () => {
    const [first, second] = ['a'.repeat(64), 'b'.repeat(64)];
    const read = (dataKeys: string) =>
      readConfig({ SECRET_ACCOUNT_IDS: first, SECRET_DATA_KEYS: dataKeys, SECRET_VERIFICATION_CODES: first }).secrets;
    expect(read(second)?.dataKeys).toBe(second);
    expect(read(`${first}, ${second} `)?.dataKeys).toBe(`${first},${second}`);
    expect(() => read(Array.from({ length: 6 }, () => first).join(','))).toThrow('SECRET_DATA_KEYS: must be');
    for (const wrong of [`${first},`, `,${first}`, `${first};${second}`, `${first},${second}0`, `${first}${second}`]) {
      expect(() => read(wrong), wrong).toThrow('SECRET_DATA_KEYS: must be 64 hex digits');
      expect(() => read(wrong)).not.toThrow(first);
    }
  });
  test('a process has the secrets that are set, and names those that it needs but does not have', () => {
    const key = 'f'.repeat(64);
    expect(readConfig({}).secrets).toBeNull();
    expect(selectSecrets(null, ['dataKeys'])).toBeNull();
    const { secrets } = readConfig({ SECRET_DATA_KEYS: key });
    expect(secrets).toEqual({ dataKeys: key });
    expect(selectSecrets(secrets, ['dataKeys'])).toEqual({ dataKeys: key });
    expect(() => selectSecrets(secrets, ['accountIds', 'dataKeys', 'verificationCodes'])).toThrow(
      /^SECRET_ACCOUNT_IDS: .*\nSECRET_VERIFICATION_CODES: ((?!ffff).)*$/u,
    );
  });
});

test('traces have the address of the collector with its path, headers and share', () => {
  expect(readConfig({}).tracing).toBeNull();
  expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }).tracing).toEqual({
    url: 'http://localhost:4318/v1/traces',
    headers: {},
    share: 0.05,
  });
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example.org/team/',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a=b, x-team=100%',
    OTEL_TRACES_SAMPLER_ARG: '1',
  };
  expect(readConfig(settings).tracing).toEqual({
    url: 'https://otel.example.org/team/v1/traces',
    headers: { authorization: 'Bearer a=b', 'x-team': '100%' },
    share: 1,
  });
  for (const [name, value] of [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'Bearer token'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ] as const)
    expect(() => readConfig({ ...settings, [name]: value }), name).toThrow(name);
});
