import { DomainError, formatWait } from '@alpenglow/domain';
import { hash, verify } from '@node-rs/argon2';
import { createSlots } from '../service/polling-and-slots.ts';

/** Parameters of argon2id. */
export interface PasswordCost {
  readonly memory_KiB: number;
  readonly passes: number;
}

/** The cost that OWASP's password storage guide recommends. */
const PASSWORD_COST: PasswordCost = { memory_KiB: 19_456, passes: 2 };

/** Returns the argon2id hash of a password in the PHC string format. The password is normalized (NFKC). */
export function hashPassword(password: string, cost = PASSWORD_COST): Promise<string> {
  return hash(password.normalize('NFKC'), { memoryCost: cost.memory_KiB, timeCost: cost.passes, parallelism: 1 });
}

/** The result of comparing a password with a hash. */
export interface PasswordCheck {
  readonly matches: boolean;
  /** True if the hash is of a password that was not normalized. */
  readonly isOutdated: boolean;
}

/** Older hashes are of passwords that were not normalized. Most passwords have only one form. */
const formsOf = (password: string): readonly string[] => [
  ...new Set([password.normalize('NFKC'), password, password.normalize('NFC'), password.normalize('NFD')]),
];

/** Hashes and verifies passwords for requests. Rejects with `RATE_LIMITED` if too many other requests are waiting. */
export type Passwords = ReturnType<typeof createPasswords>;

const MAX_PARALLEL = 2;
const MAX_WAITING = 64;
const WAIT_ms = 5_000;
const RETRY_s = 5;

/**
 * Limits how many passwords are hashed in parallel, because hashing occupies threads of Node.js that file and image
 * operations also need. Only tests choose a `cost`.
 */
export function createPasswords(cost = PASSWORD_COST) {
  const slots = createSlots({ max: MAX_PARALLEL, maxWaiting: MAX_WAITING, wait_ms: WAIT_ms });
  let decoy: Promise<string> | null = null;

  /**
   * Compares a password with a hash. Without a hash, a decoy hash is verified, which takes the same time. The response
   * time therefore does not show whether the mail address has an account. It shows only how many forms the entered
   * password has, because all forms are verified.
   */
  async function checkPassword(passwordHash: string | null, password: string): Promise<PasswordCheck> {
    decoy ??= hashPassword('nobody has this password', cost);
    const compared = passwordHash ?? (await decoy);
    const results: boolean[] = [];
    for (const form of formsOf(password)) results.push(await verify(compared, form));
    const matches = results.includes(true) && passwordHash !== null;
    return { matches, isOutdated: matches && results[0] !== true };
  }

  async function inSlot<T>(work: () => Promise<T>): Promise<T> {
    const slot = await slots.take();
    if (!slot) throw new DomainError('RATE_LIMITED', { left: formatWait(RETRY_s) }, RETRY_s);
    try {
      return await work();
    } finally {
      slot.release();
    }
  }
  return {
    hash: (password: string): Promise<string> => inSlot(() => hashPassword(password, cost)),
    check: (passwordHash: string | null, password: string): Promise<PasswordCheck> =>
      inSlot(() => checkPassword(passwordHash, password)),
    matches: async (passwordHash: string | null, password: string): Promise<boolean> =>
      (await inSlot(() => checkPassword(passwordHash, password))).matches,
  };
}
