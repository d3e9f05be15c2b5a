import { DomainError } from '@alpenglow/domain';
import { hash, verify } from '@node-rs/argon2';
import { createSlots } from '../waiting.ts';

/** argon2id, 19 MiB, 2 passes, 1 lane: the first choice of the OWASP password storage guide. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** The PHC text of a password's argon2id hash. */
export function hashPassword(password: string): Promise<string> {
  return hash(password, OPTIONS);
}

let decoy: Promise<string> | null = null;

/** True when the password is the one hashed. Without a hash the same work is done for nothing, so that timing tells no one which addresses exist. */
export async function passwordMatches(passwordHash: string | null, password: string): Promise<boolean> {
  decoy ??= hashPassword('nobody has this password');
  const matches = await verify(passwordHash ?? (await decoy), password);
  return matches && passwordHash !== null;
}

/** Password work on behalf of requests. Both refuse with RATE_LIMITED when too many want it at once. */
export interface Passwords {
  /** As `hashPassword`. */
  hash(password: string): Promise<string>;
  /** As `passwordMatches`. */
  matches(passwordHash: string | null, password: string): Promise<boolean>;
}

const AT_ONCE = 2;
const MAX_WAITING = 64;
const WAIT_ms = 5_000;
const RETRY_s = 5;

/** Password work takes a thread each; more than a few at once would keep files and pictures waiting. */
export function createPasswords(): Passwords {
  const slots = createSlots({ max: AT_ONCE, maxWaiting: MAX_WAITING, wait_ms: WAIT_ms });
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
    hash: (password) => inSlot(() => hashPassword(password)),
    matches: (passwordHash, password) => inSlot(() => passwordMatches(passwordHash, password)),
  };
}
