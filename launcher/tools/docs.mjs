// @ts-check
/** `npm run docs`: writes the documents that are generated from the code. A test checks that they are up to date. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from '../engines/bundle.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const built = await bundle(path.join(root, 'launcher/docs/pages.ts'));
try {
  /** @type {typeof import('../docs/pages.ts')} */
  const { PAGES } = await import(pathToFileURL(built.path).href);
  for (const [file, create] of Object.entries(PAGES)) await writeFile(path.join(root, file), create(root));
} finally {
  await built.remove();
}
