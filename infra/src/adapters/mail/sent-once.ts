import {
  MailRefused,
  MailUnavailable,
  MailUnderWay,
  type Mail,
  type MailReceipt,
  type MailSender,
  type MailTransport,
} from '@alpenglow/domain';
import type { Pool } from 'pg';

/** Remembers what was sent, in `mail.sent`. */
export interface RecordingMailSender extends MailSender {
  /** Forgets mails that nobody asks about any more: every code has long expired. */
  sweep(): Promise<void>;
}

/** What recording takes beside sending. */
const LOCK_MARGIN_ms = 5_000;
/** Whoever dies between sending and recording leaves it open whether the mail went out; it is sent once more then, and never a third time. */
const MAX_BROKEN_OFF = 1;
const NO_LIMIT = 1_000_000;
const MAX_ANSWER = 200;

/**
 * Sends each mail once, in however many processes: the mail is claimed in the database before it is sent, and recorded as sent
 * afterwards. A claim ends by itself, five seconds after the longest send unless told.
 */
export function createRecordingMailSender(
  pool: Pool,
  transport: MailTransport,
  { lockMargin_ms = LOCK_MARGIN_ms } = {},
): RecordingMailSender {
  const limits = {
    lock_ms: transport.sendLimit_ms + lockMargin_ms,
    maxBrokenOff: transport.takesOnce ? NO_LIMIT : MAX_BROKEN_OFF,
  };
  return {
    async send(mail) {
      const attempt = await claim(pool, mail.id, limits);
      if (attempt === null) return;
      const outcome = await outcomeOf(transport, mail);
      await record(pool, mail.id, attempt, outcome);
      if (outcome.error) throw outcome.error;
    },
    async sweep() {
      // Longer than a digest can be asked for again: two days.
      await pool.query(`delete from mail.sent where at < now() - interval '3 days'`);
    },
  };
}

type Outcome = {
  readonly state: 'sent' | 'waiting' | 'refused';
  readonly answer: string | null;
  readonly error: Error | null;
};

async function outcomeOf(transport: MailTransport, mail: Mail): Promise<Outcome> {
  try {
    const { answer }: MailReceipt = await transport.send(mail);
    return { state: 'sent', answer: answer?.slice(0, MAX_ANSWER) ?? null, error: null };
  } catch (error) {
    if (error instanceof MailRefused) return { state: 'refused', answer: error.message.slice(0, MAX_ANSWER), error };
    if (error instanceof MailUnavailable) return { state: 'waiting', answer: null, error };
    throw error;
  }
}

interface Claim {
  readonly attempts: number;
  readonly state: 'sending' | 'waiting' | 'sent' | 'refused' | 'lost';
  readonly isOurs: boolean;
  readonly lockedFor_ms: number | null;
}

/** The number of this attempt; null when the mail is sent. Rejects with `MailUnderWay` while somebody else sends it, and with `MailRefused` when nobody will. */
async function claim(
  pool: Pool,
  id: string,
  { lock_ms, maxBrokenOff }: { lock_ms: number; maxBrokenOff: number },
): Promise<number | null> {
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
      select attempts, state, false, extract(epoch from locked_until - now()) * 1000 from mail.sent where id = $1 and not exists (select from claimed)`,
    values: [id, lock_ms, maxBrokenOff],
  });
  const [found] = rows;
  // Somebody else has just begun: their row is younger than what this query could see.
  if (!found) throw new MailUnderWay(lock_ms);
  if (found.isOurs) return found.attempts;
  switch (found.state) {
    case 'sent':
      return null;
    case 'refused':
      throw new MailRefused('The mail was refused before');
    case 'lost':
      throw new MailRefused(
        'Sending the mail was broken off twice: it may have been taken, and is not sent a third time',
      );
    case 'sending':
    case 'waiting':
      // Two connections may have begun in another order than they came: never longer than a claim lasts.
      throw new MailUnderWay(Math.min(lock_ms, Math.max(0, Math.ceil(found.lockedFor_ms ?? lock_ms))));
  }
}

/** What was sent was sent, whoever holds the claim now; anything else is for whoever still holds it to say. */
async function record(pool: Pool, id: string, attempt: number, { state, answer }: Outcome): Promise<void> {
  await pool.query({
    name: 'mail-record',
    text: `update mail.sent set state = $3, answer = $4, locked_until = null, at = now() where id = $1 and ($3 = 'sent' or (state = 'sending' and attempts = $2))`,
    values: [id, attempt, state, answer],
  });
}
