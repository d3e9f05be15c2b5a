import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';

/** A secret: 32 bytes as 64 hex digits. */
export const secretKey = z.string().regex(/^[0-9a-f]{64}$/u, 'must be 64 hex digits');
const secretsFile = z.object({
  /** Turns an e-mail address into an account id, and vouches for links that end mails. Changing it loses every account. */
  accountIds: secretKey,
  /** Wraps the data key of each account. Losing it makes all personal data unreadable. */
  dataKeys: secretKey,
  /** Derives verification codes. */
  verificationCodes: secretKey,
});
export type Secrets = z.output<typeof secretsFile>;

const fileIn = (dataDir: string) => path.join(dataDir, 'secrets.json');

/** The secrets of this installation, made on the first run and kept in `secrets.json` (mode 0600) below `dataDir`. Several processes may start at once. */
export async function loadSecrets(dataDir: string): Promise<Secrets> {
  const kept = await findSecrets(dataDir);
  if (kept) return kept;
  const fresh: Secrets = { accountIds: newKey(), dataKeys: newKey(), verificationCodes: newKey() };
  const isOurs = await keepSecrets(dataDir, fresh);
  const secrets = isOurs ? fresh : await findSecrets(dataDir);
  if (!secrets) throw new Error(`${fileIn(dataDir)} was removed while it was being made`);
  return secrets;
}

/** The secrets kept below `dataDir`, or null when there are none. Throws when the file is damaged. */
export async function findSecrets(dataDir: string): Promise<Secrets | null> {
  const file = fileIn(dataDir);
  try {
    return secretsFile.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Error(`${file} is damaged; restore it from a backup`, { cause: error });
  }
}

/** Keeps secrets below `dataDir`, for good. False, and nothing changes, when there are some already. */
export async function keepSecrets(dataDir: string, secrets: Secrets): Promise<boolean> {
  await mkdir(dataDir, { recursive: true });
  return writeOnce(fileIn(dataDir), `${JSON.stringify(secrets, null, 2)}\n`);
}

/** Writes a file that is there whole or not at all, whenever the process or the machine dies. False when another process was first. */
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
    // A link, unlike a rename, never replaces what is there.
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
