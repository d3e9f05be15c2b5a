import type { Decider } from '../aggregate.ts';
import { DomainError } from '../error-catalogue.ts';
import type {
  DecideIdentityCheck,
  DestroyIdentityEvidence,
  VerificationRequester,
  RequestIdentityCheck,
} from './commands.ts';
import type { IdentityEvent } from './events.ts';
import { isRequestOfOwner, type IdentityState } from './state.ts';

/**
 * Checks whether a provider may request verification of their identity. Throws ONLY_PROVIDERS_VERIFY,
 * VERIFICATION_REQUIRED, IDENTITY_VERIFIED, and IDENTITY_CHECK_OPEN if another request is open.
 */
export function requireCanRequestIdentityCheck(
  { userType, emailVerified, verifiedByAdmin, registeredAt }: VerificationRequester,
  state: IdentityState,
): void {
  if (userType !== 'provider') throw new DomainError('ONLY_PROVIDERS_VERIFY');
  if (!emailVerified) throw new DomainError('VERIFICATION_REQUIRED');
  if (verifiedByAdmin) throw new DomainError('IDENTITY_VERIFIED');
  if (state?.status === 'open' && isRequestOfOwner(state, { registeredAt }))
    throw new DomainError('IDENTITY_CHECK_OPEN');
}

/**
 * Records the request of a provider for verification of their identity with uploaded pictures. Throws the errors of
 * `requireCanRequestIdentityCheck`.
 */
export const requestIdentityCheck: Decider<RequestIdentityCheck, IdentityState, IdentityEvent> = (
  { checkId, files, hashes, provider },
  state,
) => {
  requireCanRequestIdentityCheck(provider, state);
  const data = { accountId: provider.accountId, checkId, files, ...(hashes && { hashes: [...hashes] }) };
  return [{ type: 'IdentityCheckRequested', data }];
};

/**
 * Accepts or rejects the open verification request of the current owner of the account. Repeating the same decision
 * changes nothing, so that an interrupted operation can be retried. Throws IDENTITY_CHECK_NOT_FOUND if the current
 * owner has no open request.
 */
export const decideIdentityCheck: Decider<DecideIdentityCheck, IdentityState, IdentityEvent> = (
  { accountId, isAccepted, reason, owner },
  state,
) => {
  if (!owner || !state || !isRequestOfOwner(state, owner)) throw new DomainError('IDENTITY_CHECK_NOT_FOUND');
  if (state.status === (isAccepted ? 'accepted' : 'refused')) return [];
  if (state.status !== 'open') throw new DomainError('IDENTITY_CHECK_NOT_FOUND');
  return [{ type: 'IdentityCheckDecided', data: { accountId, checkId: state.checkId, isAccepted, reason } }];
};

/** Records that the pictures of the last verification request were destroyed. Idempotent. */
export const destroyIdentityEvidence: Decider<DestroyIdentityEvidence, IdentityState, IdentityEvent> = (
  { accountId },
  state,
) => {
  return state && !state.isDestroyed
    ? [{ type: 'IdentityEvidenceDestroyed', data: { accountId, checkId: state.checkId } }]
    : [];
};
