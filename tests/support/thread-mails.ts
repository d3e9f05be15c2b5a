import { account, follows, type AccountEvent, type FollowMailMode, type MailTransport } from '@alpenglow/domain';
import { followThread } from '@alpenglow/domain/deciders';
import {
  createCommandHandler,
  createDataKeys,
  createFollowDirectory,
  createLogger,
  createPool,
  createPostgresEventStore,
  createReadModelProgress,
  createRecordingMailSender,
  createReplyNotifications,
  createUnsubscribeTokens,
  withPersonalData,
  type Pool,
} from '@alpenglow/infra';
import { PROJECTIONS, runProjection } from '@alpenglow/projectors';
import { createMigratedDatabase, type TestDatabase } from './database.ts';
import { MAX_WAIT_ms } from './max-wait.ts';
import { TEST_ORIGIN } from './recording.ts';
import { threadRecorder } from './threads.ts';

export type ThreadMails = Awaited<ReturnType<typeof openThreadMails>>;

/** Number of accounts whose events are appended at the same time. */
const PARALLEL = 64;

async function forEach(accountIds: readonly string[], work: (accountId: string) => Promise<unknown>): Promise<void> {
  const left = accountIds.values();
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      for (const accountId of left) await work(accountId);
    }),
  );
}

/**
 * Opens what the jobs of mails about replies need: a database with the tables of the product, by default a new one,
 * `readModels`, by default only that of follows, and a transport of mails.
 */
export async function openThreadMails(
  createTransport: (pool: Pool) => MailTransport,
  {
    existing = null,
    readModels = ['thread_follows'],
  }: { readonly existing?: TestDatabase | null; readonly readModels?: readonly string[] } = {},
) {
  const database = existing ?? (await createMigratedDatabase());
  const { connectionString } = database;
  const pool = createPool({ connectionString, max: 8, applicationName: 'test' });
  const store = withPersonalData(
    createPostgresEventStore({ pool, connectionString }),
    createDataKeys(pool, '00'.repeat(32)),
  );
  const commands = createCommandHandler(store);
  const log = createLogger('silent');
  const stopped = new AbortController();
  const running = PROJECTIONS.filter(({ name }) => readModels.includes(name)).map((projection) =>
    runProjection(projection, { store, pool, log }, stopped.signal),
  );
  if (running.length !== readModels.length) throw new Error(`Unknown read models: ${readModels.join(', ')}`);
  const progress = createReadModelProgress({ pool, connectionString, limit_ms: MAX_WAIT_ms });

  async function signUp(accountId: string, isVerified: boolean): Promise<void> {
    const registered: AccountEvent = {
      type: 'AccountRegistered',
      data: {
        accountId,
        email: `${accountId}@example.com`,
        passwordHash: 'x',
        userType: 'client',
        displayName: 'Member',
        age: 30,
        isDemo: false,
      },
    };
    const verified: AccountEvent = { type: 'EmailVerified', data: { accountId } };
    const events = isVerified ? [registered, verified] : [registered];
    await commands.handle(account, accountId, () => events, TEST_ORIGIN, { isNew: true });
  }

  return {
    connectionString,
    pool,
    store,
    commands,
    threads: threadRecorder({ commands }),
    signUp: (accountIds: readonly string[], { isVerified = true } = {}) =>
      forEach(accountIds, (accountId) => signUp(accountId, isVerified)),
    /** Makes these accounts follow the thread, by default with a mail for each reply. `at` is by default now. */
    follow: (accountIds: readonly string[], threadId: string, mail: FollowMailMode = 'instant', at?: string) =>
      forEach(accountIds, (accountId) =>
        commands.execute(
          follows,
          accountId,
          followThread,
          { accountId, threadId, mail },
          TEST_ORIGIN,
          at === undefined ? {} : { now: at },
        ),
      ),
    /** The dependencies of the handlers of these jobs, except the job queue. */
    deps: {
      commands,
      store,
      mail: createRecordingMailSender(pool, createTransport(pool)),
      follows: createFollowDirectory(pool),
      replyNotifications: createReplyNotifications(pool),
      progress,
      unsubscribeTokens: createUnsubscribeTokens('ab'.repeat(32)),
      site: 'https://alpenglow.example',
      log,
    },
    async close(): Promise<void> {
      stopped.abort();
      // A projection may be waiting for the database when it is stopped. Its promise may then reject.
      await Promise.allSettled(running);
      await progress.close();
      await store.close();
      await pool.end();
      await database.drop();
    },
  };
}
