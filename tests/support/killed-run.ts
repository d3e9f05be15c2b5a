/**
 * Sets up the tests as a run does, starts a product as tests do, prints the folders of both, and waits. A test kills
 * this process.
 */
import { setup } from './global-setup.ts';
import { launchProduct, temporaryDataDir } from './launched-product.ts';

// The run starts its own server. The variables are those of the test that has started this process.
for (const name of ['TEST_RUN_ID', 'TEST_RUN_DIR', 'TEST_POSTGRES_URL']) delete process.env[name];
await setup();
const { path: dataDir } = await temporaryDataDir();
const product = launchProduct({ dataDir });
process.stdout.write(`started ${process.env['TEST_RUN_DIR'] ?? ''} ${dataDir}.\n`);
await product.ready();
process.stdout.write(`ready ${product.process.pid ?? 0}.\n`);
setInterval(() => undefined, 60_000);
