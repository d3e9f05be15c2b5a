import { AD_ID, HIDDEN_AD_IDS_DEFAULT, WAIT_POSITION_ms } from '@alpenglow/domain';
import * as z from 'zod';
import { secretKey, type Secrets } from './secrets.ts';

const port = z.coerce.number().int().min(0).max(65_535);
const onOff = z.enum(['on', 'off']).transform((value) => value === 'on');
const count = (max: number) => z.coerce.number().int().min(1).max(max);
const brokers = z
  .string()
  .transform((list) => list.split(',').map((broker) => broker.trim()))
  .pipe(z.array(z.string().regex(/^[^\s:/]+:\d{1,5}$/u, 'must be host:port, host:port, …')).min(1));
const adIds = z
  .string()
  .transform((list) => list.split(',').map((id) => id.trim()))
  .pipe(z.array(z.string().regex(AD_ID, 'must be ids of ads, id, id, …')));
const urls = z
  .string()
  .transform((list) => list.split(',').map((url) => url.trim()))
  .pipe(z.array(z.url({ protocol: /^http$/u, error: 'must be http://host:port, http://host:port, …' })).min(1));

const origin = z
  .url({ protocol: /^https?$/u, error: 'must be http[s]://host[:port]' })
  .refine((url) => /^https?:\/\/[^/?#@]+\/?$/iu.test(url), 'must be http[s]://host[:port], without a path')
  .transform((url) => new URL(url).origin);

const SMTP_URL_RULE = 'must be smtp[s]://[user:password@]host[:port][?tls=off|required]';
const smtpUrl = z
  .string()
  .regex(/^smtps?:\/\/[^\s/?#]+\/?(?:\?tls=(?:off|required))?$/u, SMTP_URL_RULE)
  .refine((url) => URL.canParse(url), SMTP_URL_RULE);

/** Every setting, its default and its limits. Read once at boot; the README's table is held against this by a test. */
const environment = z.object({
  PORT: port.default(8080),
  HOST: z.string().min(1).default('127.0.0.1'),
  SITE_URL: origin.optional(),
  DATA_DIR: z.string().min(1).default('.data'),
  DEMO: onOff.optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/u }).optional(),
  // No URL by the letter: a cluster's names several hosts.
  EVENTSTORE_URL: z
    .string()
    .regex(
      /^(?:esdb|kurrentdb|kdb)(?:\+discover)?:\/\/[^\s/?]+\/?(?:\?\S*)?$/u,
      'must be esdb://host:port[,host:port…][?tls=false&…] or esdb+discover://…',
    )
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
  SECRET_ACCOUNT_IDS: secretKey.optional(),
  SECRET_DATA_KEYS: secretKey.optional(),
  SECRET_VERIFICATION_CODES: secretKey.optional(),
  ADMIN_EMAIL: z.email().optional(),
  STAFF_TWO_STEP: onOff.optional(),
  HIDDEN_AD_IDS: adIds.default([...HIDDEN_AD_IDS_DEFAULT]),
  IMAGE_HASH_LIST: z.string().min(1).optional(),
  RATE_LIMITS: onOff.default(true),
  TRUST_PROXY: z.coerce.number().int().min(0).max(10).default(0),
  EXPOSE_VERIFICATION_CODES: onOff.optional(),
  MF_DIR: z.string().min(1).default('.build/mf'),
  COMMAND_API_URLS: urls.optional(),
  QUERY_API_URLS: urls.optional(),
  SHELL_URLS: urls.optional(),
  WAIT_POSITION_MS: z.coerce.number().int().min(0).max(60_000).default(WAIT_POSITION_ms),
  DRAIN_DELAY_MS: z.coerce.number().int().min(0).max(30_000).default(2_000),
  FINISH_REQUESTS_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(15 * 60_000)
    .default(4_000),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('warn'),
});
type Environment = z.output<typeof environment>;

/** Settings that mean something only together. */
const TOGETHER: readonly (readonly (keyof Environment)[])[] = [
  ['S3_ENDPOINT', 'S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ['KAFKA_USERNAME', 'KAFKA_PASSWORD'],
  ['SMTP_URL', 'MAIL_FROM'],
  ['EMAIL_SERVICE_URL', 'EMAIL_SERVICE_ID', 'EMAIL_TEMPLATE_ID', 'EMAIL_PUBLIC_KEY'],
  ['SECRET_ACCOUNT_IDS', 'SECRET_DATA_KEYS', 'SECRET_VERIFICATION_CODES'],
];

/** The gateway needs all three; the shell is told where its pages have their data from, and nothing else. */
const OF_THE_GATEWAY: readonly (keyof Environment)[] = ['COMMAND_API_URLS', 'QUERY_API_URLS', 'SHELL_URLS'];

export interface KafkaConfig {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  readonly topic: string;
  /** Of the topic, when it is made. */
  readonly partitions: number;
  readonly replication: number;
  readonly retention_h: number;
  readonly tls: boolean;
  /** Null: the brokers ask for none. */
  readonly login: { readonly username: string; readonly password: string } | null;
}

export interface S3Config {
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** How mails leave: not at all, by a mail server, or by the e-mail sending service of the specification, section 7. */
export type MailConfig =
  | { readonly kind: 'inbox' }
  | { readonly kind: 'smtp'; readonly url: string; readonly from: string }
  | {
      readonly kind: 'service';
      readonly url: string;
      readonly serviceId: string;
      readonly templateId: string;
      readonly publicKey: string;
      readonly privateKey: string | null;
    };

/** Where the gateway finds the services, each at one or more addresses. */
export interface Upstreams {
  readonly commandApi: readonly string[];
  readonly queryApi: readonly string[];
  readonly shell: readonly string[];
}

export interface Config {
  readonly port: number;
  readonly host: string;
  /** The origin visitors know the site by, e.g. `https://www.example.org`. Null: not known. */
  readonly siteUrl: string | null;
  readonly dataDir: string;
  readonly demo: boolean;
  /** Null: the embedded Postgres below `dataDir`. */
  readonly databaseUrl: string | null;
  /** Null: events are kept in Postgres. */
  readonly eventStoreUrl: string | null;
  /** Null: the live channel follows the event store. */
  readonly kafka: KafkaConfig | null;
  /** Null: jobs are kept in Postgres. */
  readonly redisUrl: string | null;
  /** Null: blobs are files below `dataDir`. */
  readonly s3: S3Config | null;
  readonly mail: MailConfig;
  /** Null: kept in `secrets.json` below `dataDir`. */
  readonly secrets: Secrets | null;
  readonly adminEmail: string | null;
  /** Whether what a role allows waits for two-step sign-in. Off in the demo, on otherwise. */
  readonly staffTwoStep: boolean;
  /** Ads that no visitor finds in a list (product decisions, "Quirks kept"). */
  readonly hiddenAdIds: readonly string[];
  /** The file with the hashes of pictures that are known to be illegal. Null: none is known. */
  readonly imageHashList: string | null;
  /** Whether visitors and accounts may call only so often (`http/limits.ts`). */
  readonly rateLimits: boolean;
  /** How many proxies stand before this process: so many entries of `X-Forwarded-For`, from the right, are believed. */
  readonly trustedProxies: number;
  /** Sign-up answers carry the code. On in the embedded demo, off otherwise (product decisions). */
  readonly exposeVerificationCodes: boolean;
  readonly mfDir: string;
  /** Null: this is no gateway. */
  readonly upstreams: Upstreams | null;
  /** Where the shell's server has the data of its pages from, as a process of its own. Null: nowhere. */
  readonly queryApiUrls: readonly string[] | null;
  /** How long a request waits for the read models it needs until they have come to a position. */
  readonly waitPosition_ms: number;
  /** How long a service that is told to stop still takes requests, so that whoever sends them hears of it first. */
  readonly drainDelay_ms: number;
  /** How long requests under way then have to end; what takes longer, such as a large upload, is cut off. */
  readonly finishRequests_ms: number;
  readonly logLevel: Environment['LOG_LEVEL'];
}

/** Where links in mails lead: the site's address, or where nobody told it, this machine. Without a slash at its end. */
export function siteAddress({ siteUrl, port: ofThisProcess }: Pick<Config, 'siteUrl' | 'port'>): string {
  return siteUrl ?? `http://localhost:${ofThisProcess}`;
}

/** The configuration is wrong. The message lists every fault, one a line. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}

/** Demo accounts one can sign in with; the README names them. */
export const DEMO_ADMIN_EMAIL = 'admin@demo.alpenglow.example';

/** Reads the configuration from environment variables; an empty variable counts as unset. Throws `ConfigurationError` with all faults at once. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = environment.safeParse(given);
  const isProduction = env['NODE_ENV'] === 'production';
  const faults = [
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path[0]?.toString() ?? ''}: ${issue.message}`),
    ...missingPartners(given),
    ...mailFaults(given),
    ...(isProduction ? refusedInProduction(given) : []),
  ];
  if (!parsed.success || faults.length > 0) throw new ConfigurationError(faults.join('\n'));
  const settings = parsed.data;
  const demo = settings.DEMO ?? !isProduction;
  return {
    port: settings.PORT,
    host: settings.HOST,
    siteUrl: settings.SITE_URL ?? null,
    dataDir: settings.DATA_DIR,
    demo,
    databaseUrl: settings.DATABASE_URL ?? null,
    eventStoreUrl: settings.EVENTSTORE_URL ?? null,
    kafka: settings.KAFKA_BROKERS
      ? {
          brokers: settings.KAFKA_BROKERS,
          topic: settings.KAFKA_TOPIC,
          partitions: settings.KAFKA_PARTITIONS,
          replication: settings.KAFKA_REPLICATION,
          retention_h: settings.KAFKA_RETENTION_HOURS,
          tls: settings.KAFKA_TLS,
          login:
            settings.KAFKA_USERNAME !== undefined && settings.KAFKA_PASSWORD !== undefined
              ? { username: settings.KAFKA_USERNAME, password: settings.KAFKA_PASSWORD }
              : null,
        }
      : null,
    redisUrl: settings.REDIS_URL ?? null,
    s3: s3Of(settings),
    mail: mailOf(settings),
    secrets: secretsOf(settings),
    adminEmail: settings.ADMIN_EMAIL ?? (demo ? DEMO_ADMIN_EMAIL : null),
    staffTwoStep: settings.STAFF_TWO_STEP ?? !demo,
    hiddenAdIds: settings.HIDDEN_AD_IDS,
    imageHashList: settings.IMAGE_HASH_LIST ?? null,
    exposeVerificationCodes:
      settings.EXPOSE_VERIFICATION_CODES ?? (settings.DATABASE_URL === undefined && !isProduction),
    rateLimits: settings.RATE_LIMITS,
    trustedProxies: settings.TRUST_PROXY,
    mfDir: settings.MF_DIR,
    upstreams: upstreamsOf(settings),
    queryApiUrls: settings.QUERY_API_URLS ?? null,
    waitPosition_ms: settings.WAIT_POSITION_MS,
    drainDelay_ms: settings.DRAIN_DELAY_MS,
    finishRequests_ms: settings.FINISH_REQUESTS_MS,
    logLevel: settings.LOG_LEVEL,
  };
}

/** Load tests want no limits and no codes; the public must not find them off. */
function refusedInProduction(given: Readonly<Record<string, unknown>>): readonly string[] {
  return ['RATE_LIMITS', 'STAFF_TWO_STEP']
    .filter((name) => given[name] === 'off')
    .map((name) => `${name}: cannot be off with NODE_ENV=production`);
}

function missingPartners(given: Readonly<Record<string, unknown>>): readonly string[] {
  const isGateway = 'COMMAND_API_URLS' in given || 'SHELL_URLS' in given;
  return [...TOGETHER, ...(isGateway ? [OF_THE_GATEWAY] : [])].flatMap((names) => {
    const present = names.filter((name) => name in given);
    if (present.length === 0) return [];
    return names.filter((name) => !(name in given)).map((name) => `${name}: is needed beside ${present.join(', ')}`);
  });
}

function mailFaults(given: Readonly<Record<string, unknown>>): readonly string[] {
  return [
    ...('SMTP_URL' in given && 'EMAIL_SERVICE_URL' in given
      ? ['EMAIL_SERVICE_URL: mails leave one way; SMTP_URL is another']
      : []),
    ...('EMAIL_PRIVATE_KEY' in given && !('EMAIL_SERVICE_URL' in given)
      ? ['EMAIL_SERVICE_URL: is needed beside EMAIL_PRIVATE_KEY']
      : []),
  ];
}

function mailOf(settings: Environment): MailConfig {
  const {
    SMTP_URL: smtpUrl,
    MAIL_FROM: from,
    EMAIL_SERVICE_URL: url,
    EMAIL_SERVICE_ID: serviceId,
    EMAIL_TEMPLATE_ID: templateId,
    EMAIL_PUBLIC_KEY: publicKey,
  } = settings;
  if (smtpUrl !== undefined && from !== undefined) return { kind: 'smtp', url: smtpUrl, from };
  if (url === undefined || serviceId === undefined || templateId === undefined || publicKey === undefined)
    return { kind: 'inbox' };
  return { kind: 'service', url, serviceId, templateId, publicKey, privateKey: settings.EMAIL_PRIVATE_KEY ?? null };
}

function s3Of({
  S3_ENDPOINT: endpoint,
  S3_BUCKET: bucket,
  S3_REGION: region,
  S3_ACCESS_KEY_ID: accessKeyId,
  S3_SECRET_ACCESS_KEY: secretAccessKey,
}: Environment): S3Config | null {
  if (endpoint === undefined || bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined)
    return null;
  return { endpoint, bucket, region, accessKeyId, secretAccessKey };
}

function secretsOf({
  SECRET_ACCOUNT_IDS: accountIds,
  SECRET_DATA_KEYS: dataKeys,
  SECRET_VERIFICATION_CODES: verificationCodes,
}: Environment): Secrets | null {
  if (accountIds === undefined || dataKeys === undefined || verificationCodes === undefined) return null;
  return { accountIds, dataKeys, verificationCodes };
}

function upstreamsOf({
  COMMAND_API_URLS: commandApi,
  QUERY_API_URLS: queryApi,
  SHELL_URLS: shell,
}: Environment): Upstreams | null {
  if (commandApi === undefined || queryApi === undefined || shell === undefined) return null;
  return { commandApi, queryApi, shell };
}
