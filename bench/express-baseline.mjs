// @ts-check
/**
 * Baseline for the benchmark of `GET /ads`. An Express handler returns the same bytes as the product from memory. The
 * script prints the port of the server.
 */
import { readFileSync } from 'node:fs';
import express from 'express';

const [file] = process.argv.slice(2);
const body = readFileSync(file ?? '');
const app = express();
app.get('/api/ads', (_req, res) => {
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', body.length);
  res.end(body);
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address ? address.port : 0}\n`);
});
