import { mailId } from '@alpenglow/domain';
import type { Pool } from 'pg';

/** A verification code that works and whose mail has not been taken, as the read models have it. */
export interface DueMail {
  readonly accountId: string;
  readonly issuanceId: string;
  readonly expiresAt: Date;
}

export interface DueMails {
  /** Codes issued before then, the oldest first. Those whose mail was tried within five minutes have a job that is at it. */
  due(issuedBefore: Date, limit: number): Promise<readonly DueMail[]>;
}

/** From `rm.verification_codes` and `mail.sent`. */
export function createDueMails(pool: Pool): DueMails {
  return {
    async due(issuedBefore, limit) {
      const { rows } = await pool.query<DueMail>({
        name: 'mails-due',
        text: `select c.account_id as "accountId", c.issuance_id as "issuanceId", c.expires_at as "expiresAt" from rm.verification_codes c
                where c.issued_at < $1 and c.expires_at > now()
                  and not exists (select from mail.sent s where s.id = $2 || c.issuance_id and (s.state not in ('sending', 'waiting') or s.at > now() - interval '5 minutes'))
                order by c.issued_at limit $3`,
        values: [issuedBefore.toISOString(), mailId('verification', ''), limit],
      });
      return rows;
    },
  };
}
