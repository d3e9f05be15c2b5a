import { account, follows, type AccountEvent, type MailTransport } from '@alpenglow/domain';
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
 * Opens what the jobs of mails about replies need: a database with the tables of the product, by default a new one, the
 * read model of follows, and `transport`.
 */
export async function openThreadMails(transport: MailTransport, existing: TestDatabase | null = null) {
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
  const running = PROJECTIONS.filter(({ name }) => name === 'thread_follows').map((projection) =>
    runProjection(projection, { store, pool, log }, stopped.signal),
  );
  const progress = createReadModelProgress({ pool, connectionString, limit_ms: MAX_WAIT_ms });

  async function signUp(accountId: string): Promise<void> {
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
    await commands.handle(account, accountId, () => [registered, verified], TEST_ORIGIN, { isNew: true });
  }

  return {
    connectionString,
    pool,
    store,
    commands,
    threads: threadRecorder({ commands }),
    signUp: (accountIds: readonly string[]) => forEach(accountIds, signUp),
    /** Makes these accounts follow the thread with a mail for each reply. */
    follow: (accountIds: readonly string[], threadId: string) =>
      forEach(accountIds, (accountId) =>
        commands.execute(follows, accountId, followThread, { accountId, threadId, mail: 'instant' }, TEST_ORIGIN),
      ),
    /** The dependencies of the handlers of these jobs, except the job queue. */
    deps: {
      commands,
      mail: createRecordingMailSender(pool, transport),
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
