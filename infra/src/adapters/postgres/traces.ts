import { IDEMPOTENCY_KEY_LIFETIME_ms } from '@alpenglow/domain';
import type { Pool } from 'pg';

const MAIL_PAGE = 1_000;

/** The data of an erased account by which its traces are found. Newer data belongs to a new account. */
export interface TraceOwner {
  readonly accountId: string;
  /** The ids of the account and of its stand-in accounts. */
  readonly accountIds: readonly string[];
  /** Texts of which each mail about the account contains one, e.g. parts of URLs. */
  readonly mailTexts: readonly string[];
  /** Sessions that were opened before this time belong to the account. */
  readonly closedAt: Date;
  /** Mails and jobs from before this time belong to the account. */
  readonly before: Date;
  /** A response to a request that began before this time may contain data of the account. */
  readonly purgedAt: Date;
}

/** A kind of data that is not derived from events, and that an erasure removes. */
export type TraceKind = 'sessions' | 'stored responses' | 'reply notifications' | 'inbox';

/** Removes and finds data of erased accounts in tables that are not derived from events. */
export function createTraces(pool: Pool) {
  const sessions = `from auth.sessions where account_id = any($1) and created_at < $2`;
  // A stored response expires a fixed time after the first attempt of its request has begun.
  const responses = `status is not null and (body is not null or headers is not null)
    and expires_at < $1::timestamptz + ${IDEMPOTENCY_KEY_LIFETIME_ms} * interval '1 ms'`;
  const notifiedReplies = 'from mail.told_replies where account_id = $1';
  // The upper limits are the next texts after all texts with these prefixes, so that Postgres uses the index.
  const sentMails = `from mail.sent
    where (id like 'reply-%' or id like 'digest-%')
      and (id collate "C" >= 'reply-' || $1 || '-' and id collate "C" < 'reply-' || $1 || '.'
        or id collate "C" >= 'digest-' || $1 || '-' and id collate "C" < 'digest-' || $1 || '.')`;

  /** Calls `handle` with the ids of the mails of each owner in the inbox, page by page. */
  async function findMails(
    owners: readonly TraceOwner[],
    accountIdOf: (address: string) => string,
    handle: (idsByOwner: readonly (readonly string[])[]) => Promise<void>,
  ): Promise<void> {
    for (let after = ''; ; ) {
      const { rows } = await pool.query<{ id: string; to: string; text: string; at: Date }>(
        'select id, "to", text, at from mail.inbox where id > $1 order by id limit $2',
        [after, MAIL_PAGE],
      );
      const mails = rows.map((mail) => ({ ...mail, accountId: accountIdOf(mail.to) }));
      await handle(
        owners.map(({ accountId, mailTexts, before }) =>
          mails
            .filter(({ at }) => at < before)
            .filter((mail) => mail.accountId === accountId || mailTexts.some((part) => mail.text.includes(part)))
            .map(({ id }) => id),
        ),
      );
      const last = rows.at(-1);
      if (rows.length < MAIL_PAGE || !last) return;
      after = last.id;
    }
  }

  const exists = async (text: string, values: readonly unknown[]): Promise<boolean> =>
    (await pool.query<{ found: boolean }>(`select exists (select ${text}) as found`, [...values])).rows[0]?.found ===
    true;

  return {
    /** Returns the time of Postgres, which also gives sessions and stored responses their times. */
    async readClock(): Promise<Date> {
      const { rows } = await pool.query<{ at: Date }>('select clock_timestamp() as at');
      if (!rows[0]) throw new Error('Postgres returned no time');
      return rows[0].at;
    },
    /**
     * Removes the traces of these accounts. Ends their sessions. Removes the records of the mails that have notified
     * them of replies in followed threads. Removes mails to them or about them from the inbox table, which stores mails
     * for developers. `accountIdOf` returns the id of the account of a mail address.
     *
     * The content of the stored responses to all requests with an Idempotency-Key that began before the read models
     * were purged is removed, because any of them may contain data of an erased account. The keys stay, so that a
     * repeated request is not handled again.
     */
    async remove(owners: readonly TraceOwner[], accountIdOf: (address: string) => string): Promise<void> {
      for (const { accountId, accountIds, closedAt } of owners) {
        await pool.query(`delete ${sessions}`, [accountIds, closedAt]);
        await pool.query(`delete ${notifiedReplies}`, [accountId]);
        await pool.query(`delete ${sentMails}`, [accountId]);
      }
      const lastPurgedAt = new Date(Math.max(...owners.map(({ purgedAt }) => purgedAt.getTime())));
      await pool.query(`update requests.answers set body = null, headers = null where ${responses}`, [lastPurgedAt]);
      await findMails(owners, accountIdOf, async (idsByOwner) => {
        const ids = idsByOwner.flat();
        if (ids.length > 0) await pool.query('delete from mail.inbox where id = any($1)', [ids]);
      });
    },
    /** Returns the kinds of traces that remain, for each of these accounts. */
    async findRemains(
      owners: readonly TraceOwner[],
      accountIdOf: (address: string) => string,
    ): Promise<readonly (readonly TraceKind[])[]> {
      const remains = owners.map(() => new Set<TraceKind>());
      for (const [index, { accountId, accountIds, closedAt, purgedAt }] of owners.entries()) {
        if (await exists(`from requests.answers where ${responses}`, [purgedAt]))
          remains[index]?.add('stored responses');
        if (await exists(sessions, [accountIds, closedAt])) remains[index]?.add('sessions');
        if ((await exists(notifiedReplies, [accountId])) || (await exists(sentMails, [accountId])))
          remains[index]?.add('reply notifications');
      }
      await findMails(owners, accountIdOf, async (idsByOwner) => {
        for (const [index, ids] of idsByOwner.entries()) if (ids.length > 0) remains[index]?.add('inbox');
      });
      return remains.map((kinds) => [...kinds]);
    },
  };
}
