import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { findFreePort } from '../../launcher/cluster/free-port.mjs';
import { readCompose } from '../architecture/deploy-files.ts';

/** Passwords of backing services are not in the arguments of processes, which every user of a machine can read. */

const hasRedis = spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;

/** Sends a command to Redis and returns its response. */
function ask(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: '127.0.0.1', port }, () => socket.write(`${command}\r\n`));
    socket.once('data', (data) => {
      resolve(data.toString());
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

test.runIf(hasRedis)('the command of Redis in compose.yaml requires the password and does not show it', async () => {
  const { command = [], environment = {} } = readCompose().services['redis'] ?? {};
  const password = environment['REDISCLI_AUTH'] ?? '';
  expect(password).toMatch(/^[0-9a-f]{64}$/u);
  const port = await findFreePort();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-redis-'));
  // Compose replaces `$$`. The entry point of the image runs the rest of the command as its own user.
  const [program = '', ...args] = command.map((argument) =>
    argument
      .replaceAll('$$', '$')
      .replace('docker-entrypoint.sh redis-server', `redis-server --port ${port} --bind 127.0.0.1 --dir ${folder}`),
  );
  expect(args.join(' ')).toContain(`--port ${port}`);
  const child = spawn(program, args, { env: { PATH: process.env['PATH'], REDISCLI_AUTH: password }, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('close', resolve));
  try {
    await expect.poll(() => ask(port, 'PING').catch(() => ''), { interval: 50 }).toMatch(/^-NOAUTH/u);
    expect(await ask(port, `AUTH ${password}`)).toBe('+OK\r\n');
    expect(await ask(port, 'AUTH wrong')).toMatch(/^-WRONGPASS/u);
    const settings = await ask(port, `AUTH ${password}\r\nCONFIG GET maxmemory-policy`);
    expect(settings).toMatch(/^\+OK/u);
    // The shell was replaced by Redis, so signals reach it.
    expect(readFileSync(`/proc/${child.pid ?? 0}/comm`, 'utf8').trim()).toBe('redis-server');
    const shown = readdirSync('/proc')
      .filter((id) => /^\d+$/u.test(id))
      .filter((id) => {
        try {
          return readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(password);
        } catch {
          return false;
        }
      });
    expect(shown).toEqual([]);
  } finally {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
});
