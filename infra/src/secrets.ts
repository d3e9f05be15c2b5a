import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';

const key = z.string().regex(/^[0-9a-f]{64}$/u);
const secretsFile = z.object({
  /** Turns an e-mail address into an account id. Changing it loses every account. */
  accountIds: key,
  /** Wraps the data key of each account. Losing it makes all personal data unreadable. */
  dataKeys: key,
  /** Derives verification codes. */
  verificationCodes: key,
});
export type Secrets = z.output<typeof secretsFile>;

/** The secrets of this installation, made on the first run and kept in `secrets.json` (mode 0600) below `dataDir`. */
export async function loadSecrets(dataDir: string): Promise<Secrets> {
  const file = path.join(dataDir, 'secrets.json');
  await mkdir(dataDir, { recursive: true });
  try {
    return secretsFile.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw new Error(`${file} is damaged; restore it from a backup`, { cause: error });
  }
  const fresh: Secrets = { accountIds: newKey(), dataKeys: newKey(), verificationCodes: newKey() };
  await writeWhole(file, `${JSON.stringify(fresh, null, 2)}\n`);
  return fresh;
}

/** Writes a new file so that it is there whole or not at all, whenever the process or the machine dies. */
async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.draft`;
  await rm(draft, { force: true });
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, file);
  const folder = await open(path.dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function newKey(): string {
  return randomBytes(32).toString('hex');
}
