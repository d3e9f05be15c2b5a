import { DomainError, PASSWORD_MESSAGES, PRODUCT_NAME } from '@alpenglow/domain';

/** The person who chooses a password. The name is unknown while a password is reset. */
export interface PasswordOwner {
  readonly email: string;
  readonly displayName?: string | undefined;
}

/** A password of this length is long enough without a good estimate of its strength. */
const LONG_PASSWORD_characters = 12;
/** A shorter password must need this number of guesses, as many as 8 random characters. */
const MIN_GUESSES_SHORT = 1e8;
/**
 * A long password must need this number of guesses, so that repeated words, and a common word with digits at its end,
 * are rejected. Two words that are not among the most common ones need more.
 */
const MIN_GUESSES_LONG = 1e7;
/** Words that the lists do not contain: the product name, and the best-known example of a long password. */
const KNOWN_WORDS = [PRODUCT_NAME.toLowerCase(), 'correcthorsebatterystaple'];
/** The estimate reads only the first characters, because its duration grows with the square of the length. */
const ESTIMATED_characters = 32;
/** The number of characters that a password must have besides the address and the name of its owner. */
const MIN_OTHER_characters = 6;
/** A shorter name or address occurs in other words, so it is not searched in the password. */
const MIN_PERSONAL_characters = 3;

/**
 * Checks a new password: at least 12 characters, or at least 8 with a good estimate of its strength. It must
 * not be in the list of breached passwords, and must not consist of the address or the name of its owner. Throws
 * INVALID_FIELDS with the reason at the form field `field`.
 */
export async function requireStrongPassword(password: string, owner: PasswordOwner, field: string): Promise<void> {
  const { breached, estimator } = await loadLists();
  const guesses = () => estimator.check(password.slice(0, ESTIMATED_characters)).guesses;
  if (isPersonal(password, owner)) throw passwordError('personal', field);
  if (breached.has(password.toLowerCase()) || breached.has(withoutSeparators(password)))
    throw passwordError('breached', field);
  if (password.length < LONG_PASSWORD_characters) {
    if (guesses() < MIN_GUESSES_SHORT) throw passwordError('short', field);
  } else if (guesses() < MIN_GUESSES_LONG) throw passwordError('guessable', field);
}

/**
 * Checks that a new password does not consist of the name of its owner. A reset of the password calls it after
 * its code was accepted, because the response would otherwise show whose address it is. Throws INVALID_FIELDS.
 */
export function requireImpersonalPassword(password: string, owner: PasswordOwner, field: string): void {
  if (isPersonal(password, owner)) throw passwordError('personal', field);
}

function passwordError(reason: keyof typeof PASSWORD_MESSAGES, field: string): DomainError {
  const message = PASSWORD_MESSAGES[reason];
  return new DomainError('INVALID_FIELDS', { reason: message }, null, { [field]: message });
}

/** Checks whether hardly any characters remain after the address and the name of the owner are removed. */
function isPersonal(password: string, { email, displayName = '' }: PasswordOwner): boolean {
  const text = withoutSeparators(password);
  const remaining = [email, email.split('@', 1)[0] ?? '', displayName]
    .map(withoutSeparators)
    .filter(({ length }) => length >= MIN_PERSONAL_characters)
    .reduce((rest, personal) => rest.replaceAll(personal, ''), text);
  return remaining.length < text.length && remaining.length < MIN_OTHER_characters;
}

function withoutSeparators(text: string): string {
  return text.toLowerCase().replaceAll(/[\s._-]/gu, '');
}

let lists: ReturnType<typeof readLists> | null = null;

/** Returns the list of breached passwords and the estimator. They are loaded when they are used for the first time. */
function loadLists(): ReturnType<typeof readLists> {
  lists ??= readLists();
  return lists;
}

async function readLists() {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return {
    breached: new Set<string>([...dictionary['passwords-common'], ...KNOWN_WORDS]),
    estimator: new ZxcvbnFactory({ dictionary: { ...dictionary, known: KNOWN_WORDS }, graphs: adjacencyGraphs }),
  };
}
