import { hash, verify } from '@node-rs/argon2';

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
