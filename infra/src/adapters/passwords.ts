import { DomainError } from '@alpenglow/domain';
import { hash, verify } from '@node-rs/argon2';
import { createSlots } from '../service/polling-and-slots.ts';

/** Parameters of argon2id. */
export interface PasswordCost {
  readonly memory_KiB: number;
  readonly passes: number;
}

/** The cost that OWASP's password storage guide recommends. */
const PASSWORD_COST: PasswordCost = { memory_KiB: 19_456, passes: 2 };

/** Returns the argon2id hash of a password in the PHC string format. */
export function hashPassword(password: string, cost = PASSWORD_COST): Promise<string> {
  return hash(password, { memoryCost: cost.memory_KiB, timeCost: cost.passes, parallelism: 1 });
}

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
   * Returns true if `passwordHash` is the hash of `password`. Without a hash, a decoy hash is verified, which takes the
   * same time. The response time therefore does not show whether the mail address has an account.
   */
  async function passwordMatches(passwordHash: string | null, password: string): Promise<boolean> {
    decoy ??= hashPassword('nobody has this password', cost);
    const matches = await verify(passwordHash ?? (await decoy), password);
    return matches && passwordHash !== null;
  }

  async function inSlot<T>(work: () => Promise<T>): Promise<T> {
    const slot = await slots.take();
    if (!slot) throw new DomainError('RATE_LIMITED', { seconds: RETRY_s }, RETRY_s);
    try {
      return await work();
    } finally {
      slot.release();
    }
  }
  return {
    hash: (password: string): Promise<string> => inSlot(() => hashPassword(password, cost)),
    matches: (passwordHash: string | null, password: string): Promise<boolean> =>
      inSlot(() => passwordMatches(passwordHash, password)),
  };
}
