import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { stockPictureId, isStockPicture } from '@alpenglow/domain';
import { ROOT_DIR } from '@alpenglow/infra';

/**
 * The folder of the stock pictures. The pictures show mountains at dusk, without people or explicit content.
 */
const FOLDER = path.join(ROOT_DIR, 'workers/assets');

/**
 * Reads the stock picture with this number, counted from 1. The picture is a JPEG of 1200 × 1500 px. Rejects with a
 * `RangeError` if there is no such picture.
 */
export async function readStockPicture(number: number): Promise<Buffer> {
  const id = stockPictureId(number);
  if (!isStockPicture(id)) throw new RangeError(`There is no stock picture ${number}`);
  return readFile(path.join(FOLDER, `${id}.jpg`));
}
