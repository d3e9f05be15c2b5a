import { DomainError, type EventStore } from '@alpenglow/domain';
import type { Pool } from 'pg';
import type { ReadModelProgress } from '../../read-model-progress.ts';

/** What the command side may ask the read model of decisions. */
export interface DecisionDirectory {
  /** The case a decision belongs to; null when there is no such decision. One made a moment ago is found too. Throws UNAVAILABLE when the read model is too far behind to tell. */
  caseOf(decisionId: string): Promise<string | null>;
}

const PROJECTION = 'decisions';

export function createDecisionDirectory(deps: {
  readonly pool: Pool;
  readonly store: Pick<EventStore, 'head'>;
  readonly progress: Pick<ReadModelProgress, 'waitFor'>;
}): DecisionDirectory {
  async function lookUp(decisionId: string): Promise<string | null> {
    const { rows } = await deps.pool.query<{ case_id: string }>({
      name: 'decision-case',
      text: 'select case_id from rm.decisions where decision_id = $1',
      values: [decisionId],
    });
    return rows[0]?.case_id ?? null;
  }

  return {
    async caseOf(decisionId) {
      const found = await lookUp(decisionId);
      if (found !== null) return found;
      const isCaughtUp = await deps.progress.waitFor(PROJECTION, await deps.store.head());
      const foundLater = await lookUp(decisionId);
      if (foundLater === null && !isCaughtUp) throw new DomainError('UNAVAILABLE', {}, 1);
      return foundLater;
    },
  };
}
