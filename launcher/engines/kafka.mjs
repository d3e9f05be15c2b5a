// @ts-check
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findFreePort } from '../cluster/free-port.mjs';
import { fetchJars, requireJava, runToEnd, createBackingService, acceptsConnections } from './engine.mjs';

const ARTIFACT = {
  name: 'Kafka',
  groupId: 'org.apache.kafka',
  artifactId: 'kafka_2.13',
  version: '4.3.1',
  extra: ['org.apache.logging.log4j:log4j-slf4j-impl:2.25.4'],
};
const JAVA_VERSION = 17;
/** Options of Java that limit memory and shorten the start of the broker. */
const JVM = ['-Xmx256m', '-XX:TieredStopAtLevel=1'];

/**
 * Creates a Kafka backing service with one broker, which is also its own controller (KRaft). Throws
 * `BackingServiceUnavailable` if Java is missing or the download fails.
 * @param {{ dir: string, advertise?: (port: number) => Promise<number>, login?: { username: string, password: string }
 * }} options   `dir`: folder for settings, log and data. `advertise`: returns the port that clients use, if a proxy is
 * between them and Kafka. `login`: the only user that may connect; by default no login is necessary
 * @returns {Promise<import('./engine.mjs').BackingService>}
 */
export async function createKafka({ dir, advertise = async (port) => port, login }) {
  await requireJava('Kafka', JAVA_VERSION);
  const jars = path.join(await fetchJars(ARTIFACT), '*');
  const [port, controllerPort, internalPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const advertisedPort = await advertise(port);
  const dataDir = path.join(dir, 'data');
  const settings = path.join(dir, 'server.properties');

  async function prepare() {
    if (existsSync(path.join(dataDir, 'meta.properties'))) return;
    await mkdir(dataDir, { recursive: true });
    await writeFile(
      settings,
      propertiesOf({ port, advertisedPort, controllerPort, internalPort, dataDir, hasLogin: login !== undefined }),
    );
    const scram = login ? ['--add-scram', `SCRAM-SHA-512=[name="${login.username}",password="${login.password}"]`] : [];
    const clusterId = Buffer.concat([Buffer.of(1), randomBytes(15)]).toString('base64url');
    // The arguments are in a file, one a line, because every user of the machine can read those of a process.
    const args = path.join(dir, 'format-arguments');
    try {
      await writeFile(args, ['format', '-t', clusterId, '-c', settings, ...scram].join('\n'), { mode: 0o600 });
      await runToEnd('java', [...JVM, '-cp', jars, 'kafka.tools.StorageTool', `@${args}`], {
        cwd: dir,
        title: 'Formatting the storage of Kafka',
      });
    } finally {
      await rm(args, { force: true });
    }
  }

  return createBackingService({
    name: 'Kafka',
    dir,
    env: {
      KAFKA_BROKERS: `127.0.0.1:${advertisedPort}`,
      ...(login && { KAFKA_USERNAME: login.username, KAFKA_PASSWORD: login.password }),
    },
    program: 'java',
    args: [...JVM, '-cp', jars, 'kafka.Kafka', settings],
    prepare,
    // The broker opens its port only when it can handle requests, so a connection shows that it is ready.
    isReady: () => acceptsConnections(port),
  });
}

/**
 * Returns the settings of the broker. The session timeout is short, because a killed broker can rejoin only after this
 * timeout. The buffer of the log cleaner is smaller than the default of 128 MB. This default is half of our heap, and
 * the broker does not start if Java has no contiguous free block of this size.
 * @param {{ port: number, advertisedPort: number, controllerPort: number, internalPort: number, dataDir: string,
 * hasLogin: boolean }} place
 */
function propertiesOf({ port, advertisedPort, controllerPort, internalPort, dataDir, hasLogin }) {
  const protocol = hasLogin ? 'SASL_PLAINTEXT' : 'PLAINTEXT';
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=CLIENT://127.0.0.1:${port},INTERNAL://127.0.0.1:${internalPort},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=CLIENT://127.0.0.1:${advertisedPort},INTERNAL://127.0.0.1:${internalPort}
controller.listener.names=CONTROLLER
inter.broker.listener.name=INTERNAL
listener.security.protocol.map=CLIENT:${protocol},INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT
sasl.enabled.mechanisms=SCRAM-SHA-512
listener.name.client.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
log.dirs=${dataDir}
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
log.cleaner.dedupe.buffer.size=4194304
broker.heartbeat.interval.ms=500
broker.session.timeout.ms=3000
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=1
`;
}
