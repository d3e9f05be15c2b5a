import { ConfigurationError } from '../service/config.ts';
import type { Secrets } from './secrets.ts';

/** The environment variables of the secrets. */
const SECRET_VARIABLES = {
  accountIds: 'SECRET_ACCOUNT_IDS',
  dataKeys: 'SECRET_DATA_KEYS',
  verificationCodes: 'SECRET_VERIFICATION_CODES',
} as const satisfies Readonly<Record<keyof Secrets, string>>;

export const ALL_SECRETS = [
  'accountIds',
  'dataKeys',
  'verificationCodes',
] as const satisfies readonly (keyof Secrets)[];

/**
 * Returns the secrets with these names from the environment variables of a process, which has only the secrets that it
 * uses. Returns null if no variable is set, because the secrets are then in `secrets.json`. Throws `ConfigurationError`
 * if only some of the needed variables are set.
 */
export function selectSecrets<Name extends keyof Secrets>(
  available: Partial<Secrets> | null,
  names: readonly Name[],
): Pick<Secrets, Name> | null {
  if (available === null) return null;
  const missing = names.filter((name) => available[name] === undefined);
  if (missing.length > 0)
    throw new ConfigurationError(
      missing.map((name) => `${SECRET_VARIABLES[name]}: is needed next to the other SECRET_*`).join('\n'),
    );
  // The cast is safe, because no value is missing.
  return Object.fromEntries(names.map((name) => [name, available[name]])) as Pick<Secrets, Name>;
}
