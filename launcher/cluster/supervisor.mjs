// @ts-check
/** Runs the services of a cluster as processes of one machine, and restarts a process that ends unexpectedly. */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findFreePort } from './free-port.mjs';

/** @typedef {'decoder' | 'command-api' | 'query-api' | 'projectors' | 'workers' | 'shell'} ServiceName */

/**
 * @typedef {object} Member  one process of the cluster, or the process that replaces it after a restart
 * @property {string} name   e.g. `query-api-2`
 * @property {string} service
 * @property {number} port
 * @property {string} url
 * @property {() => number | undefined} pid   process id of the running process
 * @property {() => Promise<void>} ready   resolves when the process accepts requests; rejects after the time limit
 * @property {() => Promise<void>} restart   stops the process with SIGTERM, starts it again and waits for `ready`
 */

/**
 * @typedef {object} Cluster
 * @property {string} url   URL of the gateway
 * @property {readonly Member[]} members
 * @property {() => Promise<void>} ready
 * @property {() => Promise<void>} rollingRestart   restarts all processes except the gateway, one after the other
 * @property {() => Promise<void>} stop
 */

/** @type {readonly ServiceName[]} */
export const SERVICES = ['decoder', 'command-api', 'query-api', 'projectors', 'workers', 'shell'];
/**
 * The environment variables that contain the URLs of services for the gateway, and the name of the service for each
 * variable.
 */
const ADDRESSES = { COMMAND_API_URLS: 'command-api', QUERY_API_URLS: 'query-api', SHELL_URLS: 'shell' };

const DEFAULT_PORT = 8080;
const FIRST_RESTART_MS = 250;
const LONGEST_RESTART_MS = 5_000;
/** A process that runs longer than this counts as stable, so its next restart has a short delay again. */
const STABLE_AFTER_MS = 20_000;
const READY_LIMIT_MS = 60_000;
const CHECK_INTERVAL_MS = 100;
/**
 * Time limit for a process to stop. A process that exceeds the limit is killed. The limit is above the 10 s within
 * which a service stops.
 */
const STOP_LIMIT_MS = 11_000;

/**
 * Starts all services and the gateway as separate processes.
 * @param {object} options
 * @param {string} options.root   root folder of the checkout, which must be built
 * @param {Readonly<Record<string, string | undefined>>} options.env   environment of every process. PORT is the port of
 * the gateway, and 0 selects a free port
 * @param {(name: string) => Readonly<Record<string, string>>} [options.envOf]   further environment variables of one
 * process
 * @param {number} [options.each]   number of processes of each service
 * @param {number} [options.readyLimit_ms]   time after which `ready` rejects
 * @param {(line: string) => void} [options.onMessage]   called with a message for each event of a process
 * @param {import('node:child_process').IOType | number} [options.stderr]   destination of the logs of all processes
 * @returns {Promise<Cluster>}
 */
export async function startCluster({
  root,
  env,
  envOf = () => ({}),
  each = 2,
  readyLimit_ms = READY_LIMIT_MS,
  onMessage = () => undefined,
  stderr = 'inherit',
}) {
  const requestedPort = Number(env['PORT'] || DEFAULT_PORT);
  const gatewayPort = requestedPort === 0 ? await findFreePort() : requestedPort;
  let lastPort = gatewayPort;
  const portOf = async () => (requestedPort === 0 ? findFreePort() : (lastPort += 1));
  let isStopping = false;

  /** @param {string} name @param {string} service @param {number} port @param {Record<string, string>} more */
  function startMember(name, service, port, more) {
    const url = `http://127.0.0.1:${port}`;
    let wait_ms = FIRST_RESTART_MS;
    /** @type {import('node:child_process').ChildProcess | undefined} */
    let child;
    /** Resolves when the running process has ended. */
    let ended = Promise.resolve();
    let isExpected = false;

    function run() {
      const started_ms = Date.now();
      const running = spawn(process.execPath, [path.join(root, `launcher/dist/${service}.mjs`)], {
        cwd: root,
        env: {
          MALLOC_ARENA_MAX: '1',
          MALLOC_TRIM_THRESHOLD_: '131072',
          ...env,
          ...envOf(name),
          ...more,
          PORT: String(port),
        },
        // When the supervisor ends, the `ipc` channel closes. The service notices this and stops too.
        stdio: ['ignore', 'ignore', stderr, 'ipc'],
      });
      child = running;
      isExpected = false;
      ended = new Promise((resolve) => {
        running.once('error', (error) => onMessage(`${name} could not be run: ${error.message}`));
        running.once('close', (code, signal) => {
          child = undefined;
          resolve();
          if (isStopping || isExpected) return;
          if (Date.now() - started_ms > STABLE_AFTER_MS) wait_ms = FIRST_RESTART_MS;
          onMessage(`${name} ended (${signal ?? code}), starting it again in ${wait_ms} ms`);
          setTimeout(() => {
            if (!isStopping && child === undefined) run();
          }, wait_ms);
          wait_ms = Math.min(wait_ms * 2, LONGEST_RESTART_MS);
        });
      });
    }

    async function ready() {
      const deadline = Date.now() + readyLimit_ms;
      while (Date.now() < deadline) {
        const ok = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(1_000) }).then(
          (response) => response.ok,
          () => false,
        );
        if (ok) return;
        if (isStopping) throw new Error(`${name} was stopped before it was ready`);
        await pause(CHECK_INTERVAL_MS);
      }
      throw new Error(`${name} is not ready after ${readyLimit_ms / 1000} s`);
    }

    async function end() {
      isExpected = true;
      const running = child;
      running?.kill('SIGTERM');
      if (!(await Promise.race([ended.then(() => true), pause(STOP_LIMIT_MS, false, { ref: false })])))
        running?.kill('SIGKILL');
      await ended;
    }

    run();
    return {
      member: {
        name,
        service,
        port,
        url,
        pid: () => child?.pid,
        ready,
        async restart() {
          await end();
          run();
          await ready();
        },
      },
      end,
    };
  }

  /** @type {ReturnType<typeof startMember>[]} */
  const started = [];
  const addressesOf = (/** @type {string} */ service) =>
    started
      .filter(({ member }) => member.service === service)
      .map(({ member }) => member.url)
      .join(',');
  for (const service of SERVICES) {
    // The workers and the command API send files to the decoder. The shell (the web server for the pages) reads the
    // data of the pages from the query API. Workers need the URL of the gateway for the links in e-mails.
    const more = {
      // The gateway checks whether the demo is public. Other computers cannot reach these services, although a proxy is
      // set for them.
      PUBLIC_DEMO: 'on',
      ...(service === 'shell' && { QUERY_API_URLS: addressesOf('query-api') }),
      ...((service === 'workers' || service === 'command-api') && { DECODER_URLS: addressesOf('decoder') }),
      ...(service === 'workers' && { SITE_URL: env['SITE_URL'] || `http://localhost:${gatewayPort}` }),
    };
    for (let number = 1; number <= each; number += 1)
      started.push(
        startMember(`${service}-${number}`, service, await portOf(), { HOST: '127.0.0.1', TRUST_PROXY: '1', ...more }),
      );
  }
  const services = started.map(({ member }) => member);
  const addresses = Object.fromEntries(
    Object.entries(ADDRESSES).map(([name, service]) => [name, addressesOf(service)]),
  );
  started.push(startMember('gateway', 'gateway', gatewayPort, addresses));
  const members = started.map(({ member }) => member);

  return {
    url: `http://127.0.0.1:${gatewayPort}`,
    members,
    async ready() {
      await Promise.all(members.map((member) => member.ready()));
    },
    async rollingRestart() {
      for (const member of services) {
        onMessage(`restarting ${member.name}`);
        await member.restart();
      }
    },
    async stop() {
      isStopping = true;
      await Promise.all(started.map(({ end }) => end()));
    },
  };
}
