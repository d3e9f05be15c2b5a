import { LIVE_TICKET_LIFETIME_ms } from '@alpenglow/domain';
import type { Pool } from 'pg';
import { COLUMNS, hashOf, IS_VALID, newToken, TOKEN, type Session } from './session-rows.ts';

/** Creates and redeems tickets of sessions for the live channel, which are in the table `auth.live_tickets`. */
export function createLiveTickets(pool: Pool) {
  return {
    /** Returns a new ticket of a session. A ticket opens the live channel once, within a minute. */
    async issueLiveTicket(sessionId: string): Promise<string> {
      const ticket = newToken();
      await pool.query({
        name: 'live-ticket-issue',
        text: 'insert into auth.live_tickets (ticket_hash, session_id, expires_at) values ($1, $2, $3)',
        values: [hashOf(ticket), sessionId, new Date(Date.now() + LIVE_TICKET_LIFETIME_ms)],
      });
      return ticket;
    },
    /** Uses up a ticket and returns its session. Returns null if the ticket is unknown, used or expired. */
    async redeemLiveTicket(ticket: string): Promise<Session | null> {
      if (!TOKEN.test(ticket)) return null;
      const { rows } = await pool.query<Session>({
        name: 'live-ticket-redeem',
        text: `with ticket as (
                 delete from auth.live_tickets where ticket_hash = $1 returning session_id as id, expires_at as until
               )
               select ${COLUMNS}
                 from auth.sessions join ticket on session_id = id
                where until > now() and ${IS_VALID}`,
        values: [hashOf(ticket)],
      });
      return rows[0] ?? null;
    },
  };
}
