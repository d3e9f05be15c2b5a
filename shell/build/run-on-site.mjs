// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** @param {string} argument */
const quoted = (argument) => `'${argument.replaceAll("'", `'\\''`)}'`;

/**
 * Runs `front-ends` of another site. Its output is that of this process.
 * @param {string} command  a command line that starts it, e.g. `docker compose run --rm -T front-ends front-ends`
 * @param {readonly string[]} args  further arguments
 * @param {Uint8Array} [input]
 * @throws {Error} if the command fails
 */
export async function runOnSite(command, args, input) {
  const child = spawn([command, ...args.map(quoted)].join(' '), {
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  // The command may end without reading its input. Its exit code states the failure.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code, signal] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ended with ${signal ?? `code ${code}`}`);
}
