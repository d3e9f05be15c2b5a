import { spawn } from 'node:child_process';

export interface Baseline {
  /** URL of the form `http://127.0.0.1:port`. */
  readonly url: string;
  stop(): void;
}

/**
 * Starts a baseline server, with which a benchmark compares the product. `script` runs in a separate process and prints
 * the port of the server.
 */
export async function startBaseline(root: string, script: string, ...args: readonly string[]): Promise<Baseline> {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString('utf8').trim()));
    child.once('exit', (code) => reject(new Error(`${script} ended with ${String(code)}`)));
  });
  return { url: `http://127.0.0.1:${port}`, stop: () => void child.kill() };
}
