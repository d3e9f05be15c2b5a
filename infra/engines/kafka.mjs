// @ts-check
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../cluster/free-port.mjs';
import { fetchJars, requireJava, runToEnd, spawnEngine, takesConnections } from './engine.mjs';

const ARTIFACT = {
  name: 'Kafka',
  groupId: 'org.apache.kafka',
  artifactId: 'kafka_2.13',
  version: '4.3.1',
  extra: ['org.apache.logging.log4j:log4j-slf4j-impl:2.25.4'],
};
const JAVA_VERSION = 17;
/** Heap and compiler for a broker that starts fast and is a small guest on the machine. */
const JVM = ['-Xmx256m', '-XX:TieredStopAtLevel=1'];

/**
 * A real Kafka: one broker that is its own controller (KRaft). Throws EngineUnavailable where there is no Java or it cannot be fetched.
 * @param {{ dir: string, advertise?: (port: number) => Promise<number>, login?: { username: string, password: string } }} options   its folder: settings,
 *   log, data; the port clients are told of, where something stands between; who may connect, if not everybody
 * @returns {Promise<import('./engine.mjs').Engine>}
 */
export async function createKafka({ dir, advertise = async (port) => port, login }) {
  await requireJava('Kafka', JAVA_VERSION);
  const jars = path.join(await fetchJars(ARTIFACT), '*');
  const [port, controllerPort, internalPort] = [await freePort(), await freePort(), await freePort()];
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
    await runToEnd(
      'java',
      [...JVM, '-cp', jars, 'kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', settings, ...scram],
      { cwd: dir, title: 'Formatting the storage of Kafka' },
    );
  }

  return spawnEngine({
    name: 'Kafka',
    dir,
    env: {
      KAFKA_BROKERS: `127.0.0.1:${advertisedPort}`,
      ...(login && { KAFKA_USERNAME: login.username, KAFKA_PASSWORD: login.password }),
    },
    program: 'java',
    args: [...JVM, '-cp', jars, 'kafka.Kafka', settings],
    prepare,
    // The broker opens its port once it has caught up with its controller and takes requests.
    isReady: () => takesConnections(port),
  });
}

/**
 * A killed broker is let in again when its session has timed out, which is why that is short.
 * @param {{ port: number, advertisedPort: number, controllerPort: number, internalPort: number, dataDir: string, hasLogin: boolean }} place
 */
function propertiesOf({ port, advertisedPort, controllerPort, internalPort, dataDir, hasLogin }) {
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=CLIENT://127.0.0.1:${port},INTERNAL://127.0.0.1:${internalPort},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=CLIENT://127.0.0.1:${advertisedPort},INTERNAL://127.0.0.1:${internalPort}
controller.listener.names=CONTROLLER
inter.broker.listener.name=INTERNAL
listener.security.protocol.map=CLIENT:${hasLogin ? 'SASL_PLAINTEXT' : 'PLAINTEXT'},INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT
sasl.enabled.mechanisms=SCRAM-SHA-512
listener.name.client.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
log.dirs=${dataDir}
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
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
