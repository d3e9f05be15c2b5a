import {
  AD_ID_PATTERN,
  DEMO_EMAILS,
  UNLISTED_AD_IDS_DEFAULT,
  POSITION_WAIT_MAX_ms,
  UNKNOWN_ID_WAIT_MAX_ms,
} from '@alpenglow/domain';
import * as z from 'zod';
import { READ_MODELS, SHARDS_MAX } from '../read-models/index.ts';
import { secretListSchema, secretSchema, type Secrets } from '../security/secrets.ts';

/** The maximum value of all settings that delay a response. The time limit of the gateway is longer than this value. */
export const REQUEST_WAIT_MAX_ms = 45_000;

/** The maximum number of read replicas. Every process checks each of them twice a second. */
const MAX_READ_URLS = 16;

const upTo = (max: number) => z.coerce.number().int().min(0).max(max);
const port = upTo(65_535);
const onOff = z.enum(['on', 'off']).transform((value) => value === 'on');
/** The action for a photo that matches a list: it is rejected, or it waits for a moderator. */
const listAction = z.enum(['reject', 'hold']);
const count = (max: number) => z.coerce.number().int().min(1).max(max);
const listOf = (item: z.ZodType<string, string>) =>
  z
    .string()
    .transform((list) => list.split(',').map((entry) => entry.trim()))
    .pipe(z.array(item));
const brokers = listOf(z.string().regex(/^[^\s:/]+:\d{1,5}$/u, 'must be host:port, host:port, …'));
const adIds = listOf(z.string().regex(AD_ID_PATTERN, 'must be ids of ads, id, id, …'));
const urls = listOf(z.url({ protocol: /^http$/u, error: 'must be http://host:port, http://host:port, …' }));
const publicKeys = listOf(
  z
    .string()
    .regex(
      /^[0-9a-f]{64}(?::mf-[a-z-]+(?:\+mf-[a-z-]+)*)?$/u,
      'must be public keys of 64 hex digits, key, key:remote+remote, …',
    ),
);
const buildHashes = listOf(z.string().regex(/^[0-9a-f]{16}$/u, 'must be hashes of builds with 16 hex digits, hash, …'));
const postgresUrls = listOf(
  z.url({ protocol: /^postgres(ql)?$/u, error: 'must be postgres://host:port/database, postgres://…, …' }),
).refine((list) => list.length <= MAX_READ_URLS && new Set(list).size === list.length, {
  error: `must be at most ${MAX_READ_URLS} different addresses`,
});

const SHARD_COUNTS_RULE = `must be name:count, … with names of read models that can be split, 1 to ${SHARDS_MAX}`;
const shardCounts = listOf(z.string().regex(/^[a-z_]+:\d{1,2}$/u, SHARD_COUNTS_RULE)).transform((entries, context) => {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const [name = '', digits = ''] = entry.split(':');
    const isKnown = READ_MODELS.some((readModel) => readModel.name === name && readModel.isShardable === true);
    const shards = Number(digits);
    if (!isKnown || counts.has(name) || shards < 1 || shards > SHARDS_MAX) context.addIssue(SHARD_COUNTS_RULE);
    counts.set(name, shards);
  }
  return counts;
});

const origin = z
  .url({ protocol: /^https?$/u, error: 'must be http[s]://host[:port]' })
  .refine((url) => /^https?:\/\/[^/?#@]+\/?$/iu.test(url), 'must be http[s]://host[:port], without a path')
  .transform((url) => new URL(url).origin);

const SMTP_URL_RULE = 'must be smtp[s]://[user:password@]host[:port][?tls=off|required]';
const smtpUrl = z
  .string()
  .regex(/^smtps?:\/\/[^\s/?#]+\/?(?:\?tls=(?:off|required))?$/u, SMTP_URL_RULE)
  .refine((url) => URL.canParse(url), SMTP_URL_RULE);

/** The backing services whose connections must be encrypted in production. `ALLOW_PLAINTEXT` lists exceptions. */
const PLAINTEXT_NAMES = ['postgres', 'eventstore', 'kafka', 'redis', 's3', 'email-service', 'collector'] as const;
type PlaintextName = (typeof PLAINTEXT_NAMES)[number];

/**
 * All environment variables with their defaults and limits. They are read once, when the process starts. A test
 * compares them with the table in docs/configuration.md.
 */
const environment = z.object({
  PORT: port.default(8080),
  HOST: z.string().min(1).default('127.0.0.1'),
  SITE_URL: origin.optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  DEMO: onOff.optional(),
  PUBLIC_DEMO: onOff.default(false),
  ALLOW_PLAINTEXT: listOf(z.string())
    .pipe(z.array(z.enum(PLAINTEXT_NAMES, `must be a list of ${PLAINTEXT_NAMES.join(', ')}`)))
    .default([]),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/u }).optional(),
  DATABASE_READ_URLS: postgresUrls.default([]),
  // The value is checked with a pattern, because an address with several hosts of a cluster is not a valid URL.
  EVENTSTORE_URL: z
    .string()
    .regex(
      /^(?:esdb|kurrentdb|kdb)(?:\+discover)?:\/\/[^\s/?]+\/?(?:\?\S*)?$/u,
      'must be esdb://host:port[,host:port…][?tls=false&…] or esdb+discover://…',
    )
    .optional(),
  EVENTSTORE_STREAM_PREFIX: z
    .string()
    .regex(/^[\w.:-]{1,50}$/u, 'must have at most 50 characters of A–Z a–z 0–9 _ . : -')
    .optional(),
  KAFKA_BROKERS: brokers.optional(),
  KAFKA_TOPIC: z
    .string()
    .regex(/^[\w.-]{1,200}$/u)
    .default('alpenglow.live'),
  KAFKA_PARTITIONS: count(1_000).default(6),
  KAFKA_REPLICATION: count(10).default(1),
  KAFKA_RETENTION_HOURS: count(24 * 365).default(48),
  KAFKA_TLS: onOff.default(false),
  KAFKA_USERNAME: z.string().min(1).optional(),
  KAFKA_PASSWORD: z.string().min(1).optional(),
  REDIS_URL: z.url({ protocol: /^rediss?$/u }).optional(),
  S3_ENDPOINT: z.url({ protocol: /^https?$/u }).optional(),
  S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/u)
    .optional(),
  S3_REGION: z.string().min(1).default('us-east-1'),
  S3_ACCESS_KEY_ID: z.string().min(1).optional(),
  S3_SECRET_ACCESS_KEY: z.string().min(1).optional(),
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: z
    .string()
    .regex(/^(?:[^<>\r\n"@,;]+ <[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u, 'must be address or Name <address>')
    .optional(),
  EMAIL_SERVICE_URL: z.url({ protocol: /^https?$/u }).optional(),
  EMAIL_SERVICE_ID: z.string().min(1).optional(),
  EMAIL_TEMPLATE_ID: z.string().min(1).optional(),
  EMAIL_PUBLIC_KEY: z.string().min(1).optional(),
  EMAIL_PRIVATE_KEY: z.string().min(1).optional(),
  SECRET_ACCOUNT_IDS: secretListSchema.optional(),
  SECRET_DATA_KEYS: secretListSchema.optional(),
  SECRET_VERIFICATION_CODES: secretSchema.optional(),
  ADMIN_EMAIL: z.email().optional(),
  STAFF_TWO_STEP: onOff.optional(),
  HIDDEN_AD_IDS: adIds.default([...UNLISTED_AD_IDS_DEFAULT]),
  IMAGE_HASH_LIST: z.string().min(1).optional(),
  IMAGE_HASH_LIST_ACTION: listAction.default('reject'),
  TAKEN_DOWN_ACTION: listAction.default('hold'),
  RATE_LIMITS: onOff.default(true),
  TRUST_PROXY: upTo(10).default(0),
  EXPOSE_VERIFICATION_CODES: onOff.optional(),
  METRICS_TOKEN: z.string().min(16, 'must have at least 16 characters').max(200).optional(),
  BACKUP_KEY_FILE: z.string().min(1).optional(),
  BACKUP_RETENTION_DAYS: upTo(3_650).default(30),
  MF_DIR: z.string().min(1).default('.build/mf'),
  FRONT_END_KEYS: publicKeys.optional(),
  FRONT_END_REVOKED: buildHashes.default([]),
  LOCAL_REMOTES: onOff.default(false),
  COMMAND_API_URLS: urls.optional(),
  QUERY_API_URLS: urls.optional(),
  SHELL_URLS: urls.optional(),
  DECODER_URLS: urls.optional(),
  PROJECTION_SHARDS: shardCounts.default(new Map()),
  WAIT_POSITION_MS: upTo(REQUEST_WAIT_MAX_ms).default(POSITION_WAIT_MAX_ms),
  WAIT_UNKNOWN_ID_MS: upTo(REQUEST_WAIT_MAX_ms).default(UNKNOWN_ID_WAIT_MAX_ms),
  UPLOAD_WAIT_MS: upTo(REQUEST_WAIT_MAX_ms).default(10_000),
  DRAIN_DELAY_MS: upTo(30_000).default(2_000),
  FINISH_REQUESTS_MS: upTo(15 * 60_000).default(4_000),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/u, error: 'must be http[s]://host[:port][/path]' })
    .optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .regex(/^[\w-]+=[^,\r\n]*(?:,\s*[\w-]+=[^,\r\n]*)*$/u, 'must be name=value,name=value, …')
    .optional(),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(0.05),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('warn'),
});
type Environment = z.output<typeof environment>;

/** Groups of settings that must be set together. */
const REQUIRED_TOGETHER: readonly (readonly (keyof Environment)[])[] = [
  ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ['KAFKA_USERNAME', 'KAFKA_PASSWORD'],
  ['SMTP_URL', 'MAIL_FROM'],
  ['EMAIL_SERVICE_URL', 'EMAIL_SERVICE_ID', 'EMAIL_TEMPLATE_ID', 'EMAIL_PUBLIC_KEY'],
];

/**
 * Settings that the gateway needs together. QUERY_API_URLS alone is also valid, because the shell uses it to read the
 * data of its pages.
 */
const GATEWAY_SETTINGS: readonly (keyof Environment)[] = ['COMMAND_API_URLS', 'QUERY_API_URLS', 'SHELL_URLS'];

export type KafkaConfig = NonNullable<Config['kafka']>;

export type S3Config = NonNullable<Config['s3']>;

/**
 * The way in which mails are sent: the inbox (a table for developers), a mail server, or the e-mail sending service
 * (R-10.6).
 */
export type MailConfig = Config['mail'];

/** The URLs of the services to which the gateway forwards requests. Every service has one or more URLs. */
export type Upstreams = NonNullable<Config['upstreams']>;

export type Config = ReturnType<typeof readConfig>;

/**
 * Returns the base URL of links in mails, without a trailing slash. This is the URL of the site. If it is unknown, it
 * is the URL of this machine.
 */
export function getSiteUrl({ siteUrl, port: localPort }: Pick<Config, 'siteUrl' | 'port'>): string {
  return siteUrl ?? `http://localhost:${localPort}`;
}

/** The error for an invalid configuration. The message lists every problem on a separate line. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/**
 * Reads the configuration from environment variables. An empty variable counts as unset. Throws a `ConfigurationError`
 * that contains all errors.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>) {
  const variables = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = environment.safeParse(variables);
  const isProduction = env['NODE_ENV'] === 'production';
  const errors = [
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path[0]?.toString() ?? ''}: ${issue.message}`),
    ...missingSettings(variables),
    ...replicaErrors(variables),
    ...mailErrors(variables),
    ...(isProduction ? productionErrors(variables) : []),
  ];
  if (!parsed.success) throw new ConfigurationError(errors.join('\n'));
  const settings = parsed.data;
  const demo = settings.DEMO ?? !isProduction;
  const exposeVerificationCodes =
    settings.EXPOSE_VERIFICATION_CODES ?? (settings.DATABASE_URL === undefined && !isProduction);
  errors.push(...publicDemoErrors({ settings, demo, exposeVerificationCodes, isProduction }));
  if (settings.LOCAL_REMOTES && !demo && !exposeVerificationCodes) errors.push(LOCAL_REMOTES_RULE);
  if (isProduction) errors.push(...plaintextErrors(settings));
  if (errors.length > 0) throw new ConfigurationError(errors.join('\n'));
  return {
    port: settings.PORT,
    host: settings.HOST,
    /** The public origin of the site, e.g. `https://www.example.org`. Null if unknown. */
    siteUrl: settings.SITE_URL ?? null,
    dataDir: settings.DATA_DIR,
    isDemo: demo,
    /** The URL of Postgres. Null if the process runs the embedded Postgres, whose files are in `dataDir`. */
    databaseUrl: settings.DATABASE_URL ?? null,
    /** The URLs of the replicas of Postgres that serve public reads. Empty if the primary server serves all reads. */
    databaseReadUrls: settings.DATABASE_READ_URLS,
    /** The URL of EventStoreDB. Null if events are stored in Postgres. */
    eventStoreUrl: settings.EVENTSTORE_URL ?? null,
    /** The beginning of the names of our streams in EventStoreDB. Empty if no other installation uses the server. */
    eventStoreStreamPrefix: settings.EVENTSTORE_STREAM_PREFIX ?? '',
    /** The settings of Kafka. Null if the live channel, which sends changes to browsers, reads from the event store. */
    kafka: settings.KAFKA_BROKERS
      ? {
          /** The addresses of the brokers as `host:port`. */
          brokers: settings.KAFKA_BROKERS,
          topic: settings.KAFKA_TOPIC,
          /** `partitions`, `replication` and `retention_h` only have an effect when the topic is created. */
          partitions: settings.KAFKA_PARTITIONS,
          replication: settings.KAFKA_REPLICATION,
          retention_h: settings.KAFKA_RETENTION_HOURS,
          tls: settings.KAFKA_TLS,
          /** Null if the brokers require no login. */
          login: pickSettings(settings, { username: 'KAFKA_USERNAME', password: 'KAFKA_PASSWORD' }),
        }
      : null,
    /** The URL of Redis. Null if background jobs are stored in Postgres. */
    redisUrl: settings.REDIS_URL ?? null,
    /** The settings of S3. Null if uploaded files are stored in `dataDir`. */
    s3: pickSettings(settings, {
      endpoint: 'S3_ENDPOINT',
      bucket: 'S3_BUCKET',
      region: 'S3_REGION',
      accessKeyId: 'S3_ACCESS_KEY_ID',
      secretAccessKey: 'S3_SECRET_ACCESS_KEY',
    }),
    mail: parseMail(settings),
    /**
     * The secrets from environment variables. A service has only the secrets that it uses. Null if no secret is set,
     * because all secrets are then stored in `secrets.json` in `dataDir`.
     */
    secrets: pickSecrets(settings),
    adminEmail: settings.ADMIN_EMAIL ?? (demo ? DEMO_EMAILS.admin : null),
    /**
     * True if the role of staff has an effect only after two-step sign-in. Defaults to false in the demo, and to true
     * otherwise.
     */
    staffTwoStep: settings.STAFF_TWO_STEP ?? !demo,
    /** The ids of ads that are not in any list for visitors. */
    hiddenAdIds: settings.HIDDEN_AD_IDS,
    /** The path of the file with the hashes of known illegal images. Null if there is no such file. */
    imageHashList: settings.IMAGE_HASH_LIST ?? null,
    /** The action for an upload that matches the list: it is rejected, or it waits for a moderator. */
    imageHashListAction: settings.IMAGE_HASH_LIST_ACTION,
    /** The action for an upload that is similar to a picture that was taken down. */
    takenDownAction: settings.TAKEN_DOWN_ACTION,
    /**
     * True if responses to sign-ups contain the verification code. Defaults to true with the embedded Postgres outside
     * of production, and to false otherwise.
     */
    exposeVerificationCodes,
    /** True if the requests of visitors and accounts are limited (`http/rate-limit-rules.ts`). */
    rateLimits: settings.RATE_LIMITS,
    /**
     * The number of proxies in front of this process. The same number of entries at the end of `X-Forwarded-For` is
     * trusted, because each proxy adds one entry.
     */
    trustedProxies: settings.TRUST_PROXY,
    /** The time for which the operator stores backups, in days. People read it in the receipt of a removal request. */
    backupRetention_days: settings.BACKUP_RETENTION_DAYS,
    mfDir: settings.MF_DIR,
    /** Whose builds of front ends are used. `keys` is null if it is the key of this machine. */
    frontEndTrust: { keys: settings.FRONT_END_KEYS ?? null, revoked: settings.FRONT_END_REVOKED },
    /** True if developers may show remotes of their computers in this site. Never in production. */
    localRemotes: settings.LOCAL_REMOTES,
    /** The token that a request for `/metrics` must contain. Null if `/metrics` does not exist. */
    metricsToken: settings.METRICS_TOKEN ?? null,
    /** The URLs of the services to which the gateway forwards requests. Null if this process is not the gateway. */
    upstreams: pickSettings(settings, {
      commandApi: 'COMMAND_API_URLS',
      queryApi: 'QUERY_API_URLS',
      shell: 'SHELL_URLS',
    }),
    /**
     * The URLs from which the shell, which serves the pages, reads their data. Null if the shell is not a separate
     * process.
     */
    queryApiUrls: settings.QUERY_API_URLS ?? null,
    /** The URLs of the decoders of photos and videos. Null if the decoder is a child process of this process. */
    decoderUrls: settings.DECODER_URLS ?? null,
    /** The number of shards by the name of the read model. Read models that are not in the map have one shard. */
    projectionShards: settings.PROJECTION_SHARDS,
    /**
     * The maximum time for which a request waits until its read models contain all events up to the position that the
     * client has sent, and up to the last write of its session.
     */
    waitPosition_ms: settings.WAIT_POSITION_MS,
    /** The maximum time for which a read by id that has found nothing waits until its read models are up to date. */
    waitUnknownId_ms: settings.WAIT_UNKNOWN_ID_MS,
    /** The maximum time for which the response to an upload waits until a worker has checked the uploaded files. */
    uploadWait_ms: settings.UPLOAD_WAIT_MS,
    /**
     * The time for which a stopping service still accepts requests, so that load balancers notice the stop and use
     * other processes.
     */
    drainDelay_ms: settings.DRAIN_DELAY_MS,
    /** The time after `drainDelay_ms` in which running requests can complete. Requests that take longer are aborted. */
    finishRequests_ms: settings.FINISH_REQUESTS_MS,
    /** The address of the trace collector and the share of recorded traces. Null without a collector. */
    tracing: parseTracing(settings),
    logLevel: settings.LOG_LEVEL,
  };
}

/** The path of traces below the address of a collector (OTLP over HTTP). */
const TRACES_PATH = '/v1/traces';

function parseTracing({
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
  OTEL_EXPORTER_OTLP_HEADERS: headers = '',
  OTEL_TRACES_SAMPLER_ARG: share,
}: Environment) {
  if (endpoint === undefined) return null;
  const entries = headers.split(',').filter((entry) => entry !== '');
  return {
    url: `${endpoint.replace(/\/+$/u, '')}${TRACES_PATH}`,
    headers: Object.fromEntries(
      entries.map((entry) => {
        const end = entry.indexOf('=');
        return [entry.slice(0, end).trim(), decodeHeader(entry.slice(end + 1).trim())] as const;
      }),
    ),
    share,
  };
}

/** Decodes a percent-encoded header value (W3C Baggage). Returns an invalid value without a change. */
function decodeHeader(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/**
 * Nothing else marks a site for staging: its image also has `NODE_ENV=production`. Sites with data of users have
 * neither of these settings.
 */
const LOCAL_REMOTES_RULE =
  'LOCAL_REMOTES: can be on only in a site for development or staging, which has DEMO=on or ' +
  'EXPOSE_VERIFICATION_CODES=on. Set LOCAL_REMOTES=off';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/u;

/**
 * Returns an error for each setting with which other people could sign in as admins or read mails. In the
 * demo, everybody knows the password of the admin. Shown codes let everybody verify any e-mail address. With
 * `PUBLIC_DEMO`, an operator allows both.
 */
function publicDemoErrors({
  settings,
  demo,
  exposeVerificationCodes,
  isProduction,
}: {
  readonly settings: Environment;
  readonly demo: boolean;
  readonly exposeVerificationCodes: boolean;
  readonly isProduction: boolean;
}): readonly string[] {
  const publicSettings = [
    ...(isProduction ? ['NODE_ENV=production'] : []),
    ...(LOOPBACK.test(settings.HOST) ? [] : [`HOST=${settings.HOST} (which other computers can reach)`]),
    ...(settings.SITE_URL === undefined || isLocal(settings.SITE_URL) ? [] : [`SITE_URL=${settings.SITE_URL}`]),
    ...(settings.TRUST_PROXY > 0 ? [`TRUST_PROXY=${settings.TRUST_PROXY} (because a proxy forwards requests)`] : []),
  ];
  const where = publicSettings.join(', ');
  if (settings.PUBLIC_DEMO || where === '') return [];
  return [
    ...(demo ? [`DEMO: cannot be on with ${where}: the password of the demo's admin is public. Set DEMO=off`] : []),
    ...(exposeVerificationCodes
      ? [
          `EXPOSE_VERIFICATION_CODES: cannot be on with ${where}: everybody could read the codes and the mails. ` +
            'Set EXPOSE_VERIFICATION_CODES=off',
        ]
      : []),
  ];
}

/** Returns true if the host of a URL is this machine. A URL without a host names a local socket. */
function isLocal(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === '' || LOOPBACK.test(hostname.replace(/^\[|\]$/gu, ''));
}

/**
 * The values of `sslmode` with which the Postgres driver encrypts the connection and checks the certificate. With
 * `uselibpqcompat=true`, the driver checks no certificate for `require`, as libpq does.
 */
const POSTGRES_TLS = ['require', 'verify-ca', 'verify-full'];
const POSTGRES_TLS_AS_LIBPQ = ['verify-ca', 'verify-full'];

/**
 * Returns an error for each backing service that a process would reach without TLS over a network. Everybody
 * on this network could read and change what is sent. An operator can allow it by name for a private network. SMTP is
 * not listed, because it requires TLS unless its own URL turns it off.
 */
function plaintextErrors(settings: Environment): readonly string[] {
  const unencrypted: readonly (readonly [PlaintextName, keyof Environment, isPlain: boolean, fix: string])[] = [
    ['postgres', 'DATABASE_URL', isPlainPostgres(settings.DATABASE_URL), 'end it with ?sslmode=verify-full'],
    [
      'postgres',
      'DATABASE_READ_URLS',
      settings.DATABASE_READ_URLS.some(isPlainPostgres),
      'end each of them with ?sslmode=verify-full',
    ],
    [
      'eventstore',
      'EVENTSTORE_URL',
      isPlainEventStore(settings.EVENTSTORE_URL),
      'remove tls=false and tlsVerifyCert=false',
    ],
    ['kafka', 'KAFKA_BROKERS', isPlainKafka(settings), 'set KAFKA_TLS=on'],
    ['redis', 'REDIS_URL', isPlainUrl(settings.REDIS_URL, 'redis:'), 'use rediss://'],
    ['s3', 'S3_ENDPOINT', isPlainUrl(settings.S3_ENDPOINT, 'http:'), 'use https://'],
    ['email-service', 'EMAIL_SERVICE_URL', isPlainUrl(settings.EMAIL_SERVICE_URL, 'http:'), 'use https://'],
    [
      'collector',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      isPlainUrl(settings.OTEL_EXPORTER_OTLP_ENDPOINT, 'http:'),
      'use https://',
    ],
  ];
  return unencrypted.flatMap(([name, variable, isPlain, fix]) =>
    isPlain && !settings.ALLOW_PLAINTEXT.includes(name)
      ? [
          `${variable}: requires TLS with NODE_ENV=production: ${fix}. ` +
            `For a private network, set ALLOW_PLAINTEXT=${name}`,
        ]
      : [],
  );
}

const isPlainUrl = (url: string | undefined, plainProtocol: string) =>
  url !== undefined && new URL(url).protocol === plainProtocol && !isLocal(url);

/**
 * Reads the URL as the Postgres driver does: the host of the query replaces the host of the URL, and the last one of
 * several values applies.
 */
function isPlainPostgres(url: string | undefined): boolean {
  if (url === undefined) return false;
  const { searchParams } = new URL(url);
  const last = (name: string) => searchParams.getAll(name).at(-1) ?? '';
  const host = last('host');
  // A path is the folder of a local socket.
  if (host === '' ? isLocal(url) : host.startsWith('/') || LOOPBACK.test(host)) return false;
  const modes = last('uselibpqcompat') === 'true' ? POSTGRES_TLS_AS_LIBPQ : POSTGRES_TLS;
  return !modes.includes(last('sslmode'));
}

/**
 * EventStoreDB uses TLS and checks certificates by default. Its URL may list several hosts, so it cannot be parsed as a
 * URL.
 */
function isPlainEventStore(url: string | undefined): boolean {
  if (url === undefined || hostsOf(url).every((host) => LOOPBACK.test(host))) return false;
  const query = new URLSearchParams(url.split('?', 2)[1]?.toLowerCase());
  return ['tls', 'tlsverifycert'].some((name) => query.getAll(name).includes('false'));
}

const hostsOf = (url: string) =>
  (/:\/\/(?:[^@/?]*@)?([^/?]*)/u.exec(url)?.[1] ?? '').split(',').map((address) => address.replace(/:\d+$/u, ''));

const isPlainKafka = ({ KAFKA_BROKERS: addresses, KAFKA_TLS: tls }: Environment) =>
  addresses !== undefined && !tls && !addresses.every((address) => LOOPBACK.test(address.replace(/:\d+$/u, '')));

/**
 * Returns errors for settings that are off in production but must be on. Only load tests outside of production turn
 * them off.
 */
function productionErrors(variables: Readonly<Record<string, unknown>>): readonly string[] {
  return ['RATE_LIMITS', 'STAFF_TWO_STEP']
    .filter((name) => variables[name] === 'off')
    .map((name) => `${name}: cannot be off with NODE_ENV=production`);
}

function missingSettings(variables: Readonly<Record<string, unknown>>): readonly string[] {
  const isGateway = 'COMMAND_API_URLS' in variables || 'SHELL_URLS' in variables;
  return [...REQUIRED_TOGETHER, ...(isGateway ? [GATEWAY_SETTINGS] : [])].flatMap((names) => {
    const set = names.filter((name) => name in variables);
    if (set.length === 0) return [];
    return names.filter((name) => !(name in variables)).map((name) => `${name}: is needed beside ${set.join(', ')}`);
  });
}

function replicaErrors(variables: Readonly<Record<string, unknown>>): readonly string[] {
  return 'DATABASE_READ_URLS' in variables && !('DATABASE_URL' in variables)
    ? ['DATABASE_URL: is needed beside DATABASE_READ_URLS']
    : [];
}

function mailErrors(variables: Readonly<Record<string, unknown>>): readonly string[] {
  return [
    ...('SMTP_URL' in variables && 'EMAIL_SERVICE_URL' in variables
      ? ['EMAIL_SERVICE_URL: mails leave one way; SMTP_URL is another']
      : []),
    ...('EMAIL_PRIVATE_KEY' in variables && !('EMAIL_SERVICE_URL' in variables)
      ? ['EMAIL_SERVICE_URL: is needed beside EMAIL_PRIVATE_KEY']
      : []),
  ];
}

/** Returns the values of several settings under new names. Returns null if one of these settings is not set. */
function pickSettings<Names extends Readonly<Record<string, keyof Environment>>>(settings: Environment, names: Names) {
  const picked = Object.entries(names).map(([name, variable]) => [name, settings[variable]] as const);
  if (picked.some(([, value]) => value === undefined)) return null;
  return Object.fromEntries(picked) as { readonly [Name in keyof Names]: NonNullable<Environment[Names[Name]]> };
}

function pickSecrets(settings: Environment): Partial<Secrets> | null {
  const secrets: Partial<Record<keyof Secrets, string>> = {};
  if (settings.SECRET_ACCOUNT_IDS !== undefined) secrets.accountIds = settings.SECRET_ACCOUNT_IDS;
  if (settings.SECRET_DATA_KEYS !== undefined) secrets.dataKeys = settings.SECRET_DATA_KEYS;
  if (settings.SECRET_VERIFICATION_CODES !== undefined) secrets.verificationCodes = settings.SECRET_VERIFICATION_CODES;
  return Object.keys(secrets).length === 0 ? null : secrets;
}

function parseMail(settings: Environment) {
  const smtp = pickSettings(settings, { url: 'SMTP_URL', from: 'MAIL_FROM' });
  if (smtp) return { kind: 'smtp' as const, ...smtp };
  const service = pickSettings(settings, {
    url: 'EMAIL_SERVICE_URL',
    serviceId: 'EMAIL_SERVICE_ID',
    templateId: 'EMAIL_TEMPLATE_ID',
    publicKey: 'EMAIL_PUBLIC_KEY',
  });
  return service
    ? { kind: 'service' as const, ...service, privateKey: settings.EMAIL_PRIVATE_KEY ?? null }
    : { kind: 'inbox' as const };
}
