import type { HidingRuleView } from '@alpenglow/domain';
import { HIDING_RULES, createOperationRouter, waitForPosition, type Pool } from '@alpenglow/infra';
import { sendUncached } from '../../send-uncached.ts';
import type { Dependencies } from '../../dependencies.ts';

/** The maximum number of hiding rules in the response. It is far above the number of rules that admins can maintain. */
const MAX_RULES = 200;

/**
 * The API operation with which admins list the hiding rules. A hiding rule automatically hides ads that match its
 * conditions.
 */
export function ruleReadRoutes({
  pool,
  progress,
  authentication,
}: Dependencies<'pool' | 'progress' | 'authentication'>) {
  const router = createOperationRouter();
  router.on('listHidingRules', waitForPosition(progress, ['hiding_rules']), async (req, res) => {
    await authentication.requireAdmin(req);
    sendUncached(res, { success: true, data: await readRules(pool) });
  });
  return router;
}

async function readRules(pool: Pool): Promise<HidingRuleView[]> {
  const { rows } = await pool.query<HidingRuleView & Record<'createdAt' | 'changedAt' | 'switchedAt', Date | null>>({
    name: 'hiding-rules',
    text: `select r.rule_id as id, r.title, r.category, r.phrases, r.younger_than_days as "youngerThanDays",
                  r.min_reports as "minReports", r.rule, r.facts, r.status, r.created_at as "createdAt",
                  r.changed_at as "changedAt", r.switched_at as "switchedAt", r.hidden
             from ${HIDING_RULES.table} r
            order by r.created_at desc, r.rule_id desc limit $1`,
    values: [MAX_RULES],
  });
  return rows.map((row) => ({
    ...row,
    createdAt: toIso(row.createdAt),
    changedAt: toIso(row.changedAt),
    switchedAt: row.switchedAt && toIso(row.switchedAt),
  }));
}

function toIso(time: string | Date): string {
  return new Date(time).toISOString();
}
