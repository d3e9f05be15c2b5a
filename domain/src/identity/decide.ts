import type { RegisteredAccount } from '../account/state.ts';
import { DomainError } from '../errors.ts';
import type { IdentityEvent } from './events.ts';
import { isRequestOf, type IdentityState } from './state.ts';

export interface RequestIdentityCheck {
  readonly checkId: string;
  /** How many pictures were handed in. */
  readonly files: number;
}

export interface DecideIdentityCheck {
  readonly accountId: string;
  readonly isAccepted: boolean;
  readonly reason: string;
}

type Provider = Pick<
  RegisteredAccount,
  'accountId' | 'userType' | 'emailVerified' | 'verifiedByAdmin' | 'registeredAt'
>;

/** Refuses with ONLY_PROVIDERS_VERIFY, VERIFICATION_REQUIRED, IDENTITY_VERIFIED, IDENTITY_CHECK_OPEN where another request is under way. */
export function requireIdentityRequest(
  { userType, emailVerified, verifiedByAdmin, registeredAt }: Provider,
  state: IdentityState,
): void {
  if (userType !== 'provider') throw new DomainError('ONLY_PROVIDERS_VERIFY');
  if (!emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
  if (verifiedByAdmin) throw new DomainError('IDENTITY_VERIFIED');
  if (state?.status === 'open' && isRequestOf(state, { registeredAt })) throw new DomainError('IDENTITY_CHECK_OPEN');
}

/** Asks to be verified. Refuses as `requireIdentityRequest`. */
export function requestIdentityCheck(
  { checkId, files }: RequestIdentityCheck,
  provider: Provider,
  state: IdentityState,
): readonly IdentityEvent[] {
  requireIdentityRequest(provider, state);
  return [{ type: 'IdentityCheckRequested', data: { accountId: provider.accountId, checkId, files } }];
}

/**
 * Decides what is open, of whoever has the account now. The same decision again changes nothing, so that a call that broke off can be made again. Refuses with
 * IDENTITY_CHECK_NOT_FOUND.
 */
export function decideIdentityCheck(
  { accountId, isAccepted, reason }: DecideIdentityCheck,
  owner: Pick<RegisteredAccount, 'registeredAt'> | null,
  state: IdentityState,
): readonly IdentityEvent[] {
  if (!owner || !state || !isRequestOf(state, owner)) throw new DomainError('IDENTITY_CHECK_NOT_FOUND');
  if (state.status === (isAccepted ? 'accepted' : 'refused')) return [];
  if (state.status !== 'open') throw new DomainError('IDENTITY_CHECK_NOT_FOUND');
  return [{ type: 'IdentityCheckDecided', data: { accountId, checkId: state.checkId, isAccepted, reason } }];
}

/** The pictures of the last request are gone. Twice changes nothing. */
export function destroyIdentityEvidence(accountId: string, state: IdentityState): readonly IdentityEvent[] {
  return state && !state.isDestroyed
    ? [{ type: 'IdentityEvidenceDestroyed', data: { accountId, checkId: state.checkId } }]
    : [];
}
