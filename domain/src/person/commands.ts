import type { ErasureStep } from './steps.ts';

export interface RequestErasure {
  readonly accountId: string;
  /** A random id with which the receipt of the erasure can be read without a sign-in. */
  readonly receiptId: string;
  readonly by: 'self' | 'admin';
  /** The reason that an admin gave. Null if the person requested the erasure. */
  readonly reason: string | null;
}

export interface FinishErasureStep {
  readonly accountId: string;
  readonly step: ErasureStep;
}

export interface SetLegalHold {
  readonly accountId: string;
  readonly reason: string;
}

export interface LiftLegalHold {
  readonly accountId: string;
  readonly reason: string;
}
