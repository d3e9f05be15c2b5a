import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { ReadableStream } from 'node:stream/web';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { ToolError } from '../tool.ts';

const IDENTITY = /^AGE-SECRET-KEY-1[0-9A-Z]+$/mu;

/** The key of backups. It encrypts files in the age format, and authenticates the manifest of a backup. */
export interface BackupKey {
  /** The path of the file that contains the key. */
  readonly file: string;
  encrypt(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Yields only authenticated bytes. Throws an error if the input was changed or truncated, or has another key. */
  decrypt(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /**
   * Returns an HMAC-SHA256 of `bytes` in hexadecimal digits. Age alone shows that a file is complete, but anyone who
   * knows the public part of the key can create another file. Only an owner of the whole key can create this code.
   */
  authenticate(bytes: Uint8Array): string;
  isAuthentic(bytes: Uint8Array, code: string): boolean;
}

/** Returns the path of the key file: BACKUP_KEY_FILE, or a file in the home folder, outside of DATA_DIR and backups. */
export function backupKeyPath(env: NodeJS.ProcessEnv): string {
  const named = env['BACKUP_KEY_FILE'];
  if (named) return path.resolve(env['INIT_CWD'] ?? process.cwd(), named);
  return path.join(env['XDG_CONFIG_HOME'] || path.join(homedir(), '.config'), 'alpenglow', 'backup-key.txt');
}

/** Reads a key file. Returns null if the file does not exist. Throws `ToolError` if it contains no key. */
export async function readBackupKey(file: string): Promise<BackupKey | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const [identity] = IDENTITY.exec(text) ?? [];
  const recipient = identity && (await identityToRecipient(identity).catch(() => null));
  if (!identity || !recipient)
    throw new ToolError(`${file} contains no backup key: a line that begins with AGE-SECRET-KEY-1 is missing.`);
  return createBackupKey(file, identity, recipient);
}

/** Creates a new key in a file that only its owner can read. Throws an error if the file already exists. */
export async function writeBackupKey(file: string): Promise<void> {
  const identity = await generateX25519Identity();
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(
      `# The key of the Alpenglow backups, created on ${new Date().toISOString()}.\n` +
        '# Without it, no backup can be restored.\n' +
        '# Copy this file to a safe place that is neither this machine nor the place of the backups.\n' +
        `# public key: ${await identityToRecipient(identity)}\n${identity}\n`,
    );
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function createBackupKey(file: string, identity: string, recipient: string): BackupKey {
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const authenticationKey = Buffer.from(hkdfSync('sha256', identity, '', 'alpenglow backup manifest', 32));
  const authenticate = (bytes: Uint8Array) => createHmac('sha256', authenticationKey).update(bytes).digest();
  return {
    file,
    async *encrypt(bytes) {
      yield* await encrypter.encrypt(toWebStream(bytes));
    },
    async *decrypt(bytes) {
      yield* await decrypter.decrypt(toWebStream(bytes));
    },
    authenticate: (bytes) => authenticate(bytes).toString('hex'),
    isAuthentic: (bytes, code) =>
      /^[0-9a-f]{64}$/u.test(code) && timingSafeEqual(Buffer.from(code, 'hex'), authenticate(bytes)),
  };
}

/** Age reads the streams of browsers, whose types differ from those of Node.js. */
function toWebStream(bytes: AsyncIterable<Uint8Array>) {
  return ReadableStream.from(bytes) as unknown as globalThis.ReadableStream<Uint8Array>;
}
