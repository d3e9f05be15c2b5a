import type { RegisteredAccount } from '../account/state.ts';
import type { Aggregate } from '../aggregate.ts';
import { identityEvents, type IdentityEvent } from './events.ts';

type IdentityStatus = 'open' | 'accepted' | 'refused';

/** The last request of an account for verification of the owner's identity. */
export interface IdentityCheck {
  readonly checkId: string;
  readonly status: IdentityStatus;
  /** Number of uploaded pictures. */
  readonly files: number;
  /** The time of the request, in ISO 8601. */
  readonly requestedAt: string;
  readonly decidedAt: string | null;
  /** The reason that the admin gave for the decision. Null before the decision. */
  readonly reason: string | null;
  /** True if the pictures are destroyed. */
  readonly isDestroyed: boolean;
}

/** State of the identity verification of an account. Null before the first request. */
export type IdentityState = IdentityCheck | null;

function evolve(state: IdentityState, event: IdentityEvent, at: string): IdentityState {
  switch (event.type) {
    case 'IdentityCheckRequested': {
      const { checkId, files } = event.data;
      return { checkId, files, status: 'open', requestedAt: at, decidedAt: null, reason: null, isDestroyed: false };
    }
    case 'IdentityCheckDecided': {
      const { isAccepted, reason } = event.data;
      return state && { ...state, status: isAccepted ? 'accepted' : 'refused', decidedAt: at, reason };
    }
    case 'IdentityEvidenceDestroyed':
      return state && { ...state, isDestroyed: true };
  }
}

/** The aggregate of the identity verification requests of one account. Its event stream is `identity-{accountId}`. */
export const identity: Aggregate<IdentityState, IdentityEvent> = {
  name: 'identity',
  initial: null,
  evolve,
  eventDefinitions: identityEvents,
};

/**
 * Checks whether the current owner of the account made the verification request. After an account is closed, another
 * person may sign up with its e-mail address and get the same account id.
 */
export function isRequestOfOwner(
  { requestedAt }: Pick<IdentityCheck, 'requestedAt'>,
  { registeredAt }: Pick<RegisteredAccount, 'registeredAt'>,
): boolean {
  return registeredAt <= requestedAt;
}

/** Returns the common prefix of the keys of the pictures of a verification request in the blob store. */
export const identityBlobPrefix = (checkId: string) => `identity/${checkId}/`;
export const identityBlobKey = (checkId: string, number: number) => `${identityBlobPrefix(checkId)}${number}`;
