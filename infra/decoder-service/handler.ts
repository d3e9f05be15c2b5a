import { pipeline } from 'node:stream/promises';
import type { RequestHandler } from 'express';
import { DecoderLost, DecoderTooSlow, type Decoder } from '../src/adapters/decoder/decoder.ts';
import { TOO_SLOW_CODE } from '../src/adapters/decoder/decode-media.ts';
import { getCloseSignal } from '../src/http/close-signal.ts';

const [LOST, UNUSABLE] = [500, 422];

/** Creates the handler that forwards every request to the decoder, which is a child process. */
export function createDecoderHandler(decoder: Decoder): RequestHandler {
  return async (req, res, next) => {
    if (req.method !== 'POST') {
      next();
      return;
    }
    try {
      await decoder.send({
        path: req.url,
        body: () => req,
        signal: getCloseSignal(res),
        read: async (response) => {
          res.writeHead(response.statusCode ?? LOST, response.headers);
          await pipeline(response, res);
        },
      });
    } catch (error) {
      if (error instanceof DecoderTooSlow && !res.headersSent) {
        res.status(UNUSABLE).json({ code: TOO_SLOW_CODE, message: error.message });
        return;
      }
      // The client treats the end of the connection like the end of its own decoder.
      if (res.headersSent || error instanceof DecoderLost) res.destroy();
      else throw error;
    }
  };
}
