import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { stockPictureId, isStockPicture } from '@alpenglow/domain';
import { ROOT_DIR } from '@alpenglow/infra';

/**
 * The folder of the stock pictures. The pictures are drawings of landscapes, lights and shapes, without people or
 * explicit content.
 */
const FOLDER = path.join(ROOT_DIR, 'workers/assets');

/**
 * Reads the stock picture with this number, counted from 1. Most pictures are JPEGs of 1200 × 1500 px. Those that
 * only the demo needs have 800 × 1000 px, so that their variants are encoded faster. Rejects with a `RangeError` if
 * there is no such picture.
 */
export async function readStockPicture(number: number): Promise<Buffer> {
  const id = stockPictureId(number);
  if (!isStockPicture(id)) throw new RangeError(`There is no stock picture ${number}`);
  return readFile(path.join(FOLDER, `${id}.jpg`));
}
