import { moderationCase, type CaseId, findHeldContent, settleCase } from '@alpenglow/domain';
import { endChangeRequest } from '@alpenglow/domain/deciders';
import { ACCOUNTS, AD_CARDS, DECISIONS, MODERATION_CASES } from '@alpenglow/infra';
import { attemptEach } from './attempt-each.ts';
import type { Dependencies } from './dependencies.ts';
import { systemOrigin } from './system-origin.ts';

/** Maximum number of cases of one run. The next run continues with the rest. */
const MAX_AT_ONCE = 100;
const TASK = 'end-change-requests';

/**
 * Hides ads whose owners have not made a requested change in time, and opens the cases again for a moderator.
 * Returns the number of opened cases. The read models list the ads that are probably due, and `endChangeRequest` then
 * checks the events. A case that fails does not stop the others. The promise then rejects with `ItemsFailed` at the
 * end. Rejects at once if `signal` aborts.
 */
export async function endChangeRequests(
  { pool, commands, log }: Dependencies<'pool' | 'commands' | 'log'>,
  now_ms: number,
  signal: AbortSignal,
): Promise<number> {
  const now = new Date(now_ms).toISOString();
  const { rows } = await pool.query<{ caseId: CaseId }>({
    name: 'change-requests-due',
    text: `select d.case_id as "caseId"
             from ${DECISIONS.table} d
             join ${MODERATION_CASES.table} c on c.case_id = d.case_id and c.decision->>'id' = d.decision_id
             -- An ad that continues a deleted one (R-4.50) has another id, but the same owner.
             join ${AD_CARDS.table} ad on ad.account_id = c.owner_id
             join ${ACCOUNTS.table} o on o.account_id = c.owner_id and o.registered_at <= d.decided_at
            where d.outcome = 'change_requested' and d.change_by <= $1
              and d.appeal_outcome is distinct from 'overturned'
              and not c.is_open and c.appealed_at is null
            order by d.change_by limit ${MAX_AT_ONCE}`,
    values: [now],
  });
  let opened = 0;
  await attemptEach(
    rows,
    async ({ caseId }) => {
      const { state } = await commands.load(moderationCase, caseId);
      if (state === null) return;
      const held = await findHeldContent(commands, state);
      if (held === null) return;
      const evidence = { stream: state.evidence.stream, revision: held.revision };
      const origin = systemOrigin(TASK, caseId);
      const { events } = await commands.execute(moderationCase, caseId, endChangeRequest, { held, evidence }, origin, {
        now,
      });
      if (events.length === 0) return;
      opened += 1;
      await settleCase(commands, caseId, origin);
    },
    { task: TASK, nameOf: ({ caseId }) => caseId, log, signal },
  );
  return opened;
}
