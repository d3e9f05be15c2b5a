// @ts-check
/**
 * `npm run openapi`: writes openapi.yaml from the table of operations in domain/src/api. A test checks that the file
 * is up to date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from '../engines/bundle.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
const built = await bundle(path.join(root, 'query-api/src/docs/openapi-yaml.ts'));
try {
  const { createOpenApiYaml } = await import(pathToFileURL(built.path).href);
  await writeFile(path.join(root, 'openapi.yaml'), createOpenApiYaml(version));
} finally {
  await built.remove();
}
