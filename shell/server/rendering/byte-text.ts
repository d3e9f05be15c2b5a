/**
 * Returns the UTF-8 bytes of a text as a string with one character per byte. The server and its rendering processes
 * send each other such strings. A text with one character outside of Latin-1, for example an ellipsis, would need twice
 * as many bytes. A buffer is memory outside of the heap, for which V8 collects the garbage of the whole server more
 * often.
 */
export const toByteText = (text: string): string => Buffer.from(text).toString('latin1');

/** Returns the UTF-8 bytes of a text from `toByteText`. */
export const toBytes = (byteText: string): Buffer<ArrayBuffer> => Buffer.from(byteText, 'latin1');
