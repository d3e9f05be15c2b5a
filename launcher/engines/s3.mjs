// @ts-check
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findFreePort } from '../cluster/free-port.mjs';
import { fetchJars, requireJava, createBackingService } from './engine.mjs';

/**
 * Maven artifact of S3Proxy. The version of the Jackson annotations is specified, because Maven would otherwise select
 * a version that is too old for some dependencies.
 */
const ARTIFACT = {
  name: 'S3',
  groupId: 'org.gaul',
  artifactId: 's3proxy',
  version: '4.1.0',
  extra: ['com.fasterxml.jackson.core:jackson-annotations:2.21'],
};
const JAVA_VERSION = 17;
/** Options of Java that limit memory and shorten the start of the server. */
const JVM = ['-Xmx192m', '-XX:TieredStopAtLevel=1'];
const PROBE_ms = 1_000;

/**
 * Creates an S3 backing service with S3Proxy, which stores objects as files. Throws `BackingServiceUnavailable` if Java
 * is missing or the download fails.
 * @param {{ dir: string }} options   `dir`: folder for settings, log and data
 * @returns {Promise<import('./engine.mjs').BackingService>}
 */
export async function createS3({ dir }) {
  await requireJava('S3', JAVA_VERSION);
  const jars = path.join(await fetchJars(ARTIFACT), '*');
  const endpoint = `http://127.0.0.1:${await findFreePort()}`;
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

  return createBackingService({
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
    // S3Proxy is ready when it rejects a request without a signature with status 403.
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

/** Log settings that show only warnings and errors. By default, S3Proxy logs every step of every request. */
const LOGGING = `<configuration>
  <appender name="OUT" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%d %-5level %logger{20} %msg%n</pattern></encoder>
  </appender>
  <root level="WARN"><appender-ref ref="OUT"/></root>
</configuration>
`;
