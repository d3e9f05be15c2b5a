import {
  MailRejected,
  MailUnavailable,
  MailInProgress,
  type Mail,
  type MailReceipt,
  type MailTransport,
} from '@alpenglow/domain';
import pRetry from 'p-retry';
import type { Pool } from 'pg';
import { withinTime } from '../../service/polling-and-slots.ts';

/**
 * The time for recording the result after sending a mail. A process claims a mail before it sends the mail. The claim
 * expires this long after the time limit of sending.
 */
const LOCK_MARGIN_ms = 5_000;
/** A recording that takes longer is repeated, because its connection may have stopped responding. */
const RECORD_LIMIT_ms = 2_000;
const RECORD_RETRIES = { retries: 8, minTimeout: 50, factor: 2, maxTimeout: 1_000 } as const;
/**
 * The number of interrupted attempts after which a mail is still sent again. After an interrupted attempt, it is
 * unknown whether the mail server accepted the mail. With this limit, a recipient gets a mail at most twice.
 */
const MAX_INTERRUPTED = 1;
const NO_LIMIT = 1_000_000;
const MAX_RESPONSE = 200;

/**
 * Creates a sender that sends each mail once, even if several processes try to send it. A process claims the mail in
 * the table `mail.sent`, sends it, and then records the result. A claim expires `lockMargin_ms` (5 s by default) after
 * the time limit of sending. If recording the result fails, the process repeats it until the claim expires. If no
 * result is recorded by then, another process may claim the mail and send it a second time.
 */
export function createRecordingMailSender(
  pool: Pool,
  transport: MailTransport,
  { lockMargin_ms = LOCK_MARGIN_ms } = {},
) {
  const lock_ms = transport.sendTimeout_ms + lockMargin_ms;
  const maxInterrupted = transport.detectsDuplicates ? NO_LIMIT : MAX_INTERRUPTED;
  return {
    async send(mail: Mail): Promise<void> {
      const attempt = await claim(pool, mail.id, lock_ms, maxInterrupted);
      if (attempt === null) return;
      const claimedAt_ms = performance.now();
      const outcome = await outcomeOf(transport, mail);
      const left_ms = lock_ms - (performance.now() - claimedAt_ms);
      await pRetry(
        () =>
          withinTime(
            record(pool, mail.id, attempt, outcome),
            RECORD_LIMIT_ms,
            () => new Error('Postgres did not record the mail in time'),
          ),
        { ...RECORD_RETRIES, maxRetryTime: Math.max(0, left_ms) },
      );
      if (outcome.error) throw outcome.error;
    },
    /**
     * Removes the old records of mails about replies, because their ids contain the id of an account. Jobs send these
     * mails for at most two days, so their records are stored for three days. All other records are never removed: a
     * reactor that starts again at the first event enqueues all other mails again (decision 0074).
     */
    async sweep(): Promise<void> {
      await pool.query(
        `delete from mail.sent where (id like 'reply-%' or id like 'digest-%') and at < now() - interval '3 days'`,
      );
    },
  };
}

type Outcome = {
  readonly state: 'sent' | 'waiting' | 'refused';
  readonly response: string | null;
  readonly error: Error | null;
};

async function outcomeOf(transport: MailTransport, mail: Mail): Promise<Outcome> {
  try {
    const { serverResponse }: MailReceipt = await transport.send(mail);
    return { state: 'sent', response: serverResponse?.slice(0, MAX_RESPONSE) ?? null, error: null };
  } catch (error) {
    if (error instanceof MailRejected)
      return { state: 'refused', response: error.message.slice(0, MAX_RESPONSE), error };
    if (error instanceof MailUnavailable) return { state: 'waiting', response: null, error };
    throw error;
  }
}

interface Claim {
  readonly attempts: number;
  readonly state: 'sending' | 'waiting' | 'sent' | 'refused' | 'lost';
  readonly isOurs: boolean;
  readonly lockedFor_ms: number | null;
}

/**
 * Claims a mail, so that only this process sends it. Returns the number of this attempt, or null if the mail is already
 * sent. Rejects with `MailInProgress` while another process sends the mail. Rejects with `MailRejected` if the mail
 * must not be sent any more.
 */
async function claim(pool: Pool, id: string, lock_ms: number, maxInterrupted: number): Promise<number | null> {
  const { rows } = await pool.query<Claim>({
    name: 'mail-claim',
    text: `
      with claimed as (
        insert into mail.sent as known (id, state, locked_until) values ($1, 'sending', now() + $2 * interval '1 ms')
        on conflict (id) do update set
          state = case when known.state = 'sending' and known.broken_off >= $3 then 'lost' else 'sending' end,
          attempts = known.attempts + case when known.state = 'sending' and known.broken_off >= $3 then 0 else 1 end,
          broken_off = known.broken_off + case when known.state = 'sending' then 1 else 0 end,
          locked_until = excluded.locked_until,
          at = now()
        where known.state = 'waiting' or (known.state = 'sending' and known.locked_until <= now())
        returning attempts, state, state = 'sending' as "isOurs", null::float8 as "lockedFor_ms"
      )
      select * from claimed
      union all
      select attempts, state, false, extract(epoch from locked_until - now()) * 1000
        from mail.sent
       where id = $1 and not exists (select from claimed)`,
    values: [id, lock_ms, maxInterrupted],
  });
  const [row] = rows;
  // No row means that another process has just claimed the mail, and that the snapshot of this query does not contain
  // its claim yet.
  if (!row) throw new MailInProgress(lock_ms);
  if (row.isOurs) return row.attempts;
  switch (row.state) {
    case 'sent':
      return null;
    case 'refused':
      throw new MailRejected('The mail was rejected before');
    case 'lost':
      throw new MailRejected(
        'Sending the mail was interrupted twice: it may have been accepted, and is not sent a third time',
      );
    case 'sending':
    case 'waiting':
      // The wait is at most as long as a claim. The time from the database may be too long, because transactions may
      // run in another order than they started.
      throw new MailInProgress(Math.min(lock_ms, Math.max(0, Math.ceil(row.lockedFor_ms ?? lock_ms))));
  }
}

/**
 * Records the outcome of an attempt to send a mail. The state `sent` is always recorded. Any other state is recorded
 * only if this attempt still has the claim, because another process may be sending the mail.
 */
async function record(pool: Pool, id: string, attempt: number, { state, response }: Outcome): Promise<void> {
  await pool.query({
    name: 'mail-record',
    text: `update mail.sent set state = $3, answer = $4, locked_until = null, at = now()
            where id = $1 and ($3 = 'sent' or (state = 'sending' and attempts = $2))`,
    values: [id, attempt, state, response],
  });
}
