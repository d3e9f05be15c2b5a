import { createHmac } from 'node:crypto';
import { decrypt, encrypt } from './cipher.ts';

/**
 * The fixed input of the HMAC with which the fingerprint of a secret is computed. The input is used for nothing else.
 */
const FINGERPRINT_INPUT = 'alpenglow: fingerprint of a secret';
const ID_characters = 16;

/** Returns the fingerprint of a secret (64 hex digits). The secret cannot be computed from it. */
export function fingerprintOf(secret: string): string {
  return createHmac('sha256', Buffer.from(secret, 'hex')).update(FINGERPRINT_INPUT).digest('hex');
}

/** Returns the secrets in a list that is separated by commas, such as SECRET_DATA_KEYS. The first one is current. */
export function splitSecrets(list: string): readonly string[] {
  return list.split(',').map((secret) => secret.trim());
}

/** Returns the first secret in a list that is separated by commas. It is the current one. */
export function firstSecretOf(list: string): string {
  return splitSecrets(list)[0] ?? '';
}

/** Returns the ids of secrets, in the same order. An id is the beginning of a fingerprint. */
export function secretIdsOf(secrets: string): readonly string[] {
  return splitSecrets(secrets).map(idOf);
}

const idOf = (secret: string) => fingerprintOf(secret).slice(0, ID_characters);

/** Returns a key for one purpose from each secret in a list, in the same order. There is at least one key. */
export function deriveKeys(secrets: string, purpose: string): readonly [Buffer, ...Buffer[]] {
  // Earlier releases derived account ids from the same secret. No e-mail address contains a null character, so these
  // keys differ from all account ids.
  const derive = (secret: string) => createHmac('sha256', Buffer.from(secret, 'hex')).update(`${purpose}\0`).digest();
  const [first = '', ...others] = splitSecrets(secrets);
  return [derive(first), ...others.map(derive)];
}

/** A key of an account that is encrypted ("wrapped") with a secret of the installation. */
export interface WrappedKey {
  readonly wrapped: Buffer;
  /** The id of the secret. Null if an earlier release has stored the key. */
  readonly secretId: string | null;
}

export type KeyWrapping = ReturnType<typeof createKeyWrapping>;

/**
 * Wraps and unwraps the keys of accounts. `secrets` is a list of secrets (64 hex digits each), separated by commas.
 * The first secret wraps keys. All of them unwrap keys (decision 0063).
 */
export function createKeyWrapping(secrets: string) {
  const all = splitSecrets(secrets).map((secret) => ({ id: idOf(secret), key: Buffer.from(secret, 'hex') }));
  const [current] = all;
  if (!current) throw new Error('There is no secret for data keys');

  /** Tries all secrets. Returns null if the key is wrapped with none of them. */
  function tryUnwrap(keyId: string, wrapped: Buffer): Buffer | null {
    for (const { key } of all) {
      try {
        return decrypt(key, keyId, wrapped);
      } catch {
        // The key is wrapped with another secret.
      }
    }
    return null;
  }

  /**
   * Returns the key, or null if the wrapped key is damaged. Throws an error with the id of the secret if this process
   * does not have the secret.
   */
  function unwrapUnlessDamaged(keyId: string, { wrapped, secretId }: WrappedKey): Buffer | null {
    if (secretId !== null && !all.some(({ id }) => id === secretId))
      throw new Error(`The secret with the id ${secretId}, which encrypts stored keys, is not in SECRET_*`);
    return tryUnwrap(keyId, wrapped);
  }

  return {
    currentId: current.id,
    wrap: (keyId: string, key: Buffer): Buffer => encrypt(current.key, keyId, key),
    /** Returns true if one of the secrets unwraps a key that has no id of a secret. */
    canUnwrap: (keyId: string, wrapped: Buffer): boolean => tryUnwrap(keyId, wrapped) !== null,
    unwrapUnlessDamaged,
    /** Returns the key. Throws if the key is damaged, or if this process does not have its secret. */
    unwrap(keyId: string, wrappedKey: WrappedKey): Buffer {
      const key = unwrapUnlessDamaged(keyId, wrappedKey);
      if (!key) throw new Error(`No secret in SECRET_* decrypts the key ${keyId}`);
      return key;
    },
  };
}
