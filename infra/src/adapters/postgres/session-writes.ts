import { comparePositions, type Position } from '@alpenglow/domain';
import type { Pool } from 'pg';
import { createBatcher } from '../../service/batcher.ts';
import { COMMIT_SETTING, WRITE_IS_KNOWN } from './session-rows.ts';

interface RecordedWrite {
  readonly sessionId: string;
  readonly position: Position;
}

/**
 * The SQL assignments that record a write. Two writes may end in another order than their positions, so an earlier
 * position replaces a later one only after ten minutes. `position` is an SQL expression.
 */
const assignments = (position: string) =>
  `written_position = case when ${WRITE_IS_KNOWN} and written_position > ${position} then written_position
                           else ${position} end,
   written_at = now()`;

/** Creates the function that records the last writes of sessions. */
export function createSessionWrites(pool: Pool) {
  /**
   * Records writes of several sessions. Skips a session that another transaction has locked, because waiting for
   * several rows could cause a deadlock. Returns for each write whether its session was found and not skipped.
   */
  const recordUnlocked = createBatcher(async (writes: readonly RecordedWrite[]) => {
    const latest = new Map<string, Position>();
    for (const { sessionId, position } of writes) {
      const other = latest.get(sessionId);
      if (other === undefined || comparePositions(position, other) > 0) latest.set(sessionId, position);
    }
    const { rows } = await pool.query<{ sessionId: string }>({
      name: 'session-record-writes',
      text: `with unlocked as (
               select s.session_id, w.position
                 from unnest($1::uuid[], $2::text[]) as w (session_id, position) join auth.sessions s using (session_id)
                  for no key update of s skip locked)
             update auth.sessions s set ${assignments('u.position')}
               from unlocked u, ${COMMIT_SETTING}
              where s.session_id = u.session_id
             returning s.session_id as "sessionId"`,
      values: [[...latest.keys()], [...latest.values()]],
    });
    const recorded = new Set(rows.map(({ sessionId }) => sessionId));
    return writes.map(({ sessionId }) => recorded.has(sessionId));
  });

  return {
    /**
     * Records a write of a session, so that the following reads of the session wait for it, in every process. Requests
     * at the same time share a statement. The commit does not wait until the data is on disk, so the record may be lost
     * if the database fails.
     */
    async recordWrite(sessionId: string, position: Position): Promise<void> {
      if (await recordUnlocked({ sessionId, position })) return;
      // The session is locked or has ended. This statement waits for it, and holds no other session meanwhile.
      await pool.query({
        name: 'session-record-write',
        text: `update auth.sessions set ${assignments('$2')} from ${COMMIT_SETTING} where session_id = $1`,
        values: [sessionId, position],
      });
    },
  };
}
