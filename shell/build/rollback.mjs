// @ts-check
/** Makes the previous deployment of a remote live again with `node shell/build/rollback.mjs <name>`. */
import { CONTRACT_VERSION, MF_DIR, REMOTE_NAMES, isRemoteName } from './packages.mjs';
import { rollback } from './registry.mjs';

const [name] = process.argv.slice(2);
if (!isRemoteName(name)) {
  console.error(`Name a remote: ${REMOTE_NAMES.join(', ')}`);
  process.exit(2);
}
try {
  const { entry, before } = await rollback({ mfDir: MF_DIR, name, shellContract: CONTRACT_VERSION });
  console.log(`${name.padEnd(13)} ${entry.hash} is live (before: ${before})`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
