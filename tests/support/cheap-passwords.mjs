// @ts-check
/**
 * Preloaded into processes of the product (`NODE_OPTIONS=--import`). In the command API, gives new password hashes the
 * lowest cost of argon2, so that sign-ups need little processor time. The product itself has no setting for this.
 */
import { createRequire } from 'node:module';
import path from 'node:path';

const LOWEST_COST = { memoryCost: 8, timeCost: 1 };

if (path.basename(process.argv[1] ?? '') === 'command-api.mjs') {
  // Resolved from the working directory, which is the checkout. The server then uses the same loaded module.
  const argon2 = createRequire(path.join(process.cwd(), 'package.json'))('@node-rs/argon2');
  const { hash } = argon2;
  argon2.hash = (/** @type {string} */ password, /** @type {object} */ options) =>
    hash(password, { ...options, ...LOWEST_COST });
}
