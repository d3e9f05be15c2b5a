export { openWorkers } from './open-workers.ts';
export { readStockPicture } from './stock-pictures.ts';
export { seedStockPictures } from './seed-stock-pictures.ts';
export { startWorkers } from './start-workers.ts';
