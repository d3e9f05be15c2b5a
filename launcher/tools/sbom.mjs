// @ts-check
/**
 * `npm run sbom [-- <file>]`: writes the software bill of materials, a list of all packages in `package-lock.json`, in
 * the format CycloneDX. Packages that are used only for development are marked. It needs no installed packages. The
 * default file is `sbom.cdx.json`, which git ignores.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const file = path.resolve(process.argv[2] ?? path.join(root, 'sbom.cdx.json'));
const MAX_bytes = 64 * 1024 * 1024;
const output = execFileSync(
  'npm',
  ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'],
  { cwd: root, encoding: 'utf8', maxBuffer: MAX_bytes, stdio: ['ignore', 'pipe', 'ignore'] },
);
const document = JSON.parse(output);
// npm uses the name of the folder.
document.metadata.component.name = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).name;
writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
process.stdout.write(`${file}: ${document.components.length} packages\n`);
