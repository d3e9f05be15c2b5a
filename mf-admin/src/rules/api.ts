import type { HidingRuleFields, RuleConditions, RuleTrialHitView, ResponseOf } from '@alpenglow/domain/contracts';
import type { Api } from '@alpenglow/ui';
import { signedInQuery } from '../panel/signed-in-query.ts';

export const RULES_KEY = ['admin', 'rules'] as const;

/** Returns the query for all hiding rules, newest first. These rules hide matching ads automatically. */
export const rulesQuery = (api: Api) => signedInQuery<'listHidingRules'>(api, RULES_KEY, '/admin/rules');

/**
 * Progress of the trial of a hiding rule. The trial finds the ads that match the conditions of the rule. `hits` are the
 * ads found so far.
 */
export interface TrialProgress {
  readonly hits: readonly RuleTrialHitView[];
  readonly examined: number;
  readonly total: number;
}

/** Returns functions with which admins create, change, delete, switch and try hiding rules. */
export function ruleRequests(api: Api) {
  const write = (method: 'POST' | 'PUT' | 'DELETE', path: '' | `/${string}`, body?: HidingRuleFields) =>
    api.requestWithToken<'draftHidingRule' | 'changeHidingRule' | 'discardHidingRule'>({
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
    /**
     * Applies the conditions of a hiding rule to the whole history of ads. Each request examines one page of ads. Calls
     * `onProgress` after each page.
     */
    async tryOut(
      { category, phrases, youngerThanDays, minReports }: RuleConditions,
      onProgress: (progress: TrialProgress) => void,
      signal: AbortSignal,
    ): Promise<TrialProgress> {
      let progress: TrialProgress = { hits: [], examined: 0, total: 0 };
      for (let cursor: string | null = null; ; ) {
        const body = { category, phrases, youngerThanDays, minReports, cursor };
        const page: ResponseOf<'tryHidingRule'> = await api.requestWithToken<'tryHidingRule'>({
          method: 'POST',
          path: '/admin/rules/try',
          body,
          signal,
        });
        progress = {
          hits: [...progress.hits, ...page.data],
          examined: progress.examined + page.examined,
          total: page.total ?? progress.total,
        };
        onProgress(progress);
        cursor = page.nextCursor;
        if (cursor === null) return progress;
      }
    },
  };
}
