import path from 'node:path';

/** The checkout, or the folder an image is put together in: sources and bundle (infra/dist) alike lie two folders below it. */
export const ROOT_DIR = path.resolve(import.meta.dirname, '../..');
