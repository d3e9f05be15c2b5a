import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  evidenceBlobKey,
  LARGEST_VARIANT,
  MEDIA_ID,
  photoBlobKeys,
  preservedBlobKey,
  videoBlobKeys,
} from '@alpenglow/domain';
import { createDataKeys, createResourceStack, createSealedBlobs, readConfig } from '@alpenglow/infra';
import { findInstallationSecrets, requireSecrets } from './backup/secrets.ts';
import { openInstallation } from './installation.ts';
import { EXIT_WRONG_USAGE, printMessage, readOptions, ToolError, type ToolOptions } from './tool.ts';

const USAGE =
  'Usage: npm run evidence -- --media <media id> --to <file>     decrypts a preserved picture or a sealed file';

/**
 * `npm run evidence`: decrypts a picture that is preserved for the authorities (decision 0047), or a photo or video
 * that is sealed as evidence (decision 0053), and writes it to a new file. The product may be running. Returns the exit
 * code. Throws `ToolError` if the picture or its key does not exist, and before anything is created if the secrets are
 * not on this machine.
 */
export async function main(args: readonly string[], options: ToolOptions): Promise<number> {
  const values = readOptions(args, { media: { type: 'string' }, to: { type: 'string' } }, USAGE);
  const { media, to } = values ?? {};
  if (values === null) return EXIT_WRONG_USAGE;
  if (media === undefined || to === undefined || !MEDIA_ID.test(media)) {
    printMessage(USAGE);
    return EXIT_WRONG_USAGE;
  }
  const closing = createResourceStack();
  try {
    const config = readConfig(options.env);
    await requireSecrets(config, path.resolve(options.rootDir, config.dataDir));
    const installation = await openInstallation(options, closing);
    const { blobs, pool } = installation;
    const secrets = await findInstallationSecrets(installation, true);
    const dataKeys = createDataKeys(pool, secrets.dataKeys);
    const sealed = createSealedBlobs({ blobs, dataKeys });
    let bytes: Buffer | null = null;
    for (const key of evidenceKeys(media)) bytes ??= await sealed.get(key);
    if (bytes === null) throw new ToolError(`No picture is preserved under the id ${media}.`);
    // npm runs in the folder of the product, and stores the folder of the caller in INIT_CWD.
    const file = path.resolve(options.env['INIT_CWD'] ?? process.cwd(), to);
    // An existing file is not overwritten, and other users of this computer cannot read the new one.
    await writeFile(file, bytes, { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
      throw new ToolError(error.code === 'EEXIST' ? `${file} already exists.` : error.message);
    });
    printMessage(`Written: ${file}`);
    return 0;
  } finally {
    await closing.closeAll();
  }
}

/** Returns the blob keys under which the evidence of a photo or video may be stored. */
const evidenceKeys = (mediaId: string) => [
  preservedBlobKey(mediaId),
  evidenceBlobKey(photoBlobKeys.variant(mediaId, LARGEST_VARIANT)),
  evidenceBlobKey(videoBlobKeys.playable(mediaId)),
];
