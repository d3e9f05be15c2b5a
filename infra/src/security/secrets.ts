import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';

/** The schema of a secret, which consists of 32 bytes as 64 hex digits. */
export const secretSchema = z.string().regex(/^[0-9a-f]{64}$/u, 'must be 64 hex digits');

/** The maximum number of secrets in a list. A rotation needs two, and a corrected rotation needs three. */
const MAX_SECRETS = 5;
/**
 * The schema of a list of secrets, separated by commas. The first secret is the current one, and the others are only
 * used to read data.
 */
export const secretListSchema = z
  .string()
  .transform((list) => list.replaceAll(/\s/gu, ''))
  .refine(
    (list) => list.split(',').length <= MAX_SECRETS && /^[0-9a-f]{64}(?:,[0-9a-f]{64})*$/u.test(list),
    `must be 64 hex digits, or up to ${MAX_SECRETS} such secrets that are separated by commas`,
  );
const secretsFile = z.object({
  /**
   * The secrets that encrypt the key of account ids, and sign tokens such as those in links of mails, separated by
   * commas. The first one encrypts and signs. If these secrets are lost, no account can be found any more.
   */
  accountIds: secretListSchema,
  /**
   * The secrets that encrypt the data keys of all accounts, separated by commas. The first one encrypts new data keys.
   * If these secrets are lost, all personal data is unreadable.
   */
  dataKeys: secretListSchema,
  /** The secret from which verification codes are derived. */
  verificationCodes: secretSchema,
});
export type Secrets = z.output<typeof secretsFile>;

const fileIn = (dataDir: string) => path.join(dataDir, 'secrets.json');

/**
 * Returns the secrets of this installation. The first start creates the secrets, and stores them in the file
 * `secrets.json` (mode 0600) in `dataDir`. If several processes start at the same time, they get the same secrets.
 */
export async function loadSecrets(dataDir: string): Promise<Secrets> {
  const stored = await findSecrets(dataDir);
  if (stored) return stored;
  const fresh: Secrets = { accountIds: newKey(), dataKeys: newKey(), verificationCodes: newKey() };
  const isFirst = await storeSecrets(dataDir, fresh);
  const secrets = isFirst ? fresh : await findSecrets(dataDir);
  if (!secrets) throw new Error(`${fileIn(dataDir)} was removed while it was being created`);
  return secrets;
}

/**
 * Returns the secrets that are stored in `dataDir`, or null if the file does not exist. Throws if the file is damaged.
 */
export async function findSecrets(dataDir: string): Promise<Secrets | null> {
  const file = fileIn(dataDir);
  try {
    return secretsFile.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`${file} is damaged; restore it from a backup`, { cause: error });
  }
}

/** Stores secrets in `dataDir`. Returns false and changes nothing if secrets are already stored. */
export async function storeSecrets(dataDir: string, secrets: Secrets): Promise<boolean> {
  await mkdir(dataDir, { recursive: true });
  return writeOnce(fileIn(dataDir), `${JSON.stringify(secrets, null, 2)}\n`);
}

/**
 * Writes a file atomically and flushes it to the disk (fsync). After a crash, the file is either complete or missing.
 * Returns false if the file already exists.
 */
async function writeOnce(file: string, text: string): Promise<boolean> {
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // The complete file gets its name by a hard link, because a link, unlike a rename, never replaces an existing file.
    await link(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const folder = await open(path.dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
  return true;
}

function newKey(): string {
  return randomBytes(32).toString('hex');
}
