import type { Dependencies } from '../../dependencies.ts';

/** Dependencies of the account and session operations. */
export type AuthDependencies = Dependencies<
  | 'commands'
  | 'sessions'
  | 'authentication'
  | 'dataKeys'
  | 'passwords'
  | 'hashKey'
  | 'createAccountId'
  | 'createStandInId'
  | 'browsers'
  | 'createVerificationCode'
  | 'adminEmail'
  | 'staffTwoStep'
  | 'exposeCodes'
  | 'log'
>;
