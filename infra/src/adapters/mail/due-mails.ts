import { createMailId } from '@alpenglow/domain';
import type { Pool } from 'pg';

/** A verification code that is still valid, but whose mail has not been sent yet according to the read models. */
interface DueMail {
  readonly accountId: string;
  readonly issuanceId: string;
  readonly expiresAt: Date;
}

export type DueMails = ReturnType<typeof createDueMails>;

/** Finds mails with verification codes that should have been sent, in `rm.verification_codes` and `mail.sent`. */
export function createDueMails(pool: Pool) {
  return {
    /**
     * Returns the verification codes that were issued before `issuedBefore` and whose mail is not sent yet, oldest
     * first. Skips mails with an attempt within the last five minutes, because a background job is still sending them.
     */
    async findDue(issuedBefore: Date, limit: number): Promise<readonly DueMail[]> {
      const { rows } = await pool.query<DueMail>({
        name: 'mails-due',
        text: `select c.account_id as "accountId", c.issuance_id as "issuanceId", c.expires_at as "expiresAt"
                 from rm.verification_codes c
                where c.issued_at < $1 and c.expires_at > now()
                  and not exists (
                    select from mail.sent s
                     where s.id = $2 || c.issuance_id
                       and (s.state not in ('sending', 'waiting') or s.at > now() - interval '5 minutes'))
                order by c.issued_at limit $3`,
        values: [issuedBefore.toISOString(), createMailId('verification', ''), limit],
      });
      return rows;
    },
  };
}
