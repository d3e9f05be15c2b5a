import path from 'node:path';
import { findFreePort } from '../../launcher/cluster/free-port.mjs';
import { createBackingService, fetchJars, requireJava, type BackingService } from '../../launcher/engines/engine.mjs';

/**
 * Maven artifact of S3Mock, which supports versioning and lifecycle rules. S3Proxy does not support them. The version
 * of SLF4J is specified, because Maven would otherwise select a version that S3Mock cannot use.
 */
const ARTIFACT = {
  name: 'S3 with versions',
  groupId: 'com.adobe.testing',
  artifactId: 's3mock',
  version: '4.11.0',
  extra: ['org.slf4j:slf4j-api:2.0.17'],
};
const JAVA_VERSION = 17;
/** Options of Java that limit memory and shorten the start of the server. */
const JVM = ['-Xmx192m', '-XX:TieredStopAtLevel=1'];
const PROBE_ms = 1_000;

/**
 * Creates an S3 store whose buckets can have versions. It accepts every key. Throws `BackingServiceUnavailable` if Java
 * is missing or the download fails. `dir` is the folder for log and data.
 */
export async function createVersionedS3({ dir }: { dir: string }): Promise<BackingService> {
  await requireJava(ARTIFACT.name, JAVA_VERSION);
  const jars = path.join(await fetchJars(ARTIFACT), '*');
  const port = await findFreePort();
  const endpoint = `http://127.0.0.1:${port}`;
  return createBackingService({
    name: ARTIFACT.name,
    dir,
    env: {
      S3_ENDPOINT: endpoint,
      S3_BUCKET: 'alpenglow',
      S3_REGION: 'us-east-1',
      S3_ACCESS_KEY_ID: 'alpenglow',
      S3_SECRET_ACCESS_KEY: 'not-checked',
    },
    program: 'java',
    args: [
      ...JVM,
      '-cp',
      jars,
      'com.adobe.testing.s3mock.S3MockApplication',
      // The server also opens a port with TLS, which no test uses.
      '--server.port=0',
      `--com.adobe.testing.s3mock.http-port=${port}`,
      `--com.adobe.testing.s3mock.store.root=${path.join(dir, 'data')}`,
      '--logging.level.root=WARN',
    ],
    isReady: async () => (await fetch(endpoint, { signal: AbortSignal.timeout(PROBE_ms) })).ok,
  });
}
