import type { RegisteredAccount } from '../account/state.ts';
import type { Aggregate } from '../aggregate.ts';
import { identityEvents, type IdentityEvent } from './events.ts';

export type IdentityStatus = 'open' | 'accepted' | 'refused';

/** The last request of an account to be verified. */
export interface IdentityCheck {
  readonly checkId: string;
  readonly status: IdentityStatus;
  /** How many pictures were handed in. */
  readonly files: number;
  /** ISO 8601. */
  readonly requestedAt: string;
  readonly decidedAt: string | null;
  /** An admin's words; null until decided. */
  readonly reason: string | null;
  /** The pictures are gone. */
  readonly isDestroyed: boolean;
}

/** Null before the first request. */
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

/** Requests of one account to be verified: stream `identity-{accountId}`. */
export const identity: Aggregate<IdentityState, IdentityEvent> = {
  name: 'identity',
  initial: null,
  evolve,
  definitions: identityEvents,
};

/** Whether a request is of whoever has the account now: its address may have signed up anew since, as somebody else. */
export function isRequestOf(
  { requestedAt }: Pick<IdentityCheck, 'requestedAt'>,
  { registeredAt }: Pick<RegisteredAccount, 'registeredAt'>,
): boolean {
  return registeredAt <= requestedAt;
}

/** Where the pictures of a request lie; with a number, one of them. */
export const identityBlobs = (checkId: string) => `identity/${checkId}/`;
export const identityBlob = (checkId: string, number: number) => `${identityBlobs(checkId)}${number}`;
