import { useQueryClient } from '@tanstack/react-query';
import type { HidingRuleFields, HidingRuleView } from '@alpenglow/domain/contracts';
import { useApi, useHost, useSend } from '@alpenglow/ui';
import { ruleRequests, RULES_KEY } from './api.ts';
import { useText } from '../text.ts';

/**
 * Saves the changes of a hiding rule, or creates a new rule if `rule` is null. The form shows the error of a failed
 * request.
 */
export function useSaveRule(rule: HidingRuleView | null, onSaved: () => void) {
  const t = useText();
  const api = useApi();
  const { notify } = useHost();
  const queryClient = useQueryClient();
  return useSend({
    mutationFn: (fields: HidingRuleFields) =>
      rule ? ruleRequests(api).change(rule.id, fields) : ruleRequests(api).draft(fields),
    onSuccess: () => {
      notify({ text: t('rules.saved'), tone: 'success' });
      void queryClient.invalidateQueries({ queryKey: RULES_KEY });
      onSaved();
    },
  });
}
