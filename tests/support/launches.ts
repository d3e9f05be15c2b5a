import { afterEach, beforeEach } from 'vitest';
import {
  kill9,
  launchProduct,
  postgresPid,
  temporaryDataDir,
  type LaunchedProduct,
  type LaunchOptions,
} from './launched-product.ts';

export interface Launches {
  /** The data folder of the current test. */
  readonly dataDir: { readonly path: string };
  /** Launches the product with the data folder of the current test. */
  launch(options?: Omit<LaunchOptions, 'dataDir'>): LaunchedProduct;
}

/** Creates a data folder before each test. After each test, kills all launched products and removes the folder. */
export function setUpLaunches(): Launches {
  let folder: Awaited<ReturnType<typeof temporaryDataDir>>;
  let launched: LaunchedProduct[] = [];
  beforeEach(async () => {
    folder = await temporaryDataDir();
    launched = [];
  });
  afterEach(async () => {
    const postgres = await postgresPid(folder.path);
    for (const { process: child } of launched) kill9(child.pid);
    await Promise.all(launched.map((product) => product.ended()));
    kill9(postgres);
    await folder.remove();
  });
  return {
    dataDir: {
      get path() {
        return folder.path;
      },
    },
    launch(options = {}) {
      const product = launchProduct({ dataDir: folder.path, ...options });
      launched.push(product);
      return product;
    },
  };
}

export const signalGroup = (product: LaunchedProduct, name: NodeJS.Signals): boolean =>
  process.kill(-(product.process.pid ?? 0), name);

export async function fetchHealth(url: string): Promise<unknown> {
  const response = await fetch(`${url}/api/health`);
  return (await response.json()) as unknown;
}
