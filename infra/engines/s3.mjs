// @ts-check
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../cluster/free-port.mjs';
import { fetchJars, requireJava, spawnEngine } from './engine.mjs';

/** The annotations by name: of the versions its dependencies ask for, Maven would take one that is too old for others of them. */
const ARTIFACT = {
  name: 'S3',
  groupId: 'org.gaul',
  artifactId: 's3proxy',
  version: '4.1.0',
  extra: ['com.fasterxml.jackson.core:jackson-annotations:2.21'],
};
const JAVA_VERSION = 17;
/** Heap and compiler for a server that starts fast and is a small guest on the machine. */
const JVM = ['-Xmx192m', '-XX:TieredStopAtLevel=1'];
const PROBE_ms = 1_000;

/**
 * An S3 server: S3Proxy, which keeps objects as files. Throws EngineUnavailable where there is no Java or it cannot be fetched.
 * @param {{ dir: string }} options   its folder: settings, log, data
 * @returns {Promise<import('./engine.mjs').Engine>}
 */
export async function createS3({ dir }) {
  await requireJava('S3', JAVA_VERSION);
  const jars = path.join(await fetchJars(ARTIFACT), '*');
  const endpoint = `http://127.0.0.1:${await freePort()}`;
  const env = {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: 'alpenglow',
    S3_REGION: 'us-east-1',
    S3_ACCESS_KEY_ID: 'alpenglow',
    S3_SECRET_ACCESS_KEY: randomBytes(20).toString('hex'),
  };
  const dataDir = path.join(dir, 'data');
  const settings = path.join(dir, 's3proxy.properties');
  const logging = path.join(dir, 'logback.xml');

  return spawnEngine({
    name: 'S3',
    dir,
    env,
    program: 'java',
    args: [
      ...JVM,
      `-Dlogback.configurationFile=${logging}`,
      '-cp',
      jars,
      'org.gaul.s3proxy.Main',
      '--properties',
      settings,
    ],
    async prepare() {
      await mkdir(dataDir, { recursive: true });
      await writeFile(settings, settingsFor(env, dataDir), { mode: 0o600 });
      await writeFile(logging, LOGGING);
    },
    // It knows nobody who does not sign, and says so once it takes requests.
    isReady: async () => (await fetch(endpoint, { signal: AbortSignal.timeout(PROBE_ms) })).status === 403,
  });
}

/**
 * @param {{ S3_ENDPOINT: string, S3_ACCESS_KEY_ID: string, S3_SECRET_ACCESS_KEY: string }} env
 * @param {string} dataDir
 */
const settingsFor = (
  { S3_ENDPOINT, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY },
  dataDir,
) => `s3proxy.endpoint=${S3_ENDPOINT}
s3proxy.authorization=aws-v2-or-v4
s3proxy.identity=${S3_ACCESS_KEY_ID}
s3proxy.credential=${S3_SECRET_ACCESS_KEY}
jclouds.provider=filesystem-nio2
jclouds.filesystem.basedir=${dataDir}
`;

/** Without this it logs every step of every request. */
const LOGGING = `<configuration>
  <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender"><encoder><pattern>%d %-5level %logger{20} %msg%n</pattern></encoder></appender>
  <root level="WARN"><appender-ref ref="OUT"/></root>
</configuration>
`;
