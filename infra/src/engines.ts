import path from 'node:path';
import type {
  BlobStore,
  EventStore,
  KnownImages,
  LiveFeed,
  LivePublisher,
  MailSender,
  VerificationCodeOf,
} from '@alpenglow/domain';
import { createJobBackend, migrateJobs, type JobBackend } from './adapters/bullmq/backend.ts';
import { createFileBlobStore } from './adapters/files/blob-store.ts';
import { createPasswords, type Passwords } from './adapters/passwords.ts';
import { noKnownImages, openListedImages } from './adapters/known-images/known-images.ts';
import { createDueMails, type DueMails } from './adapters/mail/due-mails.ts';
import { createInbox, type Inbox } from './adapters/mail/inbox.ts';
import { createRecordingMailSender } from './adapters/mail/sent-once.ts';
import { createToldReplies, type ToldReplies } from './adapters/mail/told-replies.ts';
import { openMailTransport } from './adapters/mail/transport.ts';
import { createAuditLog, type AuditLog } from './adapters/postgres/audit-log.ts';
import { createDataKeys, followKeyChanges, type AccountKeys } from './adapters/postgres/data-keys.ts';
import { agreeOnEventStore, eventStoreKind } from './adapters/postgres/event-store-in-use.ts';
import { createPostgresEventStore } from './adapters/postgres/event-store.ts';
import { createPool, type Pool } from './adapters/postgres/pool.ts';
import { agreeOnSecrets } from './adapters/postgres/secrets-in-use.ts';
import { createKeptAnswers, type KeptAnswers } from './adapters/postgres/kept-answers.ts';
import { createSessions, type Sessions } from './adapters/postgres/sessions.ts';
import { createStaffReads, type StaffReads } from './adapters/postgres/staff-reads.ts';
import { openSharedCounters, type SharedCounters } from './adapters/requests/shared-counters.ts';
import { checkThroughOutages } from './check-through-outages.ts';
import { createCommandHandler, type CommandHandler } from './command-handling.ts';
import type { Config } from './config.ts';
import { createAuthentication, type Authentication } from './http/authentication.ts';
import { accountIdOf, standInIdOf, verificationCodes } from './identity.ts';
import type { Logger } from './logger.ts';
import { withPersonalData } from './personal-data.ts';
import { loadSecrets } from './secrets.ts';
import { createStatementTokens, type StatementTokens } from './statement-tokens.ts';
import { createUnsubscribeTokens, type UnsubscribeTokens } from './unsubscribe-tokens.ts';

/**
 * Which engine stands behind each port: the configuration decides, one port at a time. The clients of engines that only a
 * cluster has are loaded when they are asked for.
 */
export interface EngineContext {
  readonly config: Config;
  /** `config.databaseUrl`, or that of the embedded Postgres. */
  readonly databaseUrl: string;
  /** Absolute. */
  readonly dataDir: string;
  readonly log: Logger;
  /** Hands over what is to be let go of in the end, the last first. */
  readonly onStop: (close: () => Promise<unknown>) => void;
}

const POOL_SIZE = 10;

/** The main pool of a process. */
export function openPool({ databaseUrl, log, onStop }: EngineContext, max = POOL_SIZE): Pool {
  const pool = createPool({
    connectionString: databaseUrl,
    max,
    applicationName: 'alpenglow',
    onError: (err) => log.warn({ err }, 'idle connection lost'),
  });
  onStop(() => pool.end());
  return pool;
}

/** The events as they are stored: personal fields are sealed. Throws `ConfigurationError` when the installation in this database keeps them elsewhere. */
export async function openEventStore(
  { config, databaseUrl, log, onStop }: EngineContext,
  pool: Pool,
): Promise<EventStore> {
  const open = async () => {
    if (config.eventStoreUrl === null) return createPostgresEventStore({ pool, connectionString: databaseUrl });
    const { openEventStoreDb } = await import('./adapters/eventstoredb/event-store.ts');
    return openEventStoreDb(config.eventStoreUrl, { log });
  };
  await agreeOnEventStore(pool, eventStoreKind(config.eventStoreUrl));
  const store = await open();
  onStop(() => store.close());
  return store;
}

/** An S3 that is away is not waited for: the store answers once it is back. With `isNeeded` it rejects, for those who can do nothing without. */
export async function openBlobStore(
  { config, dataDir, log, onStop }: Pick<EngineContext, 'config' | 'dataDir' | 'log' | 'onStop'>,
  { isNeeded = false } = {},
): Promise<BlobStore> {
  if (config.s3 === null) return createFileBlobStore({ root: path.join(dataDir, 'blobs') });
  const { createS3BlobStore } = await import('./adapters/s3/blob-store.ts');
  const store = createS3BlobStore(config.s3, { log });
  if (isNeeded) await store.check();
  else await checkThroughOutages('S3', () => store.check(), { log, onStop });
  return store;
}

/** What says which pictures are known to be illegal. Throws `ConfigurationError` when the list is of no use. */
export async function openKnownImages({
  config: { imageHashList },
  log,
}: Pick<EngineContext, 'config' | 'log'>): Promise<KnownImages> {
  return imageHashList === null ? noKnownImages : openListedImages(imageHashList, { log });
}

/** A Redis that is away is not waited for: jobs are taken and done once it is back. */
export async function openJobs({ config, databaseUrl, log, onStop }: EngineContext): Promise<JobBackend> {
  if (config.redisUrl === null) await migrateJobs(databaseUrl);
  const backend = await createJobBackend({ connectionString: config.redisUrl ?? databaseUrl, log });
  onStop(() => backend.close());
  await checkThroughOutages('the job queue', () => backend.check(), { log, onStop });
  return backend;
}

/** What those who send mails have. */
export interface Mailing {
  /** Sends each mail once, however mails leave. */
  readonly mail: MailSender;
  readonly dueMails: DueMails;
  readonly toldReplies: ToldReplies;
  /** Forgets what was sent long ago. */
  readonly sweepMails: () => Promise<unknown>;
}

/** Nothing is connected to before there is a mail. */
export async function openMail(
  { config, log, onStop }: Pick<EngineContext, 'config' | 'log' | 'onStop'>,
  pool: Pool,
): Promise<Mailing> {
  const inbox = createInbox(pool);
  const transport = (await openMailTransport(config.mail)) ?? inbox;
  onStop(() => transport.close());
  if (transport === inbox && shownInbox(config, pool) === null)
    log.warn('No mail leaves: neither SMTP_URL nor EMAIL_SERVICE_URL is set');
  const mail = createRecordingMailSender(pool, transport);
  const toldReplies = createToldReplies(pool);
  return {
    mail,
    dueMails: createDueMails(pool),
    toldReplies,
    sweepMails: () => Promise.all([mail.sweep(), inbox.sweep(), toldReplies.sweep()]),
  };
}

/** The inbox, where there is one that may be looked at. */
export function shownInbox({ exposeVerificationCodes, mail }: Config, pool: Pool): Inbox | null {
  return exposeVerificationCodes && mail.kind === 'inbox' ? createInbox(pool) : null;
}

/** What the live channel tells of. `store` opens personal data or not: none of it is told. */
export async function openLiveFeed({ config, log, onStop }: EngineContext, store: EventStore): Promise<LiveFeed> {
  const open = async () => {
    if (config.kafka === null) {
      const { createStoreLiveFeed } = await import('./adapters/store-live-feed.ts');
      return createStoreLiveFeed({ store, log });
    }
    const { openKafkaLiveFeed } = await import('./adapters/kafka/live-feed.ts');
    return openKafkaLiveFeed(config.kafka, { log });
  };
  const feed = await open();
  onStop(() => feed.close());
  return feed;
}

/** Where the relay puts what the live channel tells of; null where the channel follows the event store itself. */
export async function openLivePublisher({ config, log, onStop }: EngineContext): Promise<LivePublisher | null> {
  if (config.kafka === null) return null;
  const { openLivePublisher: open } = await import('./adapters/kafka/live-publisher.ts');
  const publisher = await open(config.kafka, { log });
  onStop(() => publisher.close());
  return publisher;
}

/** What is remembered of requests, shared by all processes. */
export interface RequestMemory {
  /** Null where nothing is limited. */
  readonly counters: SharedCounters | null;
  readonly answers: KeptAnswers;
  /** Removes what is over. */
  sweep(): Promise<void>;
}

/** A store of counts that is away is not waited for. */
export async function openRequestMemory({ config, log, onStop }: EngineContext, pool: Pool): Promise<RequestMemory> {
  const counters = config.rateLimits ? await openSharedCounters({ redisUrl: config.redisUrl, pool, log }) : null;
  if (counters) onStop(() => counters.close());
  const answers = createKeptAnswers(pool);
  return {
    counters,
    answers,
    async sweep() {
      await Promise.all([answers.sweep(), counters?.sweep()]);
    },
  };
}

/** What every service that deals with events and accounts has. */
export interface Core {
  readonly pool: Pool;
  /** Opens and seals personal data. */
  readonly store: EventStore;
  /** The same events as they are kept: personal data sealed. For what has to prove what is kept. */
  readonly sealedStore: EventStore;
  /** Seal what is kept about people, and go with them. */
  readonly dataKeys: AccountKeys;
  readonly auditLog: AuditLog;
  readonly commands: CommandHandler;
  readonly sessions: Sessions;
  readonly authentication: Authentication;
  readonly accountIdOf: (email: string) => string;
  /** A keyed hash, under which something personal that is not an account's, such as a network address, may be counted. */
  readonly keyOf: (text: string) => string;
  readonly standInIdOf: (email: string, password: string) => string;
  readonly passwords: Passwords;
  readonly codeOf: VerificationCodeOf;
  readonly unsubscribeTokens: UnsubscribeTokens;
  readonly statementTokens: StatementTokens;
  readonly staffReads: StaffReads;
  /** Whether Postgres answers: without it nobody is known, and nothing can be looked up. */
  readonly isReady: () => Promise<boolean>;
}

/** Throws `ConfigurationError` when the installation in this database works with other secrets, or keeps its events elsewhere. */
export async function openCore(context: EngineContext): Promise<Core> {
  const { config, dataDir } = context;
  const secrets = config.secrets ?? (await loadSecrets(dataDir));
  const pool = openPool(context);
  await agreeOnSecrets(pool, secrets);
  const sealedStore = await openEventStore(context, pool);
  const dataKeys = createDataKeys(pool, secrets.dataKeys);
  const store = withPersonalData(sealedStore, dataKeys);
  const commands = createCommandHandler(store);
  const keyChanges = followKeyChanges(context.databaseUrl, () => {
    dataKeys.forget();
    commands.forget();
  });
  context.onStop(() => keyChanges.close());
  const sessions = createSessions(pool);
  return {
    pool,
    store,
    sealedStore,
    dataKeys,
    auditLog: createAuditLog(pool),
    commands,
    sessions,
    authentication: createAuthentication({
      sessions,
      commands,
      adminEmail: config.adminEmail,
      staffTwoStep: config.staffTwoStep,
    }),
    accountIdOf: (email) => accountIdOf(secrets.accountIds, email),
    standInIdOf: (email, password) => standInIdOf(secrets.accountIds, email, password),
    passwords: createPasswords(),
    keyOf: (text) => accountIdOf(secrets.accountIds, `request\0${text}`),
    codeOf: verificationCodes(secrets.verificationCodes),
    unsubscribeTokens: createUnsubscribeTokens(secrets.accountIds),
    statementTokens: createStatementTokens(secrets.accountIds),
    staffReads: createStaffReads(pool),
    isReady: async () => (await pool.query('select 1')).rowCount === 1,
  };
}
