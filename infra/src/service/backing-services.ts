import path from 'node:path';
import type { BlobStore, EventStore, LiveFeed, LivePublisher, MailSender } from '@alpenglow/domain';
import { createJobBackend, migrateJobs } from '../adapters/bullmq/backend.ts';
import type { JobBackend } from '../adapters/bullmq/job-backend.ts';
import { createFileBlobStore } from '../adapters/files/blob-store.ts';
import { createPasswords, type PasswordCost } from '../adapters/passwords.ts';
import { noImageHashList, openImageHashList, type ImageHashList } from '../adapters/known-images/known-images.ts';
import { createInbox, type Inbox } from '../adapters/mail/inbox.ts';
import { createRecordingMailSender } from '../adapters/mail/recording-mail-sender.ts';
import { createReplyNotifications } from '../adapters/mail/reply-notifications.ts';
import { openMailTransport } from '../adapters/mail/transport.ts';
import { obtainAccountIdKey } from '../adapters/postgres/account-id-key.ts';
import { createAuditLog } from '../adapters/postgres/audit-log.ts';
import { createDataKeys } from '../adapters/postgres/data-keys.ts';
import { configuredEventStore, ensureSameEventStore } from '../adapters/postgres/event-store-kind.ts';
import { createForeignEventCounts } from './foreign-event-counts.ts';
import { createPostgresEventStore } from '../adapters/postgres/event-store.ts';
import { createPool, type Pool } from '../adapters/postgres/pool.ts';
import { withStoredTables } from '../adapters/postgres/read-model-tables.ts';
import { createReadPool, READ_STATEMENT_LIMIT_ms, type ReadPool } from '../adapters/postgres/read-pool.ts';
import { listenForKeyChanges } from '../adapters/postgres/retired-data-keys.ts';
import { ensureSameSecrets, type UsedSecrets } from '../adapters/postgres/secret-fingerprints.ts';
import { createStoredResponses } from '../adapters/postgres/stored-responses.ts';
import { createSessions } from '../adapters/postgres/sessions.ts';
import { createFailedRequests } from '../adapters/postgres/failed-requests.ts';
import { sweepRequestRecords } from '../adapters/postgres/request-events.ts';
import { createStaffReads } from '../adapters/postgres/staff-reads.ts';
import { withSharedSubscription } from '../adapters/shared-subscription/shared-subscription.ts';
import { openSharedCounters } from '../adapters/requests/shared-counters.ts';
import { checkWithRetries } from './check-with-retries.ts';
import { createCommandHandler, type CommandHandler } from './command-handler.ts';
import { getSiteUrl, type Config } from './config.ts';
import { createAuthentication } from '../http/authentication.ts';
import { createBrowsers } from '../http/browsers.ts';
import { accountIdOf, standInIdOf, createVerificationCodes } from '../security/account-ids.ts';
import type { Logger } from './logger.ts';
import { readModelsWith } from '../read-models/index.ts';
import { countMails, registerMailMetrics } from './mail-metrics.ts';
import { registerCounter, registerGauge, type Metrics } from './metrics.ts';
import { createReadModelProgress } from './read-model-progress.ts';
import { createDecryptedEvents, withPersonalData } from '../security/personal-data.ts';
import { loadSecrets, type Secrets } from '../security/secrets.ts';
import { ALL_SECRETS, selectSecrets } from '../security/select-secrets.ts';
import { createContactTokens } from '../security/contact-tokens.ts';
import { createRemovalCopies } from '../security/removal-copies.ts';
import { createRemovalTokens } from '../security/removal-tokens.ts';
import { createStatementTokens } from '../security/statement-tokens.ts';
import { createMediaAccessTokens } from '../security/media-access-tokens.ts';
import { createPositionTokens } from '../security/position-tokens.ts';
import { createUnsubscribeTokens } from '../security/unsubscribe-tokens.ts';

/**
 * The dependencies of the functions that open connections to backing services, such as databases. Each function loads
 * the client library of a service only if the configuration selects that service.
 */
export interface BackingServiceContext {
  readonly config: Config;
  /** The URL of Postgres. It is `config.databaseUrl`, or the URL of the embedded Postgres. */
  readonly databaseUrl: string;
  /** The absolute path of the data folder. */
  readonly dataDir: string;
  readonly log: Logger;
  /** Registers a function that runs when the process stops. The functions run in reverse order. */
  readonly onStop: (close: () => Promise<unknown>) => void;
  /** The cost of new password hashes, if it is not the default. Only tests set it. */
  readonly passwordCost?: PasswordCost | undefined;
}

const POOL_SIZE = 10;
/** The number of connections for public reads. */
const READ_POOL_SIZE = 10;

function closeOnStop<T extends { close(): Promise<unknown> }>(resource: T, onStop: BackingServiceContext['onStop']): T {
  onStop(() => resource.close());
  return resource;
}

function openPool({ databaseUrl, log, onStop }: BackingServiceContext): Pool {
  const pool = createPool({
    connectionString: databaseUrl,
    max: POOL_SIZE,
    applicationName: 'alpenglow',
    onError: (err) => log.warn({ err }, 'idle connection lost'),
  });
  onStop(() => pool.end());
  return pool;
}

/**
 * Opens the configured event store. Its readers in this process share one subscription. The store returns events whose
 * personal fields are still encrypted. Throws `ConfigurationError` if the installation in this database uses another
 * kind of event store.
 */
async function openEventStore(
  { config, databaseUrl, log, onStop }: BackingServiceContext,
  pool: Pool,
  onForeignEvent: (type: string) => void,
): Promise<EventStore> {
  const { eventStoreUrl, eventStoreStreamPrefix: streamPrefix } = config;
  await ensureSameEventStore(pool, configuredEventStore(config));
  const share = (store: EventStore) => closeOnStop(withSharedSubscription(store), onStop);
  if (eventStoreUrl === null) return share(createPostgresEventStore({ pool, connectionString: databaseUrl }));
  const { openEventStoreDb } = await import('../adapters/eventstoredb/event-store.ts');
  return share(await openEventStoreDb(eventStoreUrl, { log, streamPrefix, onForeignEvent }));
}

/**
 * Opens the configured store for files. By default, does not wait for an unreachable S3, and requests succeed as soon
 * as S3 can be reached again. With `isNeeded`, rejects if S3 is unreachable.
 */
export async function openBlobStore(
  { config, dataDir, log, onStop }: Pick<BackingServiceContext, 'config' | 'dataDir' | 'log' | 'onStop'>,
  { isNeeded = false } = {},
): Promise<BlobStore> {
  if (config.s3 === null) return createFileBlobStore({ root: path.join(dataDir, 'blobs') });
  const { createS3BlobStore } = await import('../adapters/s3/blob-store.ts');
  const store = createS3BlobStore(config.s3, { log });
  if (isNeeded) await store.check();
  else await checkWithRetries('S3', () => store.check(), { log, onStop });
  return store;
}

/** Opens the operator's list of known illegal images. Throws `ConfigurationError` if the list is unusable. */
export async function openHashList({
  config: { imageHashList },
  log,
}: Pick<BackingServiceContext, 'config' | 'log'>): Promise<ImageHashList> {
  return imageHashList === null ? noImageHashList : openImageHashList(imageHashList, { log });
}

/**
 * Opens the tracker of the progress of the read models of this build. Projections notify it when they have handled
 * events.
 */
export function openReadModelProgress({ config, databaseUrl, log, onStop }: BackingServiceContext, pool: Pool) {
  const readModels = readModelsWith(config.projectionShards);
  const options = {
    pool,
    connectionString: databaseUrl,
    readModels,
    limit_ms: config.waitPosition_ms,
    headLimit_ms: config.waitUnknownId_ms,
    onWaiting: (missing: readonly string[]) => log.warn({ missing }, 'waiting for read models'),
  };
  return closeOnStop(createReadModelProgress(options), onStop);
}

/**
 * Opens the pool for public reads. It uses the configured replicas, and does not wait for them. Without replicas, the
 * reads run on the primary server. They have their own connections and a shorter time limit, so that expensive reads
 * occupy no connections of logins and commands.
 */
export function openReadPool(
  { config, databaseUrl, log, metrics, onStop }: BackingServiceContext & { readonly metrics: Metrics },
  pool: Pool,
): ReadPool {
  const ownConnections = createPool({
    connectionString: databaseUrl,
    max: READ_POOL_SIZE,
    applicationName: 'alpenglow-reads',
    statementTimeout_ms: READ_STATEMENT_LIMIT_ms,
    onError: (err) => log.warn({ err }, 'idle connection lost'),
  });
  onStop(() => ownConnections.end());
  const primary: ReadPool = { query: (statement) => ownConnections.query(withStoredTables(pool, statement)) };
  if (config.databaseReadUrls.length === 0) return primary;
  const reads = closeOnStop(
    createReadPool({
      pool,
      primary,
      connectionStrings: config.databaseReadUrls,
      log,
      onRead: (server) => countRead({ server }),
    }),
    onStop,
  );
  const countRead = registerReadMetrics(metrics, reads);
  return reads;
}

/** Registers the metrics of public reads with replicas. Returns the function that counts a statement. */
export function registerReadMetrics(
  metrics: Metrics,
  reads: Pick<ReturnType<typeof createReadPool>, 'serverNames' | 'readLags' | 'readUsable'>,
) {
  registerGauge(
    metrics,
    'read_replica_lag_seconds',
    'Age of the oldest change that a read replica has not replayed yet',
    async () => reads.readLags(),
    'replica',
  );
  registerGauge(
    metrics,
    'read_replica_usable',
    '1 if a read replica serves reads, and 0 otherwise',
    async () => reads.readUsable(),
    'replica',
  );
  return registerCounter(
    metrics,
    'read_statements_total',
    'Statements of public reads, by the Postgres server that ran them',
    ['server'],
    reads.serverNames.map((server) => ({ server })),
  );
}

/**
 * Opens the configured storage of background jobs. If Redis cannot be reached, the service starts anyway. The service
 * accepts and runs jobs as soon as Redis can be reached again.
 */
export async function openJobs({ config, databaseUrl, log, onStop }: BackingServiceContext): Promise<JobBackend> {
  if (config.redisUrl === null) await migrateJobs(databaseUrl);
  const options = { connectionString: config.redisUrl ?? databaseUrl, log };
  const backend = closeOnStop(await createJobBackend(options), onStop);
  await checkWithRetries('the job queue', () => backend.check(), { log, onStop });
  return backend;
}

/** The objects that modules need to send mails. */
export type MailServices = Awaited<ReturnType<typeof openMail>>;

/** Opens the configured mail transport, which connects only when there is a mail to send, and counts its results. */
export async function openMail(
  {
    config,
    log,
    metrics,
    onStop,
  }: Pick<BackingServiceContext, 'config' | 'log' | 'onStop'> & { readonly metrics: Metrics },
  pool: Pool,
) {
  const inbox = createInbox(pool);
  const transport = (await openMailTransport(config.mail)) ?? inbox;
  onStop(() => transport.close());
  if (transport === inbox && createVisibleInbox(config, pool) === null)
    log.warn('No mails are sent: neither SMTP_URL nor EMAIL_SERVICE_URL is set');
  const mail = createRecordingMailSender(pool, countMails(transport, registerMailMetrics(metrics)));
  const replyNotifications = createReplyNotifications(pool);
  return {
    /** The sender, which sends each mail once, with any transport. */
    mail: mail as MailSender,
    replyNotifications,
    sweepMails: (): Promise<unknown> => Promise.all([mail.sweep(), inbox.sweep(), replyNotifications.sweep()]),
  };
}

/** Returns the inbox, a table with mails that are not sent, if visitors may read it. Otherwise returns null. */
export function createVisibleInbox({ exposeVerificationCodes, mail }: Config, pool: Pool): Inbox | null {
  return exposeVerificationCodes && mail.kind === 'inbox' ? createInbox(pool) : null;
}

/**
 * Opens the source of the messages of the live channel, which sends changes to browsers. The events of `store` may
 * contain encrypted personal data, because the messages do not contain personal data.
 */
export async function openLiveFeed(
  { config, log, onStop }: BackingServiceContext,
  store: EventStore,
): Promise<LiveFeed> {
  if (config.kafka === null) {
    const { createStoreLiveFeed } = await import('../adapters/store-live-feed.ts');
    return closeOnStop(createStoreLiveFeed({ store, log }), onStop);
  }
  const { openKafkaLiveFeed } = await import('../adapters/kafka/live-feed.ts');
  return closeOnStop(openKafkaLiveFeed(config.kafka, { store, log }), onStop);
}

/**
 * Opens the publisher of the messages of the live channel, which sends changes to browsers. Returns null if Kafka is
 * not configured, because the live channel then reads from the event store.
 */
export async function openLivePublisher({ config, log, onStop }: BackingServiceContext): Promise<LivePublisher | null> {
  if (config.kafka === null) return null;
  const { openLivePublisher: open } = await import('../adapters/kafka/live-publisher.ts');
  return closeOnStop(await open(config.kafka, { log }), onStop);
}

/** The storage for request counters and for stored responses. All processes share this storage. */
export type RequestStorage = Awaited<ReturnType<typeof openRequestStorage>>;

/** Opens the storage for request counters and stored responses. Does not wait if the counters are unreachable. */
export async function openRequestStorage({ config, databaseUrl, log, onStop }: BackingServiceContext, pool: Pool) {
  const sharedCounters = await openSharedCounters({ redisUrl: config.redisUrl, databaseUrl, log });
  onStop(() => sharedCounters.close());
  const storedResponses = createStoredResponses(pool);
  return {
    /** The counters for rate limits. Null if requests are not limited. */
    counters: config.rateLimits ? sharedCounters : null,
    /** The counters for everything else. They also exist if requests are not limited. */
    sharedCounters,
    storedResponses,
    async sweep(): Promise<void> {
      await Promise.all([storedResponses.sweep(), sharedCounters.sweep(), sweepRequestRecords(pool)]);
    },
  };
}

/** Opens the record of requests with an error response, in which admins find the request of an error. */
export function openFailedRequests(
  { log, onStop, service }: Pick<BackingServiceContext, 'log' | 'onStop'> & { readonly service: string },
  pool: Pool,
) {
  const requests = createFailedRequests({ pool, service, log });
  onStop(() => requests.stop());
  return requests;
}

/** The objects that every service with events needs. */
export type EventServices = Awaited<ReturnType<typeof openEvents>>;

/**
 * Opens the objects that every service with events needs. They use only the secret `dataKeys`. Throws
 * `ConfigurationError` if the installation in this database uses other secrets or another event store.
 */
export async function openEvents(context: BackingServiceContext) {
  return openEventsWith(context, await readSecrets(context, ['dataKeys']));
}

/** Returns the secrets with these names, from environment variables or from the file in `dataDir`. */
async function readSecrets<Name extends keyof Secrets>(
  { config, dataDir }: BackingServiceContext,
  names: readonly Name[],
): Promise<Pick<Secrets, Name>> {
  return selectSecrets(config.secrets, names) ?? (await loadSecrets(dataDir));
}

async function openEventsWith(context: BackingServiceContext, secrets: UsedSecrets) {
  const pool = openPool(context);
  await ensureSameSecrets(pool, secrets);
  const foreignEvents = createForeignEventCounts();
  const sealedStore = await openEventStore(context, pool, foreignEvents.count);
  const dataKeys = createDataKeys(pool, secrets.dataKeys);
  const decrypted = createDecryptedEvents();
  const store = withPersonalData(sealedStore, dataKeys, { decrypted });
  const commands = createCommandHandler(store);
  const restoreKeys = async () => {
    const keys = await dataKeys.restoreLost();
    if (keys > 0) context.log.warn({ keys }, 'keys of accounts were missing in Postgres and have been stored again');
  };
  const keyChanges = listenForKeyChanges(context.databaseUrl, {
    onChange: (accountId) => {
      dataKeys.forgetAccount(accountId);
      decrypted.clear();
      commands.clearCache();
    },
    onReconnect: () => {
      dataKeys.clearCache();
      decrypted.clear();
      commands.clearCache();
      restoreKeys().catch((err: unknown) => context.log.warn({ err }, 'keys of accounts could not be checked'));
    },
  });
  context.onStop(() => keyChanges.close());
  return {
    pool,
    /** The event store that encrypts and decrypts personal data. */
    store,
    /** The same event store, but it returns events with encrypted personal data. It is used to prove what is stored. */
    sealedStore,
    /** The keys that encrypt personal data. The erasure of an account destroys its keys. */
    dataKeys,
    auditLog: createAuditLog(pool),
    /** The numbers of events of other applications that the subscriptions of this process have skipped. */
    foreignEvents,
    commands: commands as CommandHandler,
    /** Returns true if Postgres responds. No request can be served without Postgres. */
    isReady: async (): Promise<boolean> => (await pool.query('select 1')).rowCount === 1,
  };
}

/**
 * Opens the objects of `openEvents`, and the function that derives account ids from e-mail addresses. They use the
 * secrets `dataKeys` and `accountIds`.
 */
export async function openAccounts(context: BackingServiceContext) {
  const secrets = await readSecrets(context, ['accountIds', 'dataKeys']);
  const events = await openEventsWith(context, secrets);
  const accountIdKey = await obtainAccountIdKey(events.pool, secrets.accountIds);
  return { ...events, createAccountId: (email: string): string => accountIdOf(accountIdKey, email) };
}

/** The objects that every service with events and accounts needs. */
export type Core = Awaited<ReturnType<typeof openCore>>;

/**
 * Opens the objects that every service with events and accounts needs. They use all secrets. Throws
 * `ConfigurationError` if the installation in this database uses other secrets or another event store.
 */
export async function openCore(context: BackingServiceContext) {
  const { config } = context;
  const secrets = await readSecrets(context, ALL_SECRETS);
  const events = await openEventsWith(context, secrets);
  const { pool, commands } = events;
  const accountIdKey = await obtainAccountIdKey(pool, secrets.accountIds);
  const hashKey = (text: string): string => accountIdOf(accountIdKey, `request\0${text}`);
  const sessions = createSessions(pool);
  return {
    ...events,
    sessions,
    authentication: createAuthentication({
      sessions,
      commands,
      adminEmail: config.adminEmail,
      staffTwoStep: config.staffTwoStep,
    }),
    createAccountId: (email: string): string => accountIdOf(accountIdKey, email),
    createStandInId: (email: string): string => standInIdOf(accountIdKey, email),
    passwords: createPasswords(context.passwordCost),
    /**
     * Returns a keyed hash of a text. With the hash, requests can be counted by personal data, such as a network
     * address, without storing the personal data.
     */
    hashKey,
    browsers: createBrowsers({
      secret: secrets.accountIds,
      hashKey,
      isSecure: getSiteUrl(config).startsWith('https:'),
    }),
    createVerificationCode: createVerificationCodes(secrets.verificationCodes),
    unsubscribeTokens: createUnsubscribeTokens(secrets.accountIds),
    statementTokens: createStatementTokens(secrets.accountIds),
    removalTokens: createRemovalTokens(secrets.accountIds),
    /** Encrypts the second copies of removal requests, and reads them. */
    removalCopies: createRemovalCopies(secrets.dataKeys),
    contactTokens: createContactTokens(secrets.accountIds),
    mediaAccessTokens: createMediaAccessTokens(secrets.accountIds),
    positionTokens: createPositionTokens(secrets.accountIds),
    staffReads: createStaffReads(pool),
  };
}
