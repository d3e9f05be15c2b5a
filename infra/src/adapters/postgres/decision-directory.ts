import type { CaseId } from '@alpenglow/domain';
import { DECISIONS } from '../../read-models/index.ts';
import { findAfterCatchUp, type LookupDependencies } from './find-after-catch-up.ts';

/** Finds the moderation case of a decision for commands. Queries the read model of moderation decisions. */
export type DecisionDirectory = ReturnType<typeof createDecisionDirectory>;

export function createDecisionDirectory(deps: LookupDependencies) {
  return {
    /**
     * Returns the id of the decision's moderation case, or null if there is no such decision. If the decision is not
     * found, waits until the read model contains all events, because the decision may be new. Throws UNAVAILABLE if the
     * read model is too far behind.
     */
    caseOf: (decisionId: string): Promise<CaseId | null> =>
      findAfterCatchUp(deps, 'decisions', async () => {
        const { rows } = await deps.pool.query<{ case_id: CaseId }>({
          name: 'decision-case',
          text: `select case_id from ${DECISIONS.table} where decision_id = $1`,
          values: [decisionId],
        });
        return rows[0]?.case_id ?? null;
      }),
  };
}
