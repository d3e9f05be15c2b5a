import { useEffect, useEffectEvent, useRef } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { CaseView } from '@alpenglow/domain/contracts';
import { getServerTime_ms, useApi } from '@alpenglow/ui';
import { caseRequests, MODERATION_KEY } from './api.ts';
import { isRenewalDue, NO_RENEWAL } from './claim-renewal.ts';

const CHECK_ms = 15_000;

/**
 * Renews the moderator's claim to a case shortly before it expires, if the moderator is typing. Returns the function to
 * call at each input. A failed renewal is not reported, because the form shows the state of the claim.
 */
export function useClaimRenewal({ id, claim }: Pick<CaseView, 'id' | 'claim'>): () => void {
  const api = useApi();
  const queryClient = useQueryClient();
  const renewal = useRef(NO_RENEWAL);
  const until_ms = claim?.isMine === true ? Date.parse(claim.until) : null;

  function renewIfDue(): void {
    const now_ms = getServerTime_ms();
    if (until_ms === null || !isRenewalDue(renewal.current, until_ms, now_ms)) return;
    renewal.current = { ...renewal.current, attemptedAt_ms: now_ms, attempts: renewal.current.attempts + 1 };
    const refresh = () => queryClient.invalidateQueries({ queryKey: MODERATION_KEY });
    void caseRequests(api).claim(id).then(refresh, refresh);
  }
  const onTick = useEffectEvent(renewIfDue);
  useEffect(() => {
    const timer = setInterval(() => onTick(), CHECK_ms);
    return () => clearInterval(timer);
  }, []);

  return () => {
    renewal.current = { ...renewal.current, inputAt_ms: getServerTime_ms() };
    renewIfDue();
  };
}
