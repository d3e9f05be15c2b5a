// @ts-check
/**
 * Baseline for the benchmark of `POST /ads/{id}/bump`. An Express handler only parses the same request body. The script
 * prints the port of the server.
 */
import express from 'express';

const app = express();
app.post('/api/ads/:id/bump', express.json(), (req, res) => {
  res.json({ success: true, data: { id: req.params['id'] } });
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' && address ? address.port : 0}\n`);
});
