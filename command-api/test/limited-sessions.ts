import type { Sessions } from '@alpenglow/infra';

/** Returns a session store with the given operations. All other operations fail. */
export function createLimitedSessions(operations: Partial<Sessions>): Sessions {
  const fail = () => Promise.reject(new Error('Unexpected call'));
  return {
    open: fail,
    find: fail,
    refresh: fail,
    updatePasswordVersion: fail,
    updateTwoStepVersion: fail,
    revoke: fail,
    revokeAll: fail,
    findIds: fail,
    revokeByIds: fail,
    revokeEarlier: fail,
    sweep: fail,
    touch: fail,
    recordWrite: fail,
    confirm: fail,
    list: fail,
    revokeById: fail,
    revokeOthers: fail,
    findByIds: fail,
    issueLiveTicket: fail,
    redeemLiveTicket: fail,
    ...operations,
  };
}
