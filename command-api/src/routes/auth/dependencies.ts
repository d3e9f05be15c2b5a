import type { VerificationCodeOf } from '@alpenglow/domain';
import type { Authentication, CommandHandler, Logger, Passwords, Sessions } from '@alpenglow/infra';

/** What the calls about accounts and sessions work with. */
export interface AuthDependencies {
  readonly commands: CommandHandler;
  readonly sessions: Sessions;
  readonly authentication: Authentication;
  readonly passwords: Passwords;
  readonly accountIdOf: (email: string) => string;
  readonly standInIdOf: (email: string, password: string) => string;
  readonly codeOf: VerificationCodeOf;
  readonly adminEmail: string | null;
  /** Whether what a role allows waits for two-step sign-in. */
  readonly staffTwoStep: boolean;
  /** Whether answers carry verification codes (product decisions, "Verification codes and e-mail"). */
  readonly exposeCodes: boolean;
  readonly log: Logger;
}
