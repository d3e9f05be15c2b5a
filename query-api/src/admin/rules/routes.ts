import type { HidingRulesAnswer, HidingRuleView } from '@alpenglow/domain';
import { waitForPosition, type Authentication, type Pool, type ReadModelProgress } from '@alpenglow/infra';
import { Router } from 'express';

export interface RuleReadDependencies {
  readonly pool: Pool;
  readonly progress: ReadModelProgress;
  readonly authentication: Authentication;
}

/** More rules than anybody can keep in mind. */
const MOST_RULES = 200;

/** The hiding rules, for admins; to be mounted at `/admin/rules`. */
export function ruleReadRoutes({ pool, progress, authentication }: RuleReadDependencies): Router {
  const router = Router();
  router.get('/', waitForPosition(progress, ['hiding_rules']), async (req, res) => {
    await authentication.requireAdmin(req);
    res
      .setHeader('Cache-Control', 'no-store')
      .json({ success: true, data: await readRules(pool) } satisfies HidingRulesAnswer);
  });
  return router;
}

async function readRules(pool: Pool): Promise<HidingRuleView[]> {
  const { rows } = await pool.query<HidingRuleView & Record<'createdAt' | 'changedAt' | 'switchedAt', Date | null>>({
    name: 'hiding-rules',
    text: `select r.rule_id as id, r.title, r.category, r.phrases, r.younger_than_days as "youngerThanDays", r.min_reports as "minReports", r.rule, r.facts, r.status,
                  r.created_at as "createdAt", r.changed_at as "changedAt", r.switched_at as "switchedAt", r.hidden
             from rm.hiding_rules r
            order by r.created_at desc, r.rule_id desc limit $1`,
    values: [MOST_RULES],
  });
  return rows.map((row) => ({
    ...row,
    createdAt: iso(row.createdAt),
    changedAt: iso(row.changedAt),
    switchedAt: row.switchedAt && iso(row.switchedAt),
  }));
}

function iso(time: string | Date): string {
  return new Date(time).toISOString();
}
