import path from 'node:path';

/**
 * The root folder of the repository or of a container image. This source file and the bundles (`launcher/dist`) are
 * both two folders below it.
 */
export const ROOT_DIR = path.resolve(import.meta.dirname, '../..');
