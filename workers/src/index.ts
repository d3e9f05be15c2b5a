export { openWorkers } from './open-workers.ts';
export { seedStockPictures } from './seed-stock-pictures.ts';
export { startWorkers } from './start-workers.ts';
