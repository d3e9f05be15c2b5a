import { queryOptions } from '@tanstack/react-query';
import type {
  HidingRuleFields,
  HidingRulesAnswer,
  HidingRuleWriteAnswer,
  RuleConditions,
  RuleHitView,
  RuleTrialAnswer,
} from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';

export const RULES_KEY = ['admin', 'rules'] as const;

/** All hiding rules, the newest first. */
export function rulesQuery(api: Api) {
  return queryOptions({
    queryKey: RULES_KEY,
    queryFn: ({ signal }) => api.callSignedIn<HidingRulesAnswer>({ path: '/admin/rules', signal }),
  });
}

/** How far a trial has come, and what it has found. */
export interface TrialProgress {
  readonly hits: readonly RuleHitView[];
  readonly examined: number;
  readonly total: number;
}

/** What admins do with hiding rules. */
export function ruleCalls(api: Api) {
  const write = (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) =>
    api.callSignedIn<HidingRuleWriteAnswer>({
      method,
      path: `/admin/rules${path}`,
      ...(body !== undefined && { body }),
    });
  return {
    draft: (fields: HidingRuleFields) => write('POST', '', fields),
    change: (id: string, fields: HidingRuleFields) => write('PUT', `/${id}`, fields),
    discard: (id: string) => write('DELETE', `/${id}`),
    switchOn: (id: string) => write('POST', `/${id}/on`),
    switchOff: (id: string) => write('POST', `/${id}/off`),
    /** Goes through all history, part by part; `onProgress` hears of each. */
    async tryOut(
      { category, phrases, youngerThanDays, minReports }: RuleConditions,
      onProgress: (progress: TrialProgress) => void,
      signal: AbortSignal,
    ): Promise<TrialProgress> {
      let progress: TrialProgress = { hits: [], examined: 0, total: 0 };
      for (let cursor: string | null = null; ; ) {
        const body = { category, phrases, youngerThanDays, minReports, cursor };
        const part: RuleTrialAnswer = await api.callSignedIn<RuleTrialAnswer>({
          method: 'POST',
          path: '/admin/rules/try',
          body,
          signal,
        });
        progress = {
          hits: [...progress.hits, ...part.data],
          examined: progress.examined + part.examined,
          total: part.total ?? progress.total,
        };
        onProgress(progress);
        cursor = part.nextCursor;
        if (cursor === null) return progress;
      }
    },
  };
}
